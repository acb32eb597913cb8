"""Picture files and the camera's video to pixels."""

from __future__ import annotations

import asyncio
import struct
import zlib
from fractions import Fraction
from typing import cast

import av
import numpy as np
import pytest
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import VideoFrame

from assistant.errors import ProtocolError
from assistant.transport.pictures import decode, watch
from tests.unit.transport.webrtc_client import Sight


def picture(level: int = 100, *, width: int = 32) -> VideoFrame:
    return VideoFrame.from_ndarray(np.full((16, width, 3), level, np.uint8), format="rgb24")


def encode(codec: str, pixel_format: str) -> bytes:
    encoder = cast(av.VideoCodecContext, av.CodecContext.create(codec, "w"))
    encoder.width, encoder.height, encoder.pix_fmt = 32, 16, pixel_format
    encoder.time_base = Fraction(1, 25)
    frame = picture().reformat(format=pixel_format)
    return b"".join(bytes(packet) for packet in [*encoder.encode(frame), *encoder.encode(None)])


PNG = encode("png", "rgb24")
JPEG = encode("mjpeg", "yuvj420p")


@pytest.mark.parametrize("encoded", [PNG, JPEG, encode("png", "gray"), encode("png", "rgba")])
def test_a_file_becomes_pixels(encoded: bytes) -> None:
    frame = decode(encoded)
    assert frame.pixels.shape == (16, 32, 3)
    assert frame.pixels.dtype == np.uint8
    assert frame.pixels.mean() == pytest.approx(100, abs=3)


@pytest.mark.parametrize(
    "encoded", [b"", b"GIF89a", PNG[:20], PNG[: len(PNG) // 2], JPEG[:20], PNG[:8] + bytes(500)]
)
def test_a_damaged_file_is_refused(encoded: bytes) -> None:
    with pytest.raises(ProtocolError) as raised:
        decode(encoded)
    assert raised.value.code == "invalid_image"


def test_a_small_file_with_a_huge_picture_is_refused() -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(bytes(100_000)))
    with pytest.raises(ProtocolError):
        decode(PNG[:8] + header + rows + chunk(b"IEND", b""))


class ScriptedVideo(MediaStreamTrack):
    """Brings these frames one right after another, then ends when it is told to."""

    kind = "video"

    def __init__(self, frames: list[VideoFrame]) -> None:
        super().__init__()
        self._frames = frames
        self.all_read = asyncio.Event()
        self.may_end = asyncio.Event()

    async def recv(self) -> VideoFrame:
        if self._frames:
            return self._frames.pop(0)
        self.all_read.set()
        await self.may_end.wait()
        raise MediaStreamError


async def test_the_camera_is_shown_the_newest_frame_and_the_others_are_dropped() -> None:
    track = ScriptedVideo([picture(level) for level in range(100)])
    camera = Sight()
    watching = asyncio.create_task(watch(track, camera))
    await track.all_read.wait()
    await camera.was_shown.wait()
    track.may_end.set()
    await watching
    assert [int(frame.pixels[0, 0, 0]) for frame in camera.frames] == [99]


async def test_watching_can_be_cancelled() -> None:
    watching = asyncio.create_task(watch(ScriptedVideo([]), Sight()))
    await asyncio.sleep(0)
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
