"""A picture file as a camera frame."""

from __future__ import annotations

import time
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.errors import EyesError
from assistant.types import ImageFrame
from assistant.vision.framing import Pixels, as_jpeg, as_rgb, fit

_MAX_SIDE_PX = 4_096
"""Nobody looks closer; a photo of 50 megapixels would only be passed around."""

_QUALITY = 85
_JPEG = b"\xff\xd8"


def read_image(path: Path) -> ImageFrame:
    """Read JPEG, PNG, WebP, BMP, TIFF or GIF, the right way up; transparent places become white.

    Raises EyesError.
    """
    try:
        encoded = np.fromfile(path, np.uint8)
    except OSError as error:
        raise EyesError(f"{path} cannot be read: {error.strerror}") from error
    pixels = _decode(encoded)
    if pixels is None:
        raise EyesError(f"{path} is not a picture that can be shown; JPEG and PNG are")
    return ImageFrame(pixels=fit(pixels, _MAX_SIDE_PX), captured_at_s=time.monotonic())


def write_image(path: Path, pixels: Pixels) -> None:
    """As PNG: what is read again is the same to the bit. Raises OSError."""
    _, encoded = cv2.imencode(".png", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    encoded.tofile(path)


def encode_picture(picture: ImageFrame) -> bytes:
    """As a JPEG: some milliseconds for one that a brain is shown."""
    return as_jpeg(picture.pixels, quality=_QUALITY)


def _decode(encoded: NDArray[np.uint8]) -> Pixels | None:
    try:
        picture = cv2.imdecode(encoded, cv2.IMREAD_COLOR_RGB)
        is_photo = encoded[:2].tobytes() == _JPEG
        whole = None if is_photo else cv2.imdecode(encoded, cv2.IMREAD_UNCHANGED)
    except cv2.error:  # an empty file, or more pixels than OpenCV agrees to
        return None
    if whole is not None and whole.dtype == np.uint8 and whole.shape[2:] == (4,):
        return as_rgb(cv2.cvtColor(whole, cv2.COLOR_BGRA2RGBA))
    return None if picture is None else np.asarray(picture, np.uint8)
