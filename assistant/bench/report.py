"""What every benchmark tells: figures, and the circumstances in which they were taken."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
from collections.abc import Callable, Set
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from assistant.config import Config
from assistant.errors import RecordingError
from assistant.loop_lag import percentile

Report = dict[str, Any]
"""JSON: more keys may come, those that are there stay. Times in ms."""

console = Console(stderr=True, highlight=False)

_PACKAGES = ("llama-cpp-python", "faster-whisper", "piper-tts", "aiortc", "onnxruntime")


def spread(values: list[float]) -> dict[str, float | None]:
    """p50, p95 and p99: values that were seen."""
    return {f"p{percent}": percentile(values, percent) for percent in (50, 95, 99)}


def circumstances(config: Config) -> Report:
    """The machine, the versions and the models; the load at the end is added by `finish`."""
    return {
        "load_1min": [os.getloadavg()[0]],
        "cores": os.cpu_count(),
        "versions": {"python": platform.python_version()}
        | {package: version(package) for package in _PACKAGES},
        "models": {
            "recognizer": config.ears.model,
            "brain": config.brain.model,
            "voice": config.voice.model,
        },
    }


def print_table(title: str, headings: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    """Numbers are rounded; None is a dash."""
    table = Table()
    for n, heading in enumerate(headings):
        table.add_column(heading, justify="right" if n else "left")
    for row in rows:
        table.add_row(*map(_cell, row))
    console.print(title, style="italic", markup=False)
    console.print(table)


def finish(report: Report) -> None:
    """Add the load at the end, and tell in which circumstances it was made."""
    report["load_1min"].append(os.getloadavg()[0])
    loads = " to ".join(f"{load:.1f}" for load in report["load_1min"])
    console.print(f"load {loads} on {report['cores']} cores")


def read_report(path: Path, *, keys: Set[str], command: str) -> Report:
    """What a command printed with --json. Raises RecordingError where these keys are not in it."""
    try:
        report: Report = json.loads(path.read_text(encoding="utf-8"))
        if keys <= report.keys():
            return report
    except (OSError, ValueError, AttributeError) as error:
        raise RecordingError(f"{path} cannot be read as a report: {error}") from error
    raise RecordingError(f"{path} is no report; `{command} --json` prints one")


def within(
    kind: Callable[[str], float], least: float, most: float = math.inf
) -> Callable[[str], float]:
    """The type of a command's option: a number in this range."""
    allowed = f"{least:g} or more" if most == math.inf else f"between {least:g} and {most:g}"

    def number(text: str) -> float:
        if not least <= (value := kind(text)) <= most:
            raise argparse.ArgumentTypeError(f"must be {allowed}, not {text}")
        return value

    return number


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case float():
            return f"{value:.0f}" if abs(value) >= 10 else f"{value:.2f}"
        case _:
            return str(value)
