"""`assistant bench speaking`: how soon the voice begins, and whether it ever waits for words.

TTFA            phrase handed to the voice's process until its first audible sample, the silence
                before that counted
whole           the same with the graph uncut: a sentence is computed before any of it is heard
RTF             time to compute a phrase by the time it lasts
first audio     of a reply written at 12 tokens a second: first token to first audible sample
underruns       times that such a reply fell silent because the next sound was not there yet: in
                the middle of a sentence at all, between two sentences for over 200 ms
longest pause   between two sentences, beyond the silence with which the voice itself ends one
"""

from __future__ import annotations

import argparse
import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from functools import partial
from itertools import cycle, islice
from statistics import median

import numpy as np

from assistant.bench.report import Report, console, print_table, spread
from assistant.config import Config, VoiceConfig
from assistant.engines import WorkerVoice, voice_spec
from assistant.errors import VoiceError
from assistant.known_voices import known_voices, standard_voice
from assistant.model_store import ModelStore
from assistant.phrases import phrases
from assistant.stages import Stream
from assistant.types import AudioFrame
from assistant.voices import espeak_language
from assistant.worker import Worker
from assistant.worker_host import EngineSpec

Say = Callable[[str], Stream[AudioFrame]]

_AUDIBLE = 131
"""Of 32,767: -48 dBFS."""

_TOKENS_PER_S = 12
_TOKEN = re.compile(r"\s*(?:'[a-z]+|[^\W\d_]{1,8}|\S)")
"""Much as a brain cuts English: most words are one token, every digit and every mark is one."""

_BREATH_S = 0.4
"""Between sentences people pause for about this long, or longer: nobody takes it for a stutter."""

_SENTENCE_ENDS = (".", "!", "?")

