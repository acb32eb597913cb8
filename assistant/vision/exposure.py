"""Whether a picture shows enough: light and focus."""

from __future__ import annotations

from enum import StrEnum

import cv2
import numpy as np

from assistant.vision.framing import Pixels, fit

_SIDE_PX = 480
_NOISE = 1
"""What a camera's noise adds to the second derivative of a blurred edge, in levels of 256."""


class Light(StrEnum):
    BLACK = "black"
    """Nothing can be made out."""

    DARK = "dark"
    ENOUGH = "enough"


def light(pixels: Pixels) -> Light:
    """By the brightest twentieth of the picture: a lamp-lit face before a dark wall is enough."""
    bright = np.percentile(fit(pixels, _SIDE_PX).max(axis=2), 95)
    return Light.BLACK if bright < 25 else Light.DARK if bright < 70 else Light.ENOUGH


class Focus(StrEnum):
    PLAIN = "plain"
    """No edges at all."""

    BLURRED = "blurred"
    SHARP = "sharp"


def focus(pixels: Pixels) -> Focus:
    """By the sharpest places: the second derivative against the first.

    Their ratio is 0.7 to 1.6 on sharp pictures and below 0.45 from a blur of about 0.5 % of the
    picture's width.
    """
    grey = cv2.cvtColor(fit(pixels, _SIDE_PX), cv2.COLOR_RGB2GRAY)
    smooth = cv2.GaussianBlur(grey, (3, 3), 0)
    slopes = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    slope = np.percentile(np.hypot(*slopes), 99.5) / 8
    bend = np.percentile(np.abs(cv2.Laplacian(smooth, cv2.CV_32F)), 99.5)
    if slope < 3:
        return Focus.PLAIN
    return Focus.BLURRED if bend < 0.45 * slope + _NOISE else Focus.SHARP
