"""Puts audio packets back in order without making anybody wait. Pure.

A jitter buffer usually waits first and plays later, and grows when the line is bad. Nobody plays
what the microphone sends: a recognizer reads it. So packets are handed over as they arrive, and
only a hole is waited for, briefly.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")

MAX_MISORDER = 100
"""A sequence number further off than this belongs to a new sequence, not to a late packet."""


class LowDelayBuffer(Generic[T]):
    """Reorders by 16-bit RTP sequence numbers (RFC 3550), which wrap around.

    A hole is given up once more than `max_wait` later packets are there; what comes for it after
    that is dropped, as is anything that comes twice.
    """

    def __init__(self, max_wait: int = 2) -> None:
        self._max_wait = max_wait
        self._next: int | None = None
        self._waiting: dict[int, T] = {}

    def push(self, sequence_number: int, item: T) -> list[T]:
        """What has become ready, in order: with nothing lost, just `item`."""
        if self._next is None:
            self._next = sequence_number
        distance = _signed_distance(self._next, sequence_number)
        if abs(distance) > MAX_MISORDER:
            self._waiting.clear()
            self._next = sequence_number
        elif distance < 0:
            return []
        self._waiting[sequence_number] = item
        return self._ready(self._next)

    def _ready(self, next_number: int) -> list[T]:
        ready: list[T] = []
        while next_number in self._waiting or len(self._waiting) > self._max_wait:
            if next_number in self._waiting:
                ready.append(self._waiting.pop(next_number))
            next_number = (next_number + 1) & 0xFFFF
        self._next = next_number
        return ready


def _signed_distance(start: int, end: int) -> int:
    """How far `end` is ahead of `start` on the circle of 16-bit numbers; negative for behind."""
    return ((end - start + 0x8000) & 0xFFFF) - 0x8000
