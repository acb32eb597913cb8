"""One person who calls and asks, in a process of its own: `python -m assistant.load.person`.

Prints a JSON object a line: one for the call (`refused`: the server's sentence, or null), then one
for each turn (see curve.py).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
import urllib.error
from pathlib import Path
from typing import Any

from assistant.audio_file import read_speech
from assistant.bench.caller import Caller
from assistant.bench.receiving import say
from assistant.bench.relay import Relay
from assistant.load.curve import THINKING_S
from assistant.types import Pcm

_PATIENCE_S = 60.0
_BREATH_S = 0.3


async def _call(url: str, questions: list[Pcm], n_turns: int, chance: random.Random) -> None:
    async with Relay() as relay:
        try:
            async with Caller(url, relay) as caller:
                _print({"refused": None})
                for _ in range(n_turns):
                    await asyncio.sleep(chance.uniform(*THINKING_S))
                    _print(await _ask(caller, chance.choice(questions)))
        except urllib.error.HTTPError as error:
            _print({"refused": json.load(error)["error"]["message"]})


async def _ask(caller: Caller, question: Pcm) -> dict[str, Any]:
    """One turn. Whoever is left without an answer asks the next question."""
    mouth, n_before = caller.mouth, len(caller.events)
    turn: dict[str, Any] = {"status": "unanswered", "first_sound_ms": None, "wait_ms": None}
    say(mouth, question)
    try:
        await caller.until(lambda: mouth.ended_at_s is not None, patience_s=_PATIENCE_S)
        ended_at_s = mouth.ended_at_s or 0.0
        await caller.until(lambda: caller.loud_at_s > ended_at_s, patience_s=_PATIENCE_S)
        turn["first_sound_ms"] = 1_000 * (caller.loud_at_s - ended_at_s)
        await caller.until(lambda: _is_over(caller, n_before), patience_s=_PATIENCE_S)
    except TimeoutError:
        return turn
    for event in caller.events[n_before:]:
        if event["type"] == "response.done":
            turn["status"] = event["response"]["status"]
        if event["type"] == "assistant.timeline":
            turn |= {key: event[key] for key in ("voice_to_voice_ms", "lines", "stats")}
    turn["speech_s"] = ended_at_s - (mouth.began_at_s or ended_at_s)
    turn["sound_s"] = caller.loud_at_s - ended_at_s - turn["first_sound_ms"] / 1_000
    turn["wait_ms"] = max(turn["first_sound_ms"], turn["voice_to_voice_ms"] or 0.0)
    return turn


def _is_over(caller: Caller, n_before: int) -> bool:
    """Whether the answer has been told and heard to its end."""
    told = [event["type"] for event in caller.events[n_before:]]
    is_told = "assistant.timeline" in told and "response.done" in told
    return is_told and time.monotonic() - caller.loud_at_s > _BREATH_S


def _print(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--turns", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("questions", nargs="+", type=Path)
    options = parser.parse_args()
    questions = [read_speech(file) for file in options.questions]
    chance = random.Random(options.seed)
    asyncio.run(_call(options.url, questions, options.turns, chance))


if __name__ == "__main__":
    main()
