"""The camera, as far as the conversation is concerned: its newest frame."""

from __future__ import annotations

import time
from collections.abc import Callable

from assistant.types import ImageFrame


class NewestFrame:
    """Keeps one frame, the newest: a slow reader misses frames, never lags behind.

    Lives in the process that moves the media, on its event loop.
    """

    def __init__(
        self, *, newest_within_ms: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`newest_within_ms`: a frame older than this is not what the camera shows now.

        `clock`: seconds, the clock of `ImageFrame.captured_at_s`.
        """
        self._newest_within_ms = newest_within_ms
        self._clock = clock
        self._frame: ImageFrame | None = None

    def put(self, frame: ImageFrame) -> None:
        """Replace what was there, unless `frame` was captured before it."""
        if self._frame is None or frame.captured_at_s >= self._frame.captured_at_s:
            self._frame = frame

    def newest(self) -> ImageFrame | None:
        """None when no frame has come, or none for a while."""
        frame = self._frame
        if frame is None:
            return None
        age_ms = 1_000 * (self._clock() - frame.captured_at_s)
        return frame if age_ms <= self._newest_within_ms else None

    def clear(self) -> None:
        """Forget the picture: the camera was turned off."""
        self._frame = None
