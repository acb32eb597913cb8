"""How old a frame is when a question is answered with it, from a camera's end to the eyes.

Every frame shows its own number, so the age is the true one: encoding, network, jitter buffer,
decoding and the wait of the frames that are kept are in it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from fractions import Fraction

import numpy as np
import psutil
from aiortc.mediastreams import MediaStreamTrack
from av import VideoFrame

from assistant.bench.receiving import CLEAN, calling, own_end
from assistant.bench.report import Report, spread
from assistant.config import Config
from assistant.gaze import Gaze
from assistant.types import AudioFrame, ImageFrame, Scene
from assistant.vision.camera import NewestFrame

_WIDTH, _HEIGHT = 640, 480
_BITS, _BLOCK_PX = 20, 32
_CLOCK_HZ = 90_000

_WARM_SHARE, _MOST_WARM_S = 0.25, 30.0
"""After so much of the time whatever is kept is there."""

_BETWEEN_S = 1.03
"""From question to question; no multiple of a frame."""


class _Film(MediaStreamTrack):
    """A camera whose every frame shows its number, in blocks of black and white."""

    kind = "video"

    def __init__(self, frames_per_s: float) -> None:
        super().__init__()
        self.shown_at_s = list[float]()
        self._interval_s = 1 / frames_per_s
        self.began_at_s = time.monotonic()
        across = np.linspace(0, 255, _WIDTH).astype(np.uint8)
        self._scene = np.repeat(np.tile(across, (_HEIGHT, 1))[..., np.newaxis], 3, axis=2)

    async def recv(self) -> VideoFrame:
        number = len(self.shown_at_s)
        due_at_s = self.began_at_s + number * self._interval_s
        await asyncio.sleep(due_at_s - time.monotonic())
        bits = [255 * (number >> i & 1) for i in range(_BITS)]
        pixels = self._scene.copy()
        pixels[:_BLOCK_PX] = np.repeat(np.array(bits, np.uint8), _BLOCK_PX)[:, np.newaxis]
        frame = VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts = int(number * self._interval_s * _CLOCK_HZ)
        frame.time_base = Fraction(1, _CLOCK_HZ)
        self.shown_at_s.append(time.monotonic())
        return frame


class _Reader:
    """Eyes that note how old each picture is that they are shown."""

    def __init__(self, film: _Film) -> None:
        self.ages_ms = list[float]()
        self._film = film

    async def look(self, frame: ImageFrame, *, image_side_px: int = 0) -> Scene:
        middles = frame.pixels[_BLOCK_PX // 2, _BLOCK_PX // 2 :: _BLOCK_PX, 0] > 128
        number = sum(int(bit) << i for i, bit in enumerate(middles))
        self.ages_ms.append(1_000 * (time.monotonic() - self._film.shown_at_s[number]))
        return Scene()


async def frame_age(config: Config, *, minutes: float, frames_per_s: float = 30.0) -> Report:
    """Ask again and again while the camera runs."""
    film = _Film(frames_per_s)
    reader = _Reader(film)
    camera = NewestFrame(newest_within_ms=config.eyes.newest_within_ms)
    process = psutil.Process()
    seconds = 60 * minutes
    async with calling(CLEAN, film, own_end(config, camera, _deaf)):
        await asyncio.sleep(min(_WARM_SHARE * seconds, _MOST_WARM_S))
        before = process.memory_info().rss
        while time.monotonic() < film.began_at_s + seconds:
            gaze = _gaze(camera, reader)
            gaze.look()
            await gaze.settled()
            await asyncio.sleep(_BETWEEN_S)
        growth = process.memory_info().rss - before
    return {
        "minutes": minutes,
        "frames": len(film.shown_at_s),
        **spread(reader.ages_ms),
        "max": max(reader.ages_ms),
        "last": reader.ages_ms[-1],
        "rss_growth_mb": growth / 1e6,
    }


def _gaze(camera: NewestFrame, reader: _Reader) -> Gaze:
    """That of one turn."""

    def on_failure(error: Exception) -> None:
        raise error

    return Gaze(
        camera=camera,
        eyes=reader,
        image_side_px=0,
        before=None,
        on_seen=lambda scene: None,
        on_failure=on_failure,
    )


async def _deaf(microphone: AsyncIterator[AudioFrame]) -> None:
    async for _ in microphone:
        pass
