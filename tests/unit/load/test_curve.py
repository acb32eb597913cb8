"""How many callers are too many."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.load.curve import level, most_within, steps


def _turn(wait_ms: float | None, status: str = "completed") -> dict[str, Any]:
    return {
        "status": status,
        "first_sound_ms": wait_ms,
        "wait_ms": wait_ms,
        "lines": [
            {"name": "pause", "duration_ms": 100.0, "overlapped": False},
            {"name": "end of turn", "duration_ms": 300.0, "overlapped": True},
        ],
    }


@pytest.mark.parametrize(
    ("most", "expected"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])]
)
def test_callers_double_until_the_most(most: int, expected: list[int]) -> None:
    assert steps(most) == expected


def test_a_level_tells_waits_failures_and_stages() -> None:
    told = level(2, [_turn(900), _turn(1_100), _turn(None, "unanswered")], promise_ms=1_000)
    assert (told["n"], told["failures"]) == (3, 1)
    assert told["within_promise"] == pytest.approx(1 / 3)
    assert told["wait_ms"]["p95"] == 1_100
    assert told["stages"]["endpointing"]["p50"] == 100
    assert told["stages"]["end_of_turn"]["p50"] == 0


@pytest.mark.parametrize(
    ("p95s", "expected"),
    [
        ({1: 900, 2: 950, 4: 1_400}, 2),
        ({1: 1_200, 2: 900}, 0),  # what more of them had by chance says nothing
        ({1: 900, 2: 1_000, 4: 1_000}, 4),
    ],
)
def test_the_most_callers_are_those_before_the_promise_breaks(
    p95s: dict[int, float], expected: int
) -> None:
    levels = [level(n, [_turn(ms)], promise_ms=1_000) for n, ms in p95s.items()]
    assert most_within(levels, promise_ms=1_000) == expected


def test_whoever_is_left_without_an_answer_breaks_the_promise() -> None:
    levels = [level(1, [_turn(900)], promise_ms=1_000)]
    levels.append(level(2, [_turn(900), _turn(None, "failed")], promise_ms=1_000))
    assert most_within(levels, promise_ms=1_000) == 1
