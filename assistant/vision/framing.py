"""Pictures of any shape to the shape that the detectors take, and how much two pictures differ."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.errors import EyesError

Pixels = NDArray[np.uint8]
"""Shape (height, width, 3), RGB."""

_THUMBNAIL_PX = (96, 72)
"""Width, height. One letter of a sign still changes a pixel; camera noise averages out."""


def as_rgb(pixels: NDArray[Any]) -> Pixels:
    """Grey and RGBA pictures as RGB. Raises EyesError for what is no picture."""
    if pixels.dtype != np.uint8 or pixels.size == 0:
        raise EyesError("a picture must have pixels, of 8 bits a channel")
    match pixels.shape:
        case (_, _):
            return np.repeat(pixels[..., np.newaxis], 3, axis=2)
        case (_, _, 1):
            return np.repeat(pixels, 3, axis=2)
        case (_, _, 3):
            return pixels
        case (_, _, 4):  # what is transparent becomes white
            colour, opacity = pixels[..., :3].astype(np.uint16), pixels[..., 3:].astype(np.uint16)
            return ((colour * opacity + 255 * (255 - opacity)) // 255).astype(np.uint8)
    raise EyesError(f"a picture must be grey, RGB or RGBA, not of shape {pixels.shape}")


def fit(pixels: Pixels, max_side_px: int) -> Pixels:
    """Scaled down until neither side is longer than `max_side_px`; never up."""
    height, width = pixels.shape[:2]
    scale = max_side_px / max(height, width)
    if scale >= 1:
        return pixels
    return resize(pixels, max(1, round(width * scale)), max(1, round(height * scale)))


def resize(pixels: Pixels, width: int, height: int) -> Pixels:
    shrinks = width * height < pixels.shape[0] * pixels.shape[1]
    way = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=way), np.uint8)


def as_jpeg(pixels: Pixels, *, quality: int) -> bytes:
    _, encoded = cv2.imencode(
        ".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), (cv2.IMWRITE_JPEG_QUALITY, quality)
    )
    return encoded.tobytes()


def thumbnail(pixels: Pixels) -> Pixels:
    """What is compared when the question is whether the picture has changed."""
    return resize(pixels, *_THUMBNAIL_PX)


def difference(a: Pixels, b: Pixels) -> float:
    """Between two thumbnails, from 0 (the same) to 1: the largest change of any pixel."""
    return float(cv2.norm(a, b, cv2.NORM_INF)) / 255
