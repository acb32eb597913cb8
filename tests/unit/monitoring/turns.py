"""Turns that are over, for those who look back on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assistant.budget import Overrun, Stage
from assistant.events import Degraded, LedgerLine, ReplyStatus
from assistant.records import TurnRecord
from assistant.shortfalls import Shortfall
from assistant.types import ReplyStats

_LINES = (
    ("pause", 130.0),
    ("asr", 110.0),
    ("queue", 10.0),
    ("prefill", 140.0),
    ("first phrase", 250.0),
    ("tts", 60.0),
    ("end of turn", 0.0),
    ("pacing", 20.0),
    ("network and playout", 80.0),
)


def lines(*durations: tuple[str, float]) -> tuple[LedgerLine, ...]:
    """Lines that follow one another from the end of speech."""
    made = list[LedgerLine]()
    start_ms = 0.0
    for name, duration_ms in durations:
        made.append(
            LedgerLine(name=name, start_ms=start_ms, duration_ms=duration_ms, overlapped=False)
        )
        start_ms += duration_ms
    return tuple(made)


GOOD = TurnRecord(
    session_id="5a1e",
    turn_id="turn_1",
    status=ReplyStatus.COMPLETED,
    was_typed=False,
    voice_to_voice_ms=800.0,
    lines=lines(*_LINES),
    overruns=(),
    degraded=(),
    stats=ReplyStats(
        prompt_tokens=620,
        cached_tokens=600,
        reply_tokens=24,
        queue_ms=10.0,
        prefill_ms=130.0,
        ttft_ms=150.0,
        tpot_ms=36.0,
        drafted_tokens=12,
        accepted_tokens=9,
    ),
    had_filler=False,
    speech_s=2.5,
    ended_at=1_000.0,
)
"""800 ms, well within the promise."""

TYPED = replace(GOOD, turn_id="turn_2", was_typed=True, voice_to_voice_ms=None, lines=())

INTERRUPTED = replace(GOOD, turn_id="turn_3", status=ReplyStatus.CANCELLED)

APOLOGISED = replace(
    GOOD,
    turn_id="turn_4",
    status=ReplyStatus.FAILED,
    degraded=(Degraded(stage="brain", code=Shortfall.DIED, reason="the brain engine died"),),
    stats=None,
)

LATE = replace(
    GOOD,
    turn_id="turn_5",
    voice_to_voice_ms=1_900.0,
    lines=lines(*(_LINES[:4]), ("first phrase", 1_350.0), *_LINES[5:]),
    overruns=(Overrun(stage=Stage.FIRST_PHRASE, late_ms=900.0),),
    degraded=(
        Degraded(stage="brain", code=Shortfall.ACKNOWLEDGED, reason="the answer takes a moment"),
        Degraded(stage="first_phrase", code=Shortfall.NO_DRAFT, reason="drafting is off"),
    ),
    had_filler=True,
)


def waiting(ms: float, **changes: Any) -> TurnRecord:
    """A turn that took `ms`, all of it in the first phrase."""
    return replace(GOOD, voice_to_voice_ms=ms, lines=lines(("first phrase", ms)), **changes)
