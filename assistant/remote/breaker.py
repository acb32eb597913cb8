"""Pure: a circuit breaker. Who has just failed is left alone for a while."""

from __future__ import annotations

from dataclasses import dataclass

OPENS_AFTER = 3
"""Failures in a row."""

OPEN_S = 30.0
LONGEST_OPEN_S = 600.0
"""Each probe that fails doubles the wait, up to this."""


@dataclass(slots=True)
class Breaker:
    """Closed: everything goes through. Open: nothing does, until one probe may. Times are of one
    monotonic clock, in seconds."""

    n_failures: int = 0
    """In a row."""

    closed_again_at_s: float | None = None
    """When a probe may go through; None while closed."""

    _open_s: float = OPEN_S
    _is_probing: bool = False

    def admit(self, now_s: float) -> bool:
        """Whether a request may go out; then `succeeded`, `failed` or `abandoned` follows."""
        if self.closed_again_at_s is None:
            return True
        if self._is_probing or now_s < self.closed_again_at_s:
            return False
        self._is_probing = True
        return True

    def succeeded(self) -> None:
        self.n_failures, self.closed_again_at_s = 0, None
        self._open_s, self._is_probing = OPEN_S, False

    def failed(self, now_s: float, *, at_once: bool = False, wait_s: float = 0.0) -> None:
        """`at_once`: trying again is pointless, as with a wrong key. `wait_s`: as it was asked."""
        self.n_failures += 1
        if not (self._is_probing or at_once or wait_s or self.n_failures >= OPENS_AFTER):
            return
        if self._is_probing:
            self._open_s = min(2 * self._open_s, LONGEST_OPEN_S)
        self._is_probing = False
        self.closed_again_at_s = now_s + min(max(self._open_s, wait_s), LONGEST_OPEN_S)

    def abandoned(self) -> None:
        """The asker went away before the outcome was known."""
        self._is_probing = False
