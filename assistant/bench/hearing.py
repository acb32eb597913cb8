"""`assistant bench hearing`: recordings played into the microphone in real time.

first partial   first voiced sample to the first words on the screen
final           last voiced sample to the final transcript, on which the answer is begun
end of turn     last voiced sample to the end of the turn, from which the answer is heard
cut-offs        turns that ended before the recording did, each with its pause: who goes on before
                the answer sounds is still asking one question
false turns     turns made of noise
CPU             of one core, recognizer and this process, from the first voice to the turn's end
naive           600 ms of silence, then faster-whisper's own `transcribe`, in this process
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assistant.asr.plain import PlainWhisper
from assistant.asr.vad import new_detector_factory
from assistant.bench.clips import Clip, read_clips, voiced_part
from assistant.bench.report import Report, console, print_table, spread
from assistant.bench.trial import Result, Trial
from assistant.bench.word_errors import WordErrors, word_errors
from assistant.config import Config, EarsConfig
from assistant.engines import WorkerRecognizer, ears_spec
from assistant.errors import AudioFileError, RecognizerError
from assistant.model_store import ModelStore
from assistant.types import Pcm
from assistant.worker import Worker

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
        assert worker.pid is not None
        microphones = new_detector_factory()
        plain = PlainWay(await asyncio.to_thread(_plain, config, store)) if options.naive else None
        for clip in clips:
            samples = clip.read()
            trial = Trial(clip, samples, WorkerRecognizer(worker), worker.pid)
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
        silence = np.zeros(16 * _NAIVE_SILENCE_MS, np.int16)
        said = np.concatenate([samples[:last], silence])
        started_at_s = time.perf_counter()
        text = await asyncio.to_thread(self._whisper.transcribe, said)
        compute_ms = 1_000 * (time.perf_counter() - started_at_s)
        errors = (
            word_errors(clip.transcript, text, clip.language) if clip.transcript else WordErrors()
        )
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
        "cut_offs": sum(len(result.cut_off_pauses_ms) for result in spoken),
        "cut_off_pauses_ms": spread([ms for result in spoken for ms in result.cut_off_pauses_ms]),
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
    if report["cut_offs"]:
        waits["pause at a cut-off"] = report["cut_off_pauses_ms"]
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
