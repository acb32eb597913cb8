"""Pictures from the network to pixels: the camera's video, and files that somebody sends."""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Callable
from typing import Protocol

import av
import numpy as np
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import VideoFrame
from numpy.typing import NDArray

from assistant.errors import ProtocolError
from assistant.stages import Camera
from assistant.transport.items import ItemCreate
from assistant.transport.realtime import ClientEvent
from assistant.types import ImageFrame

FRAME_INTERVAL_S = 0.125
"""From a camera that sends more. With it, even the second newest frame is younger than 0.3 s."""

MAX_PIXELS = 4_096 * 3_072
"""A small file can unpack to gigabytes; FFmpeg refuses before it allocates."""

_ORIENTATION_TAG = 0x0112
_UPRIGHT: dict[int, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]] = {
    2: np.fliplr,
    3: lambda pixels: np.rot90(pixels, 2),
    4: np.flipud,
    5: lambda pixels: pixels.transpose(1, 0, 2),
    6: lambda pixels: np.rot90(pixels, -1),
    7: lambda pixels: np.rot90(pixels, 2).transpose(1, 0, 2),
    8: np.rot90,
}
"""What undoes each of EXIF's orientations (Exif 2.32, 4.6.4 A)."""


class CameraSink(Camera, Protocol):
    """A camera that is told what it sees."""

    def put(self, frame: ImageFrame) -> None:
        """Called on another thread, one frame at a time."""
        ...


async def watch(
    track: MediaStreamTrack, camera: CameraSink, clock: Callable[[], float] = time.monotonic
) -> None:
    """Show `camera` the newest frame now and then, until `track` ends.

    Every frame is read, because aiortc keeps all that are not; most are dropped as they are.
    """
    newest: asyncio.Queue[tuple[VideoFrame, float]] = asyncio.Queue(1)

    def put(frame: VideoFrame, captured_at_s: float) -> None:
        camera.put(_to_image(frame, captured_at_s))

    async def show() -> None:
        while True:
            await asyncio.to_thread(put, *await newest.get())
            await asyncio.sleep(FRAME_INTERVAL_S)

    async with asyncio.TaskGroup() as tasks:
        showing = tasks.create_task(show(), name="camera")
        try:
            while True:
                frame = await track.recv()
                assert isinstance(frame, VideoFrame)
                if newest.full():
                    newest.get_nowait()
                newest.put_nowait((frame, clock()))
        except MediaStreamError:
            showing.cancel()


async def of(event: ClientEvent) -> tuple[ImageFrame, ...]:
    """The pictures that came with an event, decoded on another thread. Raises ProtocolError."""
    if not isinstance(event, ItemCreate):
        return ()
    return tuple([await asyncio.to_thread(decode, image.encoded) for image in event.images])


def decode(encoded: bytes) -> ImageFrame:
    """A whole PNG or JPEG file, the right way up; takes some 20 ms a megapixel.

    What is transparent becomes white. Raises ProtocolError.
    """
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
    image = _to_image(frames[0], time.monotonic())
    turn = _UPRIGHT.get(_orientation(encoded))
    if turn is None:
        return image
    pixels = np.ascontiguousarray(turn(image.pixels))
    return ImageFrame(pixels=pixels, captured_at_s=image.captured_at_s)


def _to_image(frame: VideoFrame, captured_at_s: float) -> ImageFrame:
    if any(component.is_alpha for component in frame.format.components) or frame.format.has_palette:
        rgba = np.asarray(frame.to_ndarray(format="rgba"), np.uint16)
        colour, alpha = rgba[..., :3], rgba[..., 3:]
        pixels = ((colour * alpha + 255 * (255 - alpha)) // 255).astype(np.uint8)
    else:
        pixels = np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
    return ImageFrame(pixels=pixels, captured_at_s=captured_at_s)


def _orientation(jpeg: bytes) -> int:
    """EXIF's orientation, 1 to 8; 1 (as it is) when the file does not say.

    FFmpeg tells turns alone, so that a mirrored picture would end upside down.
    """
    start = jpeg.find(b"Exif\0\0", 0, 1 << 16) + 6
    if start < 6:
        return 1
    order = "<" if jpeg[start : start + 2] == b"II" else ">"
    try:
        (directory,) = struct.unpack_from(f"{order}I", jpeg, start + 4)
        (n_entries,) = struct.unpack_from(f"{order}H", jpeg, start + directory)
        for i in range(n_entries):
            at = start + directory + 2 + 12 * i
            tag, value = struct.unpack_from(f"{order}H6xH", jpeg, at)
            if tag == _ORIENTATION_TAG:
                return int(value)
    except struct.error:  # it is cut off
        pass
    return 1
