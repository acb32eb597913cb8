"""Timers of one person: they say when they are over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

MOST = 20
"""At once, for one person."""

_LONGEST_S = 24 * 3_600


@dataclass(slots=True)
class Timers:
    """Gone when nobody reads the notices any more."""

    language: Callable[[], str] = lambda: "en"
    _running: dict[str, asyncio.TimerHandle] = field(default_factory=dict)
    _over: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    """What is to be said; as many as there are timers, at most."""

    async def notices(self) -> AsyncIterator[str]:
        """What is to be said of timers that are over, each when it is."""
        try:
            while True:
                yield await self._over.get()
        finally:
            self.clear()

    def set_timer(self, seconds: float, name: str = "") -> str:
        """Set a timer that says when so many seconds are over."""
        if not 0 < seconds <= _LONGEST_S:
            raise ValueError("a timer runs for at most a day")
        told = _told(seconds)
        name = name.strip() or told
        if len(self._running) >= MOST and name not in self._running:
            raise ValueError("there are too many timers already")
        if name in self._running:
            self._running.pop(name).cancel()
        loop = asyncio.get_running_loop()
        self._running[name] = loop.call_later(seconds, self._ring, name)
        return f"A timer of {told} is set{'' if name == told else f' for {name}'}."

    def list_timers(self) -> str:
        """Say which timers are running and how long they still have."""
        now_s = asyncio.get_running_loop().time()
        left = (
            f"{name}: {_told(each.when() - now_s)} left" for name, each in self._running.items()
        )
        return "; ".join(left) or "no timer is running"

    def cancel_timer(self, name: str = "") -> str:
        """Cancel the timer of that name, or all of them."""
        wanted = [each for each in self._running if not name or name.casefold() in each.casefold()]
        if not wanted:
            raise ValueError(f"there is no timer {name}".strip())
        for each in wanted:
            self._running.pop(each).cancel()
        return f"cancelled: {', '.join(wanted)}"

    def clear(self) -> None:
        for each in self._running.values():
            each.cancel()
        self._running.clear()

    def _ring(self, name: str) -> None:
        del self._running[name]
        chinese = self.language() == "zh"
        self._over.put_nowait(f"时间到：{name}。" if chinese else f"Your timer is over: {name}.")


def _told(seconds: float) -> str:
    whole = max(1, round(seconds))
    parts = ((whole // 3_600, "hour"), (whole // 60 % 60, "minute"), (whole % 60, "second"))
    return " ".join(f"{n} {unit}{'s' if n > 1 else ''}" for n, unit in parts if n)
