from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.errors import EyesError
from assistant.vision.framing import as_rgb, difference, fit, thumbnail
from tests.unit.vision.pictures import coded, noisy, plain, sign


@pytest.mark.parametrize(
    ("shape", "fitted"),
    [
        ((480, 640, 3), (480, 640, 3)),
        ((1080, 1920, 3), (540, 960, 3)),
        ((1920, 1080, 3), (960, 540, 3)),
        ((1, 1, 3), (1, 1, 3)),
        ((1, 5_000, 3), (1, 960, 3)),
        ((6_000, 8_000, 3), (720, 960, 3)),
    ],
)
def test_fit_only_shrinks(shape: tuple[int, ...], fitted: tuple[int, ...]) -> None:
    assert fit(np.zeros(shape, np.uint8), 960).shape == fitted


def test_what_is_transparent_becomes_white() -> None:
    assert (as_rgb(np.zeros((2, 2, 4), np.uint8)) == 255).all()


@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 1), (3, 4, 3), (3, 4, 4)])
def test_grey_and_transparent_pictures_become_rgb(shape: tuple[int, ...]) -> None:
    pixels = np.full(shape, 7, np.uint8)
    if len(shape) == 3 and shape[-1] == 4:
        pixels[..., 3] = 255
    rgb = as_rgb(pixels)
    assert rgb.shape == (3, 4, 3)
    assert (rgb == 7).all()


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((0, 0, 3), np.uint8),
        np.zeros((4, 0, 3), np.uint8),
        np.zeros(9, np.uint8),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((4, 4, 3), np.float32),
    ],
)
def test_what_is_no_picture_is_refused(pixels: NDArray[Any]) -> None:
    with pytest.raises(EyesError, match="a picture must"):
        as_rgb(pixels)


def test_noise_and_coding_hardly_differ_but_a_letter_does() -> None:
    shown = sign("OPEN DAILY", "9 AM TO 6 PM")
    same = [noisy(shown, 5), coded(shown, 60), coded(noisy(shown, 5), 80)]
    changed = sign("OPEN DAILY", "9 AM TO 8 PM")
    most = max(difference(thumbnail(shown), thumbnail(picture)) for picture in same)
    assert most < 0.08 < difference(thumbnail(shown), thumbnail(changed))


def test_difference_is_a_share() -> None:
    black, white = thumbnail(plain((0, 0, 0))), thumbnail(plain((255, 255, 255)))
    assert difference(black, black) == 0
    assert difference(black, white) == 1
