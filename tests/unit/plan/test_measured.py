"""What is read from a load report, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import RecordingError
from assistant.plan.measured import alone, read_load, turn_work

TURN: dict[str, Any] = {
    "status": "completed",
    "speech_s": 2.0,
    "sound_s": 3.0,
    "wait_ms": 800.0,
    "voice_to_voice_ms": 750.0,
    "lines": [
        {"name": "pause", "start_ms": 0, "duration_ms": 130, "overlapped": False},
        {"name": "asr", "start_ms": 130, "duration_ms": 100, "overlapped": False},
        {"name": "queue", "start_ms": 230, "duration_ms": 20, "overlapped": False},
        {"name": "prefill", "start_ms": 250, "duration_ms": 180, "overlapped": False},
        {"name": "first phrase", "start_ms": 430, "duration_ms": 200, "overlapped": False},
        {"name": "tts", "start_ms": 630, "duration_ms": 100, "overlapped": False},
        {"name": "end of turn", "start_ms": 0, "duration_ms": 400, "overlapped": True},
    ],
    "stats": {"reply_tokens": 20, "tpot_ms": 30.0},
}


def _report(n_turns: int) -> dict[str, Any]:
    level = {"callers": 1, "turns": [TURN] * n_turns, "wait_ms": {}}
    return {"levels": [level], "promise_ms": 1_000.0, "cores": 2}


def test_a_turn_becomes_its_work() -> None:
    work = turn_work(TURN)
    assert (work.pause_s, work.asr_s, work.prefill_s) == pytest.approx((0.13, 0.1, 0.2))
    assert work.gate_s == pytest.approx(0.4)
    assert work.rest_s == pytest.approx(0.4)  # 20 tokens of 30 ms, less the first phrase
    assert work.way_s == pytest.approx(0.05)


def test_a_report_is_read(tmp_path: Path) -> None:
    file = tmp_path / "load.json"
    file.write_text(json.dumps(_report(6)))
    assert len(alone(read_load(file))) == 6


def test_few_turns_are_nothing_to_draw_from() -> None:
    with pytest.raises(RecordingError, match="5 are needed"):
        alone(_report(4))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"levels": []}'])
def test_other_files_are_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "load.json"
    file.write_text(text)
    with pytest.raises(RecordingError, match="load"):
        read_load(file)


def test_turns_of_another_version_are_told() -> None:
    report = _report(6)
    report["levels"][0]["turns"] = [{"stats": {"reply_tokens": 1, "tpot_ms": 9}, "lines": []}]
    with pytest.raises(RecordingError, match="turns without"):
        alone(report)
