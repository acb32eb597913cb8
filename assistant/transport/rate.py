"""How many bits a second the outgoing speech gets, by what the listener reports. Pure."""

from __future__ import annotations

MAX_BITS_PER_S = 32_000
"""Speech gains nothing from more."""

MIN_BITS_PER_S = 12_000
"""Below this, redundancy and band width suffer."""

MUCH_LOSS, LITTLE_LOSS = 0.10, 0.02
"""Where loss-based congestion control usually yields, and where it goes up again
(draft-ietf-rmcat-gcc-02, section 6)."""

QUEUEING_S = 0.2
"""A round trip this much longer than the shortest one: packets wait in line for a thin link."""

_LOSS_FADES = 0.7


class Rate:
    """Goes down where packets are lost or wait, and carefully up again."""

    def __init__(self) -> None:
        self.bits_per_s = MAX_BITS_PER_S
        self.loss = 0.0
        """What redundancy should be prepared for, 0 to 1: bad moments are remembered a while."""

        self._shortest_s = float("inf")

    def report(self, *, loss: float, round_trip_s: float | None) -> None:
        """`loss`: the share of packets lost since the last report, 0 to 1."""
        self.loss = max(loss, self.loss * _LOSS_FADES)
        wait_s = 0.0
        if round_trip_s is not None:
            self._shortest_s = min(self._shortest_s, round_trip_s)
            wait_s = round_trip_s - self._shortest_s
        if loss > MUCH_LOSS:
            self._scale(1 - loss / 2)
        elif wait_s > QUEUEING_S:
            self._scale(0.8)
        elif loss < LITTLE_LOSS:
            self._scale(1.08)

    def _scale(self, factor: float) -> None:
        self.bits_per_s = round(min(max(self.bits_per_s * factor, MIN_BITS_PER_S), MAX_BITS_PER_S))
