"""Pictures from the network to pixels: the camera's video, and files that somebody sends."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

import av
import numpy as np
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import VideoFrame

from assistant.errors import ProtocolError
from assistant.stages import Camera
from assistant.types import ImageFrame

FRAME_INTERVAL_S = 0.25
"""Four pictures a second are plenty to answer what the camera shows."""

MAX_PIXELS = 4_096 * 3_072
"""A small file can unpack to gigabytes; FFmpeg refuses before it allocates."""


class CameraSink(Camera, Protocol):
    """A camera that is told what it sees."""

    def put(self, frame: ImageFrame) -> None: ...


async def watch(track: MediaStreamTrack, camera: CameraSink) -> None:
    """Show `camera` the newest frame now and then, until `track` ends.

    Every frame is read, because aiortc keeps all that are not; most are dropped as they are.
    """
    newest: asyncio.Queue[tuple[VideoFrame, float]] = asyncio.Queue(1)

    async def show() -> None:
        while True:
            frame, captured_at_s = await newest.get()
            camera.put(await asyncio.to_thread(_to_image, frame, captured_at_s))
            await asyncio.sleep(FRAME_INTERVAL_S)

    async with asyncio.TaskGroup() as tasks:
        showing = tasks.create_task(show(), name="camera")
        try:
            while True:
                frame = await track.recv()
                assert isinstance(frame, VideoFrame)
                if newest.full():
                    newest.get_nowait()
                newest.put_nowait((frame, time.monotonic()))
        except MediaStreamError:
            showing.cancel()


def decode(encoded: bytes) -> ImageFrame:
    """A whole PNG or JPEG file; takes some 20 ms a megapixel. Raises ProtocolError."""
    if encoded.startswith(b"\x89PNG\r\n\x1a\n"):
        decoder = av.VideoCodecContext.create("png", "r")
    elif encoded.startswith(b"\xff\xd8\xff"):
        decoder = av.VideoCodecContext.create("mjpeg", "r")
    else:
        raise ProtocolError("The image is neither PNG nor JPEG.", code="invalid_image")
    decoder.options = {"max_pixels": str(MAX_PIXELS)}
    try:
        frames = [*decoder.decode(av.Packet(encoded)), *decoder.decode(None)]
    except av.FFmpegError as error:
        raise ProtocolError("The image is damaged or too large.", code="invalid_image") from error
    if not frames:
        raise ProtocolError("The image is damaged.", code="invalid_image")
    return _to_image(frames[0], time.monotonic())


def _to_image(frame: VideoFrame, captured_at_s: float) -> ImageFrame:
    pixels = np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
    return ImageFrame(pixels=pixels, captured_at_s=captured_at_s)
