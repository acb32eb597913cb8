"""`assistant replay`: recorded conversations through the real stages, and how long they wait."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from assistant.bench.report import (
    Report,
    circumstances,
    console,
    finish,
    print_table,
    read_report,
    within,
)
from assistant.config import Config
from assistant.errors import RecordingError
from assistant.recording.trace import Trace, read_trace
from assistant.replay.page import page, rows
from assistant.replay.report import compare, is_slower, summarise
from assistant.replay.run import replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="recordings")
    parser.add_argument(
        "--sessions", type=within(int, 1), default=1, metavar="N", help="so many at a time"
    )
    parser.add_argument(
        "--speed", type=within(float, 0.1), default=1.0, metavar="X", help="times their pace"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the report as a page")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="an earlier run's JSON; 1 if it was faster"
    )


def run(config: Config, options: argparse.Namespace) -> int:
    """The exit status: 1 when a turn had no answer, or the run is slower than the other one.

    Raises RecordingError.
    """
    before = _earlier(options.against) if options.against else None
    traces = [trace for folder in options.folders for trace in _traces(folder)]
    report = circumstances(config) | {"sessions": options.sessions, "speed": options.speed}
    played = asyncio.run(replay(traces, config, sessions=options.sessions, speed=options.speed))
    report |= summarise(played, promise_ms=config.budget.voice_to_voice_ms)
    changes = compare(before, report) if before else None
    report |= {"changes": changes} if changes is not None else {}
    _print(report)
    finish(report)
    if options.html:
        _write(options.html, page(report, changes))
    if options.json:
        print(json.dumps(report, ensure_ascii=False))
    return 1 if report["failures"] or (changes and is_slower(changes)) else 0


def _print(report: Report) -> None:
    print_table(
        f"{report['n']} turns, {len(report['broken'])} of them over the promise of "
        f"{report['promise_ms']:.0f} ms, {report['failures']} without an answer",
        ("stage", "turns", "p50 ms", "p95 ms", "p99 ms"),
        rows(report),
    )
    if it := report["bottleneck"]:
        share = it["cpu_share"]
        busy = "" if share is None else f", {it['process']} used {share:.2f} of a core"
        console.print(
            f"most of the wait: {it['stage']}, {it['mean_ms']:.0f} ms a turn "
            f"({it['share']:.0%}){busy}; {it['queue_ms']:.0f} ms in line"
        )
    for stage, change in report.get("changes", {}).items():
        chance = "" if change["is_real"] else " (may be chance)"
        console.print(f"against the other run: {stage} {change['change_ms']:+.0f} ms{chance}")


def _traces(folder: Path) -> list[Trace]:
    """Of one recording, or of a folder of recordings."""
    if (folder / "session.json").is_file() or not folder.is_dir():
        return [read_trace(folder)]
    found = sorted(path.parent for path in folder.glob("*/session.json"))
    if not found:
        raise RecordingError(f"{folder} holds no recordings; set recording.folder to make some")
    return [read_trace(each) for each in found]


def _earlier(path: Path) -> Report:
    return read_report(path, keys={"turns", "stages"}, command="assistant replay")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RecordingError(f"{path} cannot be written: {error.strerror}") from error
