"""Order without waiting: loss, reordering, duplicates and the wrap-around."""

from __future__ import annotations

import pytest

from assistant.transport.jitter import PATIENT_FOR, LowDelayBuffer, signed_distance

TABLE: list[tuple[str, list[int], list[list[int]]]] = [
    ("in order", [1, 2, 3], [[1], [2], [3]]),
    ("swapped", [1, 3, 2, 4], [[1], [], [2, 3], [4]]),
    ("first packets swapped: the earlier one is late", [2, 1, 3], [[2], [], [3]]),
    ("one lost", [1, 3, 4, 5, 6], [[1], [], [], [3, 4, 5], [6]]),
    ("two lost", [1, 4, 5, 6], [[1], [], [], [4, 5, 6]]),
    ("two holes", [1, 3, 5, 6, 7, 8], [[1], [], [], [3], [5, 6, 7], [8]]),
    ("comes after it was given up", [1, 3, 4, 5, 2, 6], [[1], [], [], [3, 4, 5], [], [6]]),
    ("twice, at once", [1, 1, 2], [[1], [], [2]]),
    ("twice, while waiting", [1, 3, 3, 2], [[1], [], [], [2, 3]]),
    ("wraps around", [65_534, 65_535, 0, 1], [[65_534], [65_535], [0], [1]]),
    ("swapped at the wrap", [65_534, 0, 65_535, 1], [[65_534], [], [65_535, 0], [1]]),
    ("lost at the wrap", [65_534, 0, 1, 2], [[65_534], [], [], [0, 1, 2]]),
    ("a long gap", [1, 90, 91, 92], [[1], [], [], [90, 91, 92]]),
    ("a jump ahead starts anew", [1, 5_000, 5_001], [[1], [5_000], [5_001]]),
    ("a jump back starts anew", [5_000, 1, 2], [[5_000], [1], [2]]),
    ("starting anew drops what waited", [1, 3, 5_000, 2], [[1], [], [5_000], [2]]),
]


@pytest.mark.parametrize(
    ("arriving", "ready"),
    [(arriving, ready) for _, arriving, ready in TABLE],
    ids=[name for name, _, _ in TABLE],
)
def test_what_is_ready_after_each_packet(arriving: list[int], ready: list[list[int]]) -> None:
    buffer: LowDelayBuffer[int] = LowDelayBuffer()
    assert [buffer.push(number, number) for number in arriving] == ready


def test_delay_does_not_stay_after_a_loss() -> None:
    buffer: LowDelayBuffer[int] = LowDelayBuffer()
    for number in (0, 2, 3, 4):
        buffer.push(number, number)
    assert [buffer.push(number, number) for number in range(5, 50)] == [[n] for n in range(5, 50)]


def test_never_more_waits_than_may() -> None:
    buffer: LowDelayBuffer[int] = LowDelayBuffer()
    handed_over = sum(len(buffer.push(number, number)) for number in range(0, 200, 2))
    assert handed_over >= 100 - 2


def test_a_line_that_mixes_packets_up_is_waited_for_longer_and_not_for_ever() -> None:
    buffer: LowDelayBuffer[int] = LowDelayBuffer()
    for number in (1, 3, 4, 5, 2):  # 2 was given up, and came
        buffer.push(number, number)
    assert [buffer.push(number, number) for number in (7, 8, 9, 6)] == [[], [], [], [6, 7, 8, 9]]
    for number in range(10, 10 + PATIENT_FOR):
        buffer.push(number, number)
    after = 10 + PATIENT_FOR
    late = [buffer.push(after + n, n) for n in (1, 2, 3, 0)]
    assert late == [[], [], [1, 2, 3], []]


def test_what_waits_for_a_hole_can_be_had_at_once() -> None:
    buffer: LowDelayBuffer[int] = LowDelayBuffer()
    assert buffer.flush() == []
    for number in (1, 3, 5):
        buffer.push(number, number)
    assert buffer.flush() == [3, 5]
    assert buffer.push(6, 6) == [6]


@pytest.mark.parametrize(
    ("start", "end", "bits", "distance"),
    [
        (1, 3, 16, 2),
        (3, 1, 16, -2),
        (65_535, 1, 16, 2),
        (1, 65_535, 16, -2),
        (2**32 - 960, 960, 32, 1_920),
        (960, 2**32 - 960, 32, -1_920),
    ],
)
def test_numbers_lie_on_a_circle(start: int, end: int, bits: int, distance: int) -> None:
    assert signed_distance(start, end, bits) == distance
