"""`assistant load`: callers that really call, more and more of them, until the promise breaks."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.error import HTTPError

from assistant.bench.caller import Caller
from assistant.bench.clips import spoken_questions
from assistant.bench.relay import Relay
from assistant.bench.report import Report, circumstances, console, finish, print_table, within
from assistant.bench.server import Server, serving
from assistant.config import Config
from assistant.errors import ServerError
from assistant.load.curve import Turn, level, most_within, steps

_LEAST_TURNS = 3
"""Of each caller, however many there are."""

_SETTLED_S = 3.0
"""All lines are taken by then."""

_KNOCK_EVERY_S = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--callers", type=within(int, 1), default=8, metavar="N", help="at most, at once"
    )
    parser.add_argument("--ramp", action="store_true", help="1, 2, 4, ... N and not N at once")
    parser.add_argument(
        "--clips",
        type=Path,
        default=Path("tests/data/questions"),
        metavar="DIR",
        help="WAV files of spoken questions",
    )
    parser.add_argument(
        "--turns",
        type=within(int, 1),
        default=24,
        metavar="N",
        help="in all, for each number of callers",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(config: Config, options: argparse.Namespace) -> int:
    """The exit status: 1 when somebody was left without an answer. Raises
    ServerError and AudioFileError."""
    report = circumstances(config) | asyncio.run(_measure(config, options))
    finish(report)
    if options.json:
        print(json.dumps(report, ensure_ascii=False))
    return 1 if any(each["failures"] for each in report["levels"]) else 0


async def _measure(config: Config, options: argparse.Namespace) -> Report:
    promise_ms = config.budget.voice_to_voice_ms
    questions = spoken_questions(options.clips)
    lines = {
        "server.max_sessions": options.callers,
        "server.max_sessions_per_address": options.callers + 1,
        "server.max_offers_per_minute": 100_000,
    }
    async with serving(options, lines) as server:
        levels = [
            await _level(server, callers, questions, options.turns, promise_ms)
            for callers in (steps(options.callers) if options.ramp else [options.callers])
        ]
        knocking = await _level(
            server, options.callers, questions, options.turns, promise_ms, knock=True
        )
    report = {
        "promise_ms": promise_ms,
        "levels": levels,
        "most_within_promise": most_within(levels, promise_ms=promise_ms),
        "one_more": knocking,
    }
    _print(report)
    return report


async def _level(
    server: Server,
    callers: int,
    questions: Sequence[Path],
    n_turns: int,
    promise_ms: float,
    *,
    knock: bool = False,
) -> Report:
    """`knock`: all lines are taken, and somebody else keeps trying."""
    turns_each = max(_LEAST_TURNS, round(n_turns / callers))
    began_at_s, began_cpu_s = time.monotonic(), server.cpu_s()
    async with asyncio.TaskGroup() as tasks:
        told = [
            tasks.create_task(_person(server.url, seed, turns_each, questions))
            for seed in range(callers)
        ]
        knocks = tasks.create_task(_knock(server.url, told)) if knock else None
    took_s = time.monotonic() - began_at_s
    turns = [turn for person in told for turn in person.result()]
    report = level(callers, turns, promise_ms=promise_ms)
    report["cores"] = (server.cpu_s() - began_cpu_s) / took_s
    if knocks is not None:
        report["refused"] = knocks.result()
    waited = " / ".join(f"{report['wait_ms'][p] or 0:.0f}" for p in ("p50", "p95"))
    extra = ", and one more who is refused" if knock else ""
    console.print(f"{callers} callers{extra}: {len(turns)} turns, p50 / p95 {waited} ms")
    return report


async def _person(url: str, seed: int, turns: int, questions: Sequence[Path]) -> list[Turn]:
    """Raises ServerError where the call itself came to nothing."""
    words = [url, "--turns", str(turns), "--seed", str(seed), *map(str, questions)]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assistant.load.person", *words), stdout=asyncio.subprocess.PIPE
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    call, *asked = map(json.loads, output.splitlines()) if output else [{"refused": "no call"}]
    if call["refused"]:
        raise ServerError(f"A caller was not let in: {call['refused']}")
    return list(asked)


async def _knock(url: str, others: Sequence[asyncio.Task[list[Turn]]]) -> list[str]:
    """What the server told whoever tried while all lines were taken."""
    await asyncio.sleep(_SETTLED_S)
    refusals = list[str]()
    async with Relay() as relay:
        while not any(other.done() for other in others):
            try:
                async with Caller(url, relay):
                    refusals.append("")
            except HTTPError as error:
                refusals.append(json.load(error)["error"]["message"])
            await asyncio.sleep(_KNOCK_EVERY_S)
    return refusals


def _print(report: Report) -> None:
    print_table(
        f"end of speech to the answer at the listener; promised: {report['promise_ms']:.0f} ms",
        ("callers", "turns", "failed", "p50 ms", "p95 ms", "kept", "cores"),
        [
            (
                *(each[key] for key in ("callers", "n", "failures")),
                *(each["wait_ms"][key] for key in ("p50", "p95")),
                f"{each['within_promise']:.0%} {'█' * round(10 * each['within_promise'])}",
                each["cores"],
            )
            for each in [*report["levels"], report["one_more"]]
        ],
    )
    sentences = sorted(set(report["one_more"]["refused"])) or ["nobody was refused in time"]
    console.print(f"one more was told: {' '.join(sentences) or 'nothing, and was let in'}")
    console.print(f"callers within the promise: {report['most_within_promise']}")
