"""A picture file as a camera frame."""

from __future__ import annotations

import time
from pathlib import Path

import cv2
import numpy as np

from assistant.errors import EyesError
from assistant.types import ImageFrame
from assistant.vision.framing import fit

_MAX_SIDE_PX = 4_096
"""Nobody looks closer; a photo of 50 megapixels would only be passed around."""


def read_image(path: Path) -> ImageFrame:
    """Read JPEG, PNG, WebP, BMP, TIFF or GIF, the right way up. Raises EyesError."""
    try:
        encoded = np.fromfile(path, np.uint8)
    except OSError as error:
        raise EyesError(f"{path} cannot be read: {error.strerror}") from error
    try:
        picture = cv2.imdecode(encoded, cv2.IMREAD_COLOR_RGB)
    except cv2.error:  # an empty file, or more pixels than OpenCV agrees to
        picture = None
    if picture is None:
        raise EyesError(f"{path} is not a picture that can be shown; JPEG and PNG are")
    pixels = fit(np.asarray(picture, np.uint8), _MAX_SIDE_PX)
    return ImageFrame(pixels=pixels, captured_at_s=time.monotonic())
