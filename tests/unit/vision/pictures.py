"""Pictures that are drawn, so that their truth is known."""

from __future__ import annotations

import cv2
import numpy as np

from assistant.vision.framing import Pixels


def plain(colour: tuple[int, int, int], width: int = 640, height: int = 480) -> Pixels:
    return np.full((height, width, 3), colour, np.uint8)


def sign(*lines: str, scale: float = 1.5) -> Pixels:
    """Black on white, one line below the other."""
    picture = plain((255, 255, 255))
    for i, line in enumerate(lines):
        place = (40, 90 + round(45 * scale) * i)
        cv2.putText(picture, line, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0), 3)
    return picture


def noisy(picture: Pixels, deviation: float, seed: int = 0) -> Pixels:
    noise = np.random.default_rng(seed).normal(0, deviation, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def coded(picture: Pixels, quality: int) -> Pixels:
    """As a JPEG gives it back."""
    _, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def blurred(picture: Pixels, deviation_px: float) -> Pixels:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), deviation_px), np.uint8)
