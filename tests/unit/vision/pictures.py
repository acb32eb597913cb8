"""Pictures that are drawn, so that their truth is known."""

from __future__ import annotations

import cv2
import numpy as np

from assistant.vision.framing import Pixels

CMYK_RED = bytes.fromhex(
    """
    ffd8ffee000e41646f626500640000000000ffdb0043000302020302020303030304030304050805050404050a
    070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffc000
    140800100020044311004d11005911004b1100ffc4001f00000105010101010101000000000000000001020304
    05060708090a0bffc400b5100002010303020403050504040000017d0102030004110512213141061351610722
    7114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a4344454647
    48494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2
    a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9ea
    f1f2f3f4f5f6f7f8f9faffda000e0443004d0059004b00003f00fb02bf37ebf37ebf54e8a28a28a28a28a28a28
    a28a28a28a28a28a28a28a2bffd9
    """
)
"""A JPEG of 32 by 16 pixels, as programs for print write them."""


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
