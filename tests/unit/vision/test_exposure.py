from __future__ import annotations

import numpy as np
import pytest

from assistant.vision.exposure import Focus, Light, focus, light
from assistant.vision.framing import Pixels
from tests.unit.vision.pictures import blurred, noisy, plain, sign


def dimmed(picture: Pixels, share: float) -> Pixels:
    return (picture * share).astype(np.uint8)


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        (plain((0, 0, 0)), Light.BLACK),
        (noisy(plain((4, 4, 4)), 3), Light.BLACK),
        (dimmed(sign("DARK"), 0.2), Light.DARK),
        (sign("LIGHT"), Light.ENOUGH),
        (plain((20, 40, 200)), Light.ENOUGH),
        (plain((0, 0, 0, 0)[:3], 1, 1), Light.BLACK),
    ],
)
def test_light(picture: Pixels, expected: Light) -> None:
    assert light(picture) is expected


def test_a_lamp_lit_thing_before_a_dark_wall_is_enough() -> None:
    picture = plain((5, 5, 5))
    picture[100:300, 200:400] = 180
    assert light(picture) is Light.ENOUGH


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        (sign("SHARP", scale=3), Focus.SHARP),
        (noisy(sign("SHARP", scale=3), 4), Focus.SHARP),
        (blurred(sign("BLURRED", scale=3), 6), Focus.BLURRED),
        (noisy(blurred(sign("BLURRED", scale=3), 6), 4), Focus.BLURRED),
        (noisy(plain((90, 120, 90)), 4), Focus.PLAIN),
        (plain((200, 0, 0), 1, 1), Focus.PLAIN),
    ],
)
def test_focus(picture: Pixels, expected: Focus) -> None:
    assert focus(picture) is expected
