"""What `assistant load --json` measured, as the work of one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.bench.report import Report, read_report
from assistant.errors import RecordingError

_FEWEST = 5
"""Turns of one caller; with less there is nothing to draw from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWork:
    """In seconds, of a caller who was alone."""

    speech_s: float
    pause_s: float
    """Of silence before the transcript is begun."""

    asr_s: float
    vision_s: float
    prefill_s: float
    first_phrase_s: float
    tts_s: float
    """Until the first sound."""

    gate_s: float
    """After the end of speech: when that end was certain."""

    rest_s: float
    """Of writing, after the first phrase."""

    sound_s: float
    """How long the answer is heard."""

    way_s: float
    """From the server's first sample to the listener's."""


def read_load(path: Path) -> Report:
    """Raises RecordingError."""
    keys = {"levels", "promise_ms", "cores"}
    return read_report(path, keys=keys, command="assistant load --ramp")


def alone(report: Report) -> list[TurnWork]:
    """The answered turns of the level with one caller. Raises RecordingError."""
    levels = [level for level in report["levels"] if level["callers"] == 1]
    try:
        works = [
            turn_work(turn) for level in levels for turn in level["turns"] if turn.get("stats")
        ]
    except (KeyError, TypeError) as error:
        raise RecordingError(f"the load report has turns without {error}") from error
    if len(works) < _FEWEST:
        raise RecordingError(
            f"the load report has {len(works)} answered turns of one caller alone; "
            f"{_FEWEST} are needed: `assistant load --ramp --json`"
        )
    return works


def turn_work(turn: Mapping[str, Any]) -> TurnWork:
    """Of one turn as load/curve.py describes it."""
    lines = {line["name"]: line for line in turn["lines"]}
    lasted_s = {name: line["duration_ms"] / 1_000 for name, line in lines.items()}
    gate = lines.get("end of turn", {"start_ms": 0.0, "duration_ms": 0.0})
    stats = turn["stats"]
    writing_s = stats["reply_tokens"] * (stats["tpot_ms"] or 0.0) / 1_000
    first_phrase_s = lasted_s.get("first phrase", 0.0)
    return TurnWork(
        speech_s=turn["speech_s"],
        pause_s=lasted_s.get("pause", 0.0),
        asr_s=lasted_s.get("asr", 0.0),
        vision_s=lasted_s.get("vision", 0.0),
        prefill_s=lasted_s.get("queue", 0.0) + lasted_s.get("prefill", 0.0),
        first_phrase_s=first_phrase_s,
        tts_s=lasted_s.get("tts", 0.0),
        gate_s=(gate["start_ms"] + gate["duration_ms"]) / 1_000,
        rest_s=max(0.0, writing_s - first_phrase_s),
        sound_s=turn["sound_s"],
        way_s=max(0.0, turn["wait_ms"] - turn["voice_to_voice_ms"]) / 1_000,
    )
