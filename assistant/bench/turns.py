"""`assistant bench turns`: spoken questions through the whole pipeline, in real time."""

from __future__ import annotations

import argparse
from pathlib import Path

from assistant.ask import ask
from assistant.audio_file import read_speech
from assistant.bench.clips import spoken_questions
from assistant.bench.report import Report, console, print_table, spread
from assistant.config import Config
from assistant.engines import start_engines
from assistant.rehearsal import Answer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--clips", type=Path, required=True, metavar="DIR", help="WAV files of spoken questions"
    )
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="rounds over all clips")


async def measure(config: Config, options: argparse.Namespace) -> Report:
    """Ask every WAV file of a folder aloud, one conversation each."""
    files = spoken_questions(options.clips) * options.repeat
    answers = list[Answer]()
    async with start_engines(config) as engines:
        await engines.wait_ready()
        for file in files:
            answer = await ask(engines, config, speech=read_speech(file))
            answers.append(answer)
            console.print(f"{file.name}: {_line(answer)}", markup=False)
    report = summarise(answers, promise_ms=config.budget.voice_to_voice_ms)
    rows = {"end of speech to first sound": report["server_ms"], **report["stages"]}
    print_table(
        f"{report['n']} turns, {report['failures']} failed",
        ("stage", "p50 ms", "p95 ms", "p99 ms"),
        [(name, *values.values()) for name, values in rows.items()],
    )
    return report


def _line(answer: Answer) -> str:
    timeline = answer.timeline
    waited_ms = timeline.voice_to_voice_ms if timeline else None
    waited = "no answer" if waited_ms is None else f"{waited_ms:.0f} ms"
    return f"{waited} | {answer.heard} | {answer.answer}"


def summarise(answers: list[Answer], *, promise_ms: float) -> Report:
    timelines = [
        answer.timeline
        for answer in answers
        if answer.timeline and answer.timeline.voice_to_voice_ms is not None and answer.answer
    ]
    waits_ms = [t.voice_to_voice_ms for t in timelines if t.voice_to_voice_ms is not None]
    stages: dict[str, list[float]] = {}
    errors_ms = [0.0]
    for timeline, wait_ms in zip(timelines, waits_ms, strict=True):
        for line in timeline.lines:
            stages.setdefault(line.name, []).append(line.duration_ms)
        path_ms = sum(line.duration_ms for line in timeline.lines if not line.overlapped)
        errors_ms.append(abs(path_ms - wait_ms))
        if timeline.stats is not None:
            stages.setdefault("ttft", []).append(timeline.stats.ttft_ms)
            if timeline.stats.tpot_ms is not None:
                stages.setdefault("tpot", []).append(timeline.stats.tpot_ms)
    return {
        "n": len(answers),
        "failures": len(answers) - len(timelines),
        "server_ms": spread(waits_ms),
        "within_promise": sum(wait <= promise_ms for wait in waits_ms) / max(len(answers), 1),
        "ledger_error_ms_max": max(errors_ms),
        "stages": {name: spread(values) for name, values in stages.items()},
    }
