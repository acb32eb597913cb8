"""The quick look before the real one: is a picture worth it, and does it show something new?

Only NumPy, and only some of the pixels: this runs in the process that moves the media.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Shape (height, width, 3), RGB."""

_BLOCKS = (24, 32)
"""Down and across. Each is the mean of `_SAMPLES` squared pixels, so a camera's noise is gone."""

_SAMPLES = 4
_LINES = 64
"""Rows and columns along which sharpness is judged."""

_BLACK_LEVEL = 25
_OTHER_LEVEL = 20
"""Of 256: by so much is the colour of a block another."""

_MIN_OTHER_BLOCKS = 12
"""Of 768. A cup a fifth as high as the picture changes 15 to 30, a camera that shakes by 2 % of
the width up to 8."""


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """What little is kept of a picture in order to compare it with others."""

    blocks: NDArray[np.float64]
    """Mean colours, shape (*_BLOCKS, 3)."""

    shape: tuple[int, ...]
    is_black: bool
    """Nothing can be made out, not even in the brightest twentieth."""

    sharpness: float
    """The slope of the steepest edges, in levels a pixel: for pictures of the same thing. A blur of
    0.2 % of the picture's width halves it."""

    def differs_from(self, other: Glance) -> bool:
        """Whether something else is shown, in more than a small place.

        A block may look like its neighbours, so that a camera may shake; exposure may change.
        """
        if self.shape != other.shape:
            return True
        ours = self.blocks - np.median(self.blocks - other.blocks, axis=(0, 1))
        n_other = max(_n_other(ours, other.blocks), _n_other(other.blocks, ours))
        return n_other >= _MIN_OTHER_BLOCKS


def glance(pixels: Pixels) -> Glance:
    """Takes some 2 ms, whatever the size."""
    (n_down, n_across), (height, width, _) = _BLOCKS, pixels.shape
    rows, columns = (
        np.arange(n * _SAMPLES) * side // (n * _SAMPLES)
        for n, side in ((n_down, height), (n_across, width))
    )
    points = pixels[rows[:, np.newaxis], columns]
    return Glance(
        blocks=points.reshape(n_down, _SAMPLES, n_across, _SAMPLES, 3).mean(axis=(1, 3)),
        shape=pixels.shape,
        is_black=bool(np.percentile(points.max(axis=2), 95) < _BLACK_LEVEL),
        sharpness=_sharpness(pixels[..., 1].astype(np.int16)),
    )


def _sharpness(grey: NDArray[np.int16]) -> float:
    height, width = grey.shape
    along = np.abs(np.diff(grey[:: max(1, height // _LINES)], axis=1))
    down = np.abs(np.diff(grey[:, :: max(1, width // _LINES)], axis=0))
    slopes = np.concatenate((along.ravel(), down.ravel()))
    return float(np.percentile(slopes, 99.9)) if slopes.size else 0.0


def _n_other(blocks: NDArray[np.float64], others: NDArray[np.float64]) -> int:
    """How many `blocks` have a colour that is not found around the same place of `others`."""
    padded = np.pad(others, ((1, 1), (1, 1), (0, 0)), mode="edge")
    around = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(0, 1))
    low, high = around.min(axis=(-2, -1)), around.max(axis=(-2, -1))
    is_other = (blocks < low - _OTHER_LEVEL) | (blocks > high + _OTHER_LEVEL)
    return int(is_other.any(axis=2).sum())