_PHRASES = {
    2: "Good morning.",
    6: "The cat is on the table.",
    12: "I can see a person sitting at a desk with a mug.",
    25: "The light in the kitchen has been on since seven this morning, so you may want to switch "
    "it off before you leave the house.",
}
_REPLIES = (
    "Paris is the capital of France.",
    "There are one hundred and twenty minutes in two hours, which is the same as 7200 seconds.",
    "I can see a red mug on the table, left of the middle. Next to it lies a pair of glasses.",
    "Sure! Try pasta with garlic and olive oil, an omelette with cheese, or a quick vegetable stir "
    "fry. All three are ready in less than twenty minutes.",
    "A rainbow forms when sunlight is bent, reflected and split into its colours inside raindrops.",
    "It says: Open daily, 9 a.m. to 6 p.m. Closed on public holidays.",
    "Necessary is spelled n, e, c, e, s, s, a, r, y.",
    "I'm sorry, but I can't see anything right now. Could you switch the camera on?",
    "The train leaves at 10:45 from platform 3, and it takes about two and a half hours to get to "
    "Berlin. You should be at the station by half past ten, because the doors close early. If you "
    "miss it, the next one goes at noon.",
    "Yes. The box costs $3.50, and Dr. Wu in the U.S. sells it for less.",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeat", type=int, default=10, metavar="N", help="times each phrase")
    parser.add_argument("--replies", type=int, default=50, metavar="N", help="replies to stream")


async def measure(config: Config, options: argparse.Namespace) -> Report:
    """The voice of these settings in a process of its own, as in a conversation."""
    store = ModelStore(config.models.folder)
    voices = known_voices(store)
    speaking = standard_voice(voices, store, config.voice.model).id
    async with AsyncExitStack() as stack:

        async def start(name: str, spec: EngineSpec) -> Say:
            worker = Worker(name, spec, error=VoiceError, config=config.workers)
            await stack.enter_async_context(worker)
            await worker.wait_ready()
            return partial(WorkerVoice(worker).speak, voice=speaking, speed=config.voice.speed)

        say = await start("voice", voice_spec(config, store, voices, speaking))
        ways = {"split": say}
        if espeak_language(speaking) is None:
            plainly = "assistant.tts.plain:PlainPiper", (store.folder(speaking), config.voice)
            ways["whole"] = await start("plain voice", EngineSpec(*plainly))
        report: Report = {
            "voice": speaking,
            "ttfa_ms": await _first_sounds(ways, options.repeat),
            "rtf": await _real_time_factor(say, options.repeat),
            "stream": await _stream(say, config.voice, options.replies),
        }
    _print(report)
    return report


async def _first_sounds(ways: dict[str, Say], repeat: int) -> Report:
    """Every way in turn, so that whatever else the machine does slows all of them."""
    report: Report = {}
    for n_words, phrase in _PHRASES.items():
        times_ms: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(repeat):
            for name, say in ways.items():
                times_ms[name].append(await _first_sound_ms(say, phrase))
        report[str(n_words)] = {name: spread(times) for name, times in times_ms.items()}
        if len(ways) > 1:
            report[str(n_words)]["ratio"] = median(times_ms["split"]) / median(times_ms["whole"])
    return report


async def _first_sound_ms(say: Say, phrase: str) -> float:
    started_at_s = time.monotonic()
    async with say(phrase) as frames:
        async for frame in frames:
            if (silence_s := _silence_s(frame)) is not None:
                return 1_000 * (time.monotonic() - started_at_s + silence_s)
    raise VoiceError(f"nothing was heard of {phrase!r}")


async def _real_time_factor(say: Say, repeat: int) -> float:
    started_at_s, spoken_ms = time.monotonic(), 0.0
    for _ in range(repeat):
        async with say(_PHRASES[25]) as frames:
            async for frame in frames:
                spoken_ms += frame.duration_ms
    return 1_000 * (time.monotonic() - started_at_s) / spoken_ms


async def _stream(say: Say, phrasing: VoiceConfig, n_replies: int) -> Report:
    waits_ms, underruns, longest_pause_s = list[float](), 0, 0.0
    for text in islice(cycle(_REPLIES), n_replies):
        reply = Reply(text)
        listener = Listener()
        async for phrase in phrases(reply.written(), phrasing):
            listener.begin(phrase)
            async with say(phrase) as frames:
                async for frame in frames:
                    listener.hear(frame, time.monotonic())
        if reply.first_token_at_s is None or listener.first_sound_at_s is None:
            raise VoiceError(f"nothing was heard of {text!r}")
        waits_ms.append(1_000 * (listener.first_sound_at_s - reply.first_token_at_s))
        underruns += listener.underruns
        longest_pause_s = max(longest_pause_s, listener.longest_pause_s)
    return {
        "first_audio_ms": spread(waits_ms),
        "underruns": underruns,
        "longest_pause_ms": 1_000 * longest_pause_s,
        "replies": n_replies,
    }


class Reply:
    """A text that a slow brain writes, however fast it is read."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self.first_token_at_s: float | None = None

    async def written(self) -> AsyncIterator[str]:
        self.first_token_at_s = time.monotonic()
        for n, token in enumerate(self._tokens):
            due_at_s = self.first_token_at_s + n / _TOKENS_PER_S
            await asyncio.sleep(max(0.0, due_at_s - time.monotonic()))
            yield token


class Listener:
    """Hears frames without a break, as long as each has come when the one before is over."""

    def __init__(self) -> None:
        self.first_sound_at_s: float | None = None
        self.underruns = 0
        self.longest_pause_s = 0.0
        self._phrase = ""
        self._is_between_sentences = False
        self._silent_from_s: float | None = None

    def begin(self, phrase: str) -> None:
        self._is_between_sentences = self._phrase.endswith(_SENTENCE_ENDS)
        self._phrase = phrase

    def hear(self, frame: AudioFrame, now_s: float) -> None:
        begins_at_s = now_s
        if self._silent_from_s is not None:
            begins_at_s = max(now_s, self._silent_from_s)
            self._pause(begins_at_s - self._silent_from_s)
        self._is_between_sentences = False
        self._silent_from_s = begins_at_s + frame.duration_ms / 1_000
        if self.first_sound_at_s is None and (silence_s := _silence_s(frame)) is not None:
            self.first_sound_at_s = begins_at_s + silence_s

    def _pause(self, lasts_s: float) -> None:
        if self._is_between_sentences:
            self.longest_pause_s = max(self.longest_pause_s, lasts_s)
        self.underruns += lasts_s > (_BREATH_S if self._is_between_sentences else 0)


def _silence_s(frame: AudioFrame) -> float | None:
    """Until the first audible sample; None where there is none."""
    audible = np.flatnonzero(np.abs(frame.samples.astype(np.int32)) > _AUDIBLE)
    return float(audible[0]) / frame.sample_rate_hz if len(audible) else None


def _print(report: Report) -> None:
    print_table(
        f"{report['voice']}: phrase to first sound",
        ("words", "split p50 ms", "split p95 ms", "whole p50 ms", "whole p95 ms", "ratio"),
        [_row(n_words, ways) for n_words, ways in report["ttfa_ms"].items()],
    )
    stream = report["stream"]
    first = stream["first_audio_ms"]
    console.print(
        f"RTF {report['rtf']:.3f}. {stream['replies']} replies at {_TOKENS_PER_S} tokens a second: "
        f"first token to first audio p50 {first['p50']:.0f} ms, p95 {first['p95']:.0f} ms; "
        f"{stream['underruns']} underruns, longest pause {stream['longest_pause_ms']:.0f} ms"
    )


def _row(n_words: str, ways: Report) -> tuple[object, ...]:
    whole = ways.get("whole", {"p50": None, "p95": None})
    split = ways["split"]
    return n_words, split["p50"], split["p95"], whole["p50"], whole["p95"], ways.get("ratio")
