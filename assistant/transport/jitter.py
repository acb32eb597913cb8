"""Puts audio packets back in order without making anybody wait. Pure.

A jitter buffer usually waits first and plays later, and grows when the line is bad. Nobody plays
what the microphone sends: a recognizer reads it. So packets are handed over as they arrive, and
only a hole is waited for, briefly.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")

MAX_MISORDER = 100
"""A sequence number further off than this belongs to a new sequence, not to a late packet."""

SHORT_WAIT, LONG_WAIT = 2, 3
"""Later packets that a hole is waited for: 40 ms, or 60 on a line that is known to mix them up."""

PATIENT_FOR = 500
"""Packets, 10 s of them, for which one that came too late makes us wait longer."""


class LowDelayBuffer(Generic[T]):
    """Reorders by 16-bit RTP sequence numbers (RFC 3550), which wrap around.

    A hole is given up once more than so many later packets are there; what comes for it after that
    is dropped, as is anything that comes twice.
    """

    def __init__(self) -> None:
        self._next: int | None = None
        self._waiting: dict[int, T] = {}
        self._given_up: deque[int] = deque(maxlen=MAX_MISORDER)
        self._patience = 0

    def push(self, sequence_number: int, item: T) -> list[T]:
        """What has become ready, in order: with nothing lost, just `item`."""
        if self._next is None:
            self._next = sequence_number
        self._patience = max(0, self._patience - 1)
        distance = signed_distance(self._next, sequence_number)
        if abs(distance) > MAX_MISORDER:
            self._waiting.clear()
            self._next = sequence_number
        elif distance < 0:
            if sequence_number in self._given_up:
                self._patience = PATIENT_FOR
            return []
        self._waiting[sequence_number] = item
        return self._ready(self._next, LONG_WAIT if self._patience else SHORT_WAIT)

    def flush(self) -> list[T]:
        """All that waits for a hole: nothing will come to fill it."""
        return [] if self._next is None else self._ready(self._next, 0)

    def _ready(self, next_number: int, max_wait: int) -> list[T]:
        ready: list[T] = []
        while next_number in self._waiting or len(self._waiting) > max_wait:
            if next_number in self._waiting:
                ready.append(self._waiting.pop(next_number))
            else:
                self._given_up.append(next_number)
            next_number = (next_number + 1) & 0xFFFF
        self._next = next_number
        return ready


def signed_distance(start: int, end: int, bits: int = 16) -> int:
    """How far `end` is ahead of `start` on the circle of numbers; negative for behind."""
    half = 1 << (bits - 1)
    return ((end - start + half) & (2 * half - 1)) - half
