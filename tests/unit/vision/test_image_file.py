from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.errors import EyesError
from assistant.vision.image_file import read_image
from tests.unit.vision.pictures import CMYK_RED, plain, sign


@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "bmp", "tiff"])
def test_reads_rgb(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"red.{ending}"
    cv2.imwrite(str(path), plain((10, 20, 200), 40, 30))
    frame = read_image(path)
    assert frame.pixels.shape == (30, 40, 3)
    assert np.abs(frame.pixels[15, 20].astype(int) - (200, 20, 10)).max() <= 4


@pytest.mark.parametrize("shape", [(30, 40), (30, 40, 4)])
def test_grey_and_transparent_files_become_rgb(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = tmp_path / "picture.png"
    cv2.imwrite(str(path), np.full(shape, 90, np.uint8))
    assert read_image(path).pixels.shape == (30, 40, 3)


def test_a_photo_that_was_taken_sideways_is_turned_upright(tmp_path: Path) -> None:
    _, jpeg = cv2.imencode(".jpg", plain((0, 0, 0), 40, 30))
    turned = bytes.fromhex(
        "ffe1002245786966 0000 4d4d002a00000008 0001 0112000300000001 00060000 00000000"
    )
    path = tmp_path / "photo.jpg"
    path.write_bytes(jpeg[:2].tobytes() + turned + jpeg[2:].tobytes())
    assert read_image(path).pixels.shape == (40, 30, 3)


def test_what_is_transparent_becomes_white(tmp_path: Path) -> None:
    half_red = np.zeros((30, 40, 4), np.uint8)
    half_red[:, :20] = (0, 0, 200, 255)
    path = tmp_path / "logo.png"
    cv2.imwrite(str(path), half_red)
    pixels = read_image(path).pixels
    assert pixels[15, 5].tolist() == [200, 0, 0]
    assert pixels[15, 35].tolist() == [255, 255, 255]


def test_four_ink_colours_become_rgb(tmp_path: Path) -> None:
    path = tmp_path / "print.jpg"
    path.write_bytes(CMYK_RED)
    red, green, blue = read_image(path).pixels[8, 16]
    assert red > 190
    assert max(green, blue) < 40


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_jpeg_that_is_cut_off_gets_a_sentence(tmp_path: Path, share: float) -> None:
    _, jpeg = cv2.imencode(".jpg", sign("OPEN", "9 to 5"))
    path = tmp_path / "cut.jpg"
    path.write_bytes(jpeg[: round(share * len(jpeg))].tobytes())
    with pytest.raises(EyesError, match=r"cut\.jpg is not a picture"):
        read_image(path)


def test_a_photo_of_many_megapixels_is_scaled_down(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    cv2.imwrite(str(path), np.zeros((6_000, 8_192), np.uint8))
    assert read_image(path).pixels.shape == (3_000, 4_096, 3)


@pytest.mark.parametrize(
    "content", [b"", b"no picture at all", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0 cut off"]
)
def test_a_file_that_is_no_picture_gets_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.jpg"
    path.write_bytes(content)
    with pytest.raises(EyesError, match=r"broken\.jpg is not a picture"):
        read_image(path)


def test_a_file_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(EyesError, match="cannot be read: No such file"):
        read_image(tmp_path / "missing.jpg")
