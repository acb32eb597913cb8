"""Pure: what each number of callers waited, and how many are too many.

A turn: `status`, the protocol's own, or "unanswered"; `first_sound_ms`, last voiced sample at the
microphone to the first audible one at the listener; `wait_ms`, the same to the first words of the
answer, which an acknowledgement is not; the server's `voice_to_voice_ms`, `lines` and `stats`; and
how long was spoken and heard, `speech_s` and `sound_s`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assistant.bench.report import Report, spread
from assistant.monitoring.percentiles import by_stage, stage_of

Turn = dict[str, Any]

THINKING_S = (0.5, 2.5)
"""Of a caller, between an answer's end and the next question."""


def steps(most: int) -> list[int]:
    """1, 2, 4, … and `most`."""
    doubled = [2**i for i in range(most.bit_length()) if 2**i < most]
    return [*doubled, most]


def level(callers: int, turns: Sequence[Turn], *, promise_ms: float) -> Report:
    """The figures of so many callers at once."""
    waits_ms = [turn["wait_ms"] for turn in turns if turn["wait_ms"] is not None]
    stages = by_stage(
        {
            stage_of(line["name"]): 0.0 if line["overlapped"] else line["duration_ms"]
            for line in turn.get("lines", ())
        }
        for turn in turns
    )
    return {
        "callers": callers,
        "n": len(turns),
        "failures": sum(turn["status"] != "completed" for turn in turns),
        "wait_ms": spread(waits_ms),
        "first_sound_ms": spread(
            [turn["first_sound_ms"] for turn in turns if turn["first_sound_ms"] is not None]
        ),
        "within_promise": sum(wait <= promise_ms for wait in waits_ms) / max(len(turns), 1),
        "stages": {stage: spread(values) for stage, values in stages.items()},
        "turns": list(turns),
    }


def most_within(levels: Iterable[Report], *, promise_ms: float) -> int:
    """Callers up to which every level's P95 kept the promise and nobody was left unanswered."""
    most = 0
    for each in sorted(levels, key=lambda each: int(each["callers"])):
        p95_ms = each["wait_ms"]["p95"]
        if each["failures"] or p95_ms is None or p95_ms > promise_ms:
            break
        most = each["callers"]
    return most
