"""The camera, as far as the conversation is concerned: a good picture of what it shows now."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from assistant.types import ImageFrame
from assistant.vision.glance import Glance, glance

_KEPT_FRAMES = 3
"""A hand over the lens or a shake of the camera spoils one or two."""

_AS_SHARP = 0.7
"""A frame is as sharp as another from this share of its sharpness on."""


_FRESH_S = 0.25
"""A frame that came longer ago is not what a question is answered with while the camera goes on. It
is a little older than that: the way to us is not counted."""

_PATIENCE_S = 2.0
"""For a fresh frame: the slowest cameras send one in this time."""


class NewestFrame:
    """Keeps the newest few frames: a slow reader misses frames, never lags behind.

    Lives in the process that moves the media. Which way is up, the sender knows: a browser turns
    the pictures of a phone before it sends them.
    """

    def __init__(
        self, *, newest_within_ms: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`newest_within_ms`: a frame older than this is not what the camera shows now.

        `clock`: seconds, the clock of `ImageFrame.captured_at_s`.
        """
        self._newest_within_s = newest_within_ms / 1_000
        self._clock = clock
        self._kept: tuple[tuple[ImageFrame, Glance], ...] = ()
        """The newest first."""

        self._waiting: set[Callable[[], object]] = set()
        """Called when a frame has come."""

    def put(self, frame: ImageFrame) -> None:
        """The oldest makes way. A frame that was captured before the newest is dropped.

        Takes some 2 ms; from any thread, one at a time.
        """
        if not self._kept or frame.captured_at_s >= self._kept[0][0].captured_at_s:
            self._kept = ((frame, glance(frame.pixels)), *self._kept[: _KEPT_FRAMES - 1])
        for tell in tuple(self._waiting):
            tell()

    async def refreshed(self) -> bool:
        if self._newer_than(_FRESH_S) or not self._newer_than(self._newest_within_s):
            return False
        loop, came = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(came.set)

        self._waiting.add(tell)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await came.wait()
        except TimeoutError:
            return False
        finally:
            self._waiting.remove(tell)
        return True

    def pick(self, *, unlike: ImageFrame | None = None) -> ImageFrame | None:
        """The newest frame; or a fresh one before it that is not black or shows the same sharper.

        None when no frame has come for a while, or when the newest shows the same as `unlike`.
        """
        recent = self._newer_than(_FRESH_S) or self._newer_than(self._newest_within_s)[:1]
        lit = [kept for kept in recent if not kept[1].is_black] or recent
        if not lit:
            return None
        newest = lit[0][1]
        if unlike is not None and not newest.differs_from(glance(unlike.pixels)):
            return None
        same = [kept for kept in lit if kept[1] is newest or not kept[1].differs_from(newest)]
        enough = _AS_SHARP * max(seen.sharpness for _, seen in same)
        return next(frame for frame, seen in same if seen.sharpness >= enough)

    def _newer_than(self, seconds: float) -> list[tuple[ImageFrame, Glance]]:
        oldest_at_s = self._clock() - seconds
        return [kept for kept in self._kept if kept[0].captured_at_s >= oldest_at_s]
