from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant.vision.framing import Pixels, resize
from assistant.vision.glance import glance
from assistant.vision.image_file import read_image
from tests.unit.vision.pictures import blurred, coded, noisy, plain, sign

PICTURES = Path(__file__).parents[2] / "data" / "pictures"
CAT, CUP = (
    resize(read_image(PICTURES / f"{name}.jpg").pixels, 960, 640) for name in ("chelsea", "coffee")
)
SIGN = sign("OPEN DAILY", "9 AM TO 6 PM")


def held_into(picture: Pixels, share: float) -> Pixels:
    """With a thing in it that is `share` of its height high."""
    height = round(640 * share)
    thing = resize(CUP[100:540, 250:690], height, height)
    changed = picture.copy()
    changed[300 : 300 + height, 320 : 320 + height] = thing
    return changed


@pytest.mark.parametrize(
    ("before", "now", "is_other"),
    [
        (CAT, noisy(CAT, 6), False),
        (CAT, coded(CAT, 50), False),
        (CAT, np.clip(CAT * 1.15, 0, 255).astype(np.uint8), False),
        (CAT[:, 16:], CAT[:, :-16], False),
        (SIGN[:, 8:], SIGN[:, :-8], False),
        (CAT, CUP, True),
        (CAT, held_into(CAT, 0.25), True),
        (held_into(CAT, 0.25), CAT, True),
        (SIGN, plain((255, 255, 255)), True),
        (CAT[:, 120:], CAT[:, :-120], True),
        (CAT, CAT[:500], True),
    ],
)
def test_other_things_are_told_from_noise_light_and_a_shaking_hand(
    before: Pixels, now: Pixels, is_other: bool
) -> None:
    assert glance(before).differs_from(glance(now)) is is_other


@pytest.mark.parametrize("picture", [CAT, CUP, SIGN])
def test_blur_makes_it_less_sharp(picture: Pixels) -> None:
    sharp, soft, very_soft = (
        glance(noisy(each, 2)).sharpness
        for each in (picture, blurred(picture, 2), blurred(picture, 6))
    )
    assert 0.7 * sharp > soft > very_soft


@pytest.mark.parametrize(
    ("picture", "is_black"),
    [
        (plain((0, 0, 0)), True),
        (noisy(plain((8, 8, 8)), 4), True),
        (CAT // 25, True),
        (CAT // 3, False),
        (plain((0, 0, 90)), False),
    ],
)
def test_black_is_what_nobody_can_make_anything_of(picture: Pixels, is_black: bool) -> None:
    assert glance(picture).is_black is is_black
