from __future__ import annotations

import numpy as np
import pytest

from assistant.vision.objects import Box

LEFT_HALF = Box(left=0, top=0, right=0.5, bottom=1)


@pytest.mark.parametrize(
    ("other", "overlap"),
    [
        (LEFT_HALF, 1.0),
        (Box(left=0.5, top=0, right=1, bottom=1), 0.0),
        (Box(left=0, top=0, right=1, bottom=1), 0.5),
        (Box(left=0.25, top=0, right=0.75, bottom=1), 1 / 3),
        (Box(left=0.9, top=0.9, right=0.9, bottom=0.9), 0.0),
    ],
)
def test_overlap(other: Box, overlap: float) -> None:
    assert LEFT_HALF.overlap(other) == pytest.approx(overlap)
    assert other.overlap(LEFT_HALF) == pytest.approx(overlap)


def test_a_part_of_a_part_is_in_place() -> None:
    middle = Box(left=0.25, top=0.25, right=0.75, bottom=0.75)
    assert middle.part(0.5, 0, 1, 0.5) == Box(left=0.5, top=0.25, right=0.75, bottom=0.5)


@pytest.mark.parametrize(
    ("box", "shape"),
    [
        (LEFT_HALF, (10, 10, 3)),
        (Box(left=0.2, top=0.4, right=0.8, bottom=0.5), (4, 6, 3)),
        (Box(left=1, top=1, right=1, bottom=1), (1, 1, 3)),
        (Box(left=0.5, top=0.5, right=0.5, bottom=0.5), (1, 1, 3)),
    ],
)
def test_a_box_holds_at_least_one_pixel(box: Box, shape: tuple[int, ...]) -> None:
    height = 10
    pixels = np.zeros((height, 2 * height, 3), np.uint8)
    part = pixels[box.within(pixels)]
    assert part.size > 0
    assert part.shape[0] <= height
