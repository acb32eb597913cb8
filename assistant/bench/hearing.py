"""`assistant bench hearing`: recordings played into the microphone in real time.

first partial   first voiced sample to the first words on the screen
final           last voiced sample to the final transcript, on which the answer is begun
end of turn     last voiced sample to the end of the turn, from which the answer is heard
cut-offs        turns that ended before the recording did
false turns     turns made of noise
CPU             of one core, recognizer and this process, from the first voice to the turn's end
naive           600 ms of silence, then faster-whisper's own `transcribe`, in this process
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from assistant.asr.plain import PlainWhisper
from assistant.asr.vad import new_detector_factory
from assistant.bench.clips import Clip, read_clips, voiced_part
from assistant.bench.report import Report, console, print_table, spread
from assistant.bench.word_errors import WordErrors, word_errors
from assistant.config import Config, EarsConfig
from assistant.engines import WorkerRecognizer, ears_spec
from assistant.errors import AudioFileError, RecognizerError
from assistant.hearing import Listener
from assistant.model_store import ModelStore
from assistant.stages import Recognizer, SpeechDetector, Utterance
from assistant.types import AudioFrame, Hypothesis, Pcm
from assistant.words import spliced
from assistant.worker import Worker

_RATE_HZ = 16_000
_FRAME_SAMPLES = 320
_BEFORE_S, _AFTER_S = 0.5, 2.0
"""Of a room's faint noise around each clip: the last turn has ended by then."""

_NAIVE_SILENCE_MS = 600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--clips", type=Path, required=True, metavar="DIR", help="a folder with a manifest.json"
    )
    parser.add_argument("--naive", action="store_true", help="measure the plain way as well")


async def measure(config: Config, options: argparse.Namespace) -> Report:
    clips = _understood(read_clips(options.clips), config.ears)
    store = ModelStore(config.models.folder)
    worker = Worker("ears", ears_spec(config, store), error=RecognizerError, config=config.workers)
    results, naive = list[Result](), list[Naive]()
    async with worker:
        await worker.wait_ready()
        microphones = new_detector_factory()
        plain = PlainWay(await asyncio.to_thread(_plain, config, store)) if options.naive else None
        for clip in clips:
            samples = clip.read()
            trial = Trial(clip, samples, WorkerRecognizer(worker), worker)
            results.append(await trial.run(microphones(), config))
            if plain is not None and not clip.is_noise:
                naive.append(await plain.run(clip, samples))
            console.print(results[-1].line, markup=False)
    report = summarise(results, naive)
    _print(report, results)
    return report


def _understood(clips: list[Clip], ears: EarsConfig) -> list[Clip]:
    """Noise, and speech in the languages that are listened for. Raises AudioFileError."""
    heard = [clip for clip in clips if clip.is_noise or clip.language in ears.languages]
    if not heard:
        raise AudioFileError(f"no clip is in a language that {ears.model} listens for")
    for clip in clips:
        if clip not in heard:
            console.print(f"{clip.file.name}: left out, {clip.language!r} is not listened for")
    return heard


@dataclass(slots=True, kw_only=True)
class Turn:
    """One utterance, as it was seen from outside."""

    text: str = ""
    first_words_at_s: float | None = None
    """Of a partial."""

    final_at_s: float | None = None
    ended_at_s: float = 0.0
    ended_cpu_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    clip: Clip
    heard: str
    language: str | None
    first_partial_ms: float | None
    final_ms: float | None
    turn_end_ms: float | None
    compute_ms: float | None
    """Of the final transcript, in the recognizer."""

    turns: int
    """Those with words."""

    cpu_s: float = 0.0
    spoken_s: float = 0.0

    @property
    def errors(self) -> WordErrors:
        clip = self.clip
        return word_errors(clip.transcript, self.heard) if clip.transcript else WordErrors()

    @property
    def line(self) -> str:
        final = "no turn" if self.final_ms is None else f"{self.final_ms:.0f} ms"
        return f"{self.clip.file.name}: {final} | {self.heard}"

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.clip.file.name,
            "heard": self.heard,
            "language": self.language,
            "wer": self.errors.rate,
            "first_partial_ms": self.first_partial_ms,
            "final_ms": self.final_ms,
            "compute_ms": self.compute_ms,
            "turn_end_ms": self.turn_end_ms,
            "turns": self.turns,
            "cpu_share": self.cpu_s / self.spoken_s if self.spoken_s else None,
        }


