"""Picture files and the camera's video to pixels."""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Callable
from fractions import Fraction
from typing import cast

import av
import numpy as np
import pytest
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import VideoFrame

from assistant.errors import ProtocolError
from assistant.transport.pictures import decode, watch
from assistant.vision.camera import NewestFrame
from tests import virtual_time
from tests.unit.transport.webrtc_client import Sight
from tests.unit.vision.pictures import CMYK_RED


def picture(level: int = 100, *, width: int = 32) -> VideoFrame:
    return VideoFrame.from_ndarray(np.full((16, width, 3), level, np.uint8), format="rgb24")


def encode(codec: str, pixel_format: str, frame: VideoFrame | None = None) -> bytes:
    encoder = cast(av.VideoCodecContext, av.CodecContext.create(codec, "w"))
    encoder.width, encoder.height, encoder.pix_fmt = 32, 16, pixel_format
    encoder.time_base = Fraction(1, 25)
    frame = (frame or picture()).reformat(format=pixel_format)
    return b"".join(bytes(packet) for packet in [*encoder.encode(frame), *encoder.encode(None)])


def turned(orientation: int) -> bytes:
    """The part of a JPEG file that says how the camera was held (EXIF)."""
    tiff = b"MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 0x112, 3, 1, orientation, 0, 0)
    return b"\xff\xe1" + struct.pack(">H", len(tiff) + 8) + b"Exif\0\0" + tiff


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


def test_an_exif_block_that_is_cut_off_leaves_the_picture_as_it_is() -> None:
    cut_off = b"\xff\xe1\x00\x0eExif\0\0MM\0*\xff\xff"
    assert decode(JPEG[:2] + cut_off + JPEG[2:]).pixels.shape == (16, 32, 3)


@pytest.mark.parametrize(
    ("orientation", "white"),
    [
        (1, (0, 0)),
        (2, (0, 31)),
        (3, (15, 31)),
        (4, (15, 0)),
        (5, (0, 0)),
        (6, (0, 15)),
        (7, (31, 15)),
        (8, (31, 0)),
    ],
)
def test_a_photo_that_was_taken_sideways_is_turned_upright(
    orientation: int, white: tuple[int, int]
) -> None:
    pixels = np.zeros((16, 32, 3), np.uint8)
    pixels[:8, :8] = 255
    jpeg = encode("mjpeg", "yuvj420p", VideoFrame.from_ndarray(pixels, format="rgb24"))
    upright = decode(jpeg[:2] + turned(orientation) + jpeg[2:]).pixels
    assert upright.shape == ((16, 32, 3) if orientation < 5 else (32, 16, 3))
    assert upright[white].min() > 200
    assert upright.mean() < 80


def test_what_is_transparent_becomes_white() -> None:
    clear = VideoFrame.from_ndarray(np.zeros((16, 32, 4), np.uint8), format="rgba")
    assert decode(encode("png", "rgba", clear)).pixels.min() == 255


def test_four_ink_colours_become_rgb() -> None:
    red, green, blue = decode(CMYK_RED).pixels[8, 16]
    assert red > 190
    assert max(green, blue) < 40


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


class CameraVideo(MediaStreamTrack):
    """Thirty frames a second; each tenth is black."""

    kind = "video"

    def __init__(self, length_s: float) -> None:
        super().__init__()
        self._n_frames = round(30 * length_s)
        self._n_read = 0

    async def recv(self) -> VideoFrame:
        self._n_read += 1
        if self._n_read > self._n_frames:
            raise MediaStreamError
        await asyncio.sleep(1 / 30)
        return _BLACK if self._n_read % 10 == 0 else _GREY


_BLACK, _GREY = picture(0), picture()


def test_after_ten_minutes_of_thirty_frames_a_second_the_frame_that_is_used_is_fresh() -> None:
    async def main(clock: Callable[[], float]) -> list[float]:
        camera = NewestFrame(newest_within_ms=2_000, clock=clock)
        watching = asyncio.create_task(watch(CameraVideo(600), camera, clock))
        await asyncio.sleep(1)
        ages_ms = []
        while not watching.done():
            frame = camera.pick()
            assert frame is not None
            ages_ms.append(1_000 * (clock() - frame.captured_at_s))
            await asyncio.sleep(1.37)
        return ages_ms

    ages_ms = virtual_time.run(main)
    assert len(ages_ms) > 400
    assert max(ages_ms) <= 300


async def test_watching_can_be_cancelled() -> None:
    watching = asyncio.create_task(watch(ScriptedVideo([]), Sight()))
    await asyncio.sleep(0)
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
