"""How late the event loop is: the sound stutters when it is busy with something else."""

from __future__ import annotations

import asyncio
import math
from collections import deque

_STEP_S = 0.01
_KEPT = 6_000
"""One minute of steps."""


class LoopLag:
    """Sleeps 10 ms at a time and notes how much longer each sleep took."""

    def __init__(self) -> None:
        self._lags_ms: deque[float] = deque(maxlen=_KEPT)

    async def watch(self) -> None:
        """Run until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due_at_s = loop.time() + _STEP_S
            await asyncio.sleep(_STEP_S)
            self._lags_ms.append(1_000 * (loop.time() - due_at_s))

    def p99_ms(self) -> float:
        """Over the last minute; 0 before the first step."""
        return percentile(list(self._lags_ms), 99) or 0.0


def percentile(values: list[float], percent: float) -> float | None:
    """The nearest-rank percentile: a value that was seen. None of none."""
    if not values:
        return None
    rank = math.ceil(len(values) * percent / 100)
    return sorted(values)[max(rank, 1) - 1]