class NotedRecognizer:
    """Passes everything on, and keeps the last final hypothesis."""

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer
        self.final: Hypothesis | None = None

    async def transcribe(self, samples: Pcm, *, is_final: bool) -> Hypothesis:
        hypothesis = await self._recognizer.transcribe(samples, is_final=is_final)
        if is_final:
            self.final = hypothesis
        return hypothesis

    async def turn_end_probability(self, samples: Pcm) -> float:
        return await self._recognizer.turn_end_probability(samples)


class Trial:
    """One clip, played to one listener."""

    def __init__(self, clip: Clip, samples: Pcm, recognizer: Recognizer, worker: Worker) -> None:
        self._clip = clip
        self._recognizer = NotedRecognizer(recognizer)
        self._worker = psutil.Process(worker.pid)
        first, last = voiced_part(samples)
        n_before, n_after = int(_BEFORE_S * _RATE_HZ), int(_AFTER_S * _RATE_HZ)
        sound = np.pad(samples, (n_before, n_after)).astype(np.int32)
        sound += np.random.default_rng(0).normal(0, 8, len(sound)).astype(np.int32)
        self._sound: Pcm = sound.clip(-32_768, 32_767).astype(np.int16)
        self._voice = ((n_before + first) / _RATE_HZ, (n_before + last) / _RATE_HZ)
        """When it begins and ends, in seconds of the sound."""

        self._started_at_s = 0.0
        self._started_cpu_s = 0.0

    async def run(self, detector: SpeechDetector, config: Config) -> Result:
        listener = Listener(
            detector=detector,
            recognizer=self._recognizer,
            ears=config.ears,
            endpointing=config.endpointing,
        )
        async with (
            asyncio.TaskGroup() as tasks,
            listener.listening(self._microphone()) as utterances,
        ):
            following = [tasks.create_task(self._follow(each)) async for each in utterances]
        return self._result([task.result() for task in following])

    async def _microphone(self) -> AsyncIterator[AudioFrame]:
        self._started_at_s = time.monotonic()
        begins_s, _ = self._voice
        for start in range(0, len(self._sound) - _FRAME_SAMPLES + 1, _FRAME_SAMPLES):
            at_s = self._started_at_s + start / _RATE_HZ
            frame = self._sound[start : start + _FRAME_SAMPLES]
            await asyncio.sleep(at_s + len(frame) / _RATE_HZ - time.monotonic())
            if start / _RATE_HZ <= begins_s:
                self._started_cpu_s = self._cpu_s()
            yield AudioFrame(samples=frame, sample_rate_hz=_RATE_HZ, captured_at_s=at_s)

    async def _follow(self, utterance: Utterance) -> Turn:
        turn = Turn()
        async for heard in utterance.follow():
            words, now_s = heard.transcript, time.monotonic()
            if words.is_final:
                turn.final_at_s = turn.final_at_s or now_s
            else:
                turn.final_at_s = None
                if words.text:
                    turn.first_words_at_s = turn.first_words_at_s or now_s
        turn.text = utterance.heard.transcript.text
        turn.ended_at_s, turn.ended_cpu_s = time.monotonic(), self._cpu_s()
        return turn

    def _cpu_s(self) -> float:
        own, worker = psutil.Process().cpu_times(), self._worker.cpu_times()
        return float(own.user + own.system + worker.user + worker.system)

    def _result(self, utterances: list[Turn]) -> Result:
        turns = [turn for turn in utterances if turn.text]
        begins_s, ends_s = (self._started_at_s + at_s for at_s in self._voice)
        hypothesis = self._recognizer.final
        return Result(
            clip=self._clip,
            heard=spliced(*(turn.text for turn in turns)),
            language=hypothesis.language if hypothesis and turns else None,
            compute_ms=hypothesis.compute_ms if hypothesis and turns else None,
            first_partial_ms=_since_ms(begins_s, turns[0].first_words_at_s) if turns else None,
            final_ms=_since_ms(ends_s, turns[-1].final_at_s) if turns else None,
            turn_end_ms=_since_ms(ends_s, turns[-1].ended_at_s) if turns else None,
            turns=len(turns),
            cpu_s=turns[-1].ended_cpu_s - self._started_cpu_s if turns else 0.0,
            spoken_s=turns[-1].ended_at_s - begins_s if turns else 0.0,
        )


def _since_ms(start_s: float, end_s: float | None) -> float | None:
    return None if end_s is None else 1_000 * (end_s - start_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Naive:
    final_ms: float
    errors: WordErrors


class PlainWay:
    """Waits for silence, then transcribes the whole utterance."""

    def __init__(self, whisper: PlainWhisper) -> None:
        self._whisper = whisper

    async def run(self, clip: Clip, samples: Pcm) -> Naive:
        _, last = voiced_part(samples)
        silence = np.zeros(_NAIVE_SILENCE_MS * _RATE_HZ // 1_000, np.int16)
        said = np.concatenate([samples[:last], silence])
        started_at_s = time.perf_counter()
        text = await asyncio.to_thread(self._whisper.transcribe, said)
        compute_ms = 1_000 * (time.perf_counter() - started_at_s)
        errors = word_errors(clip.transcript, text) if clip.transcript else WordErrors()
        return Naive(final_ms=_NAIVE_SILENCE_MS + compute_ms, errors=errors)


def _plain(config: Config, store: ModelStore) -> PlainWhisper:
    ears = config.ears
    return PlainWhisper(
        store.folder(ears.model),
        threads=ears.threads,
        language=None if ears.language == "auto" else ears.language,
    )


def summarise(results: list[Result], naive: list[Naive]) -> Report:
    spoken = [result for result in results if not result.clip.is_noise]
    cpu_s, spoken_s = sum(r.cpu_s for r in spoken), sum(r.spoken_s for r in spoken)
    report: Report = {
        "wer": _pooled(result.errors for result in spoken),
        "wer_by_language": {
            language: _pooled(r.errors for r in spoken if r.clip.language == language)
            for language in sorted({result.clip.language for result in spoken})
        },
        "first_partial_ms": spread(_known(result.first_partial_ms for result in spoken)),
        "final_ms": spread(_known(result.final_ms for result in spoken)),
        "turn_end_ms": spread(_known(result.turn_end_ms for result in spoken)),
        "false_turns": sum(result.turns for result in results if result.clip.is_noise),
        "cut_offs": sum(max(result.turns - 1, 0) for result in spoken),
        "missed": sum(result.turns == 0 for result in spoken),
        "wrong_language": sum(r.language not in (None, r.clip.language) for r in spoken),
        "cpu_share": cpu_s / spoken_s if spoken_s else None,
        "clips": [result.as_json() for result in results],
    }
    if naive:
        plain_ms = spread([each.final_ms for each in naive])
        report["naive"] = {"final_ms": plain_ms, "wer": _pooled(each.errors for each in naive)}
        ours, plain = report["final_ms"]["p50"], plain_ms["p50"]
        report["final_ratio"] = ours / plain if ours and plain else None
    return report


def _pooled(errors: Iterable[WordErrors]) -> float | None:
    return sum(errors, WordErrors()).rate


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _print(report: Report, results: list[Result]) -> None:
    print_table(
        "each clip",
        ("clip", "errors", "words", "first partial", "final", "end of turn", "turns", "CPU %"),
        [
            (
                result.clip.file.name,
                result.errors.errors,
                result.errors.words,
                result.first_partial_ms,
                result.final_ms,
                result.turn_end_ms,
                result.turns,
                100 * result.cpu_s / result.spoken_s if result.spoken_s else None,
            )
            for result in results
        ],
    )
    waits = {
        "first partial": report["first_partial_ms"],
        "final": report["final_ms"],
        "end of turn": report["turn_end_ms"],
    }
    if "naive" in report:
        waits["naive final"] = report["naive"]["final_ms"]
    print_table(
        "in all",
        ("wait", "p50 ms", "p95 ms", "p99 ms"),
        [(name, *values.values()) for name, values in waits.items()],
    )
    told = [
        f"WER {_percent(report['wer'])}",
        *(f"{language}: {_percent(wer)}" for language, wer in report["wer_by_language"].items()),
        f"false turns {report['false_turns']}",
        f"cut-offs {report['cut_offs']}",
        f"missed {report['missed']}",
        f"wrong language {report['wrong_language']}",
        f"CPU {_percent(report['cpu_share'])} of a core",
    ]
    if "naive" in report:
        told += [
            f"naive WER {_percent(report['naive']['wer'])}",
            f"final over naive {report['final_ratio']:.2f}",
        ]
    console.print(", ".join(told), markup=False)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
