"""Pixels to the colour words that people use.

Words are decided in OKLCh: lightness 0 to 1, chroma from 0 (grey), hue in degrees
(B. Ottosson, "A perceptual color space for image processing", 2020).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

WORDS = (
    "black",
    "grey",
    "white",
    "brown",
    "beige",
    "red",
    "pink",
    "orange",
    "yellow",
    "green",
    "turquoise",
    "blue",
    "purple",
)
NEUTRAL = ("black", "grey", "white")
SKIN = ("beige", "brown", "pink")

_LEVELS = 32
"""Steps of each channel in the table of words; 256 would make it 16 million entries."""

_LMS_FROM_LINEAR_RGB = np.array(
    (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
)
_LAB_FROM_ROOT_LMS = np.array(
    (
        (0.2104542553, 0.7936177850, -0.0040720468),
        (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660),
    )
)


def colour_shares(pixels: NDArray[np.uint8]) -> dict[str, float]:
    """How much of `pixels`, RGB of shape (..., 3), each colour word covers, most first."""
    red, green, blue = (pixels[..., channel] // (256 // _LEVELS) for channel in range(3))
    counts = np.bincount(_words()[red, green, blue].ravel(), minlength=len(WORDS))
    most_first = np.argsort(-counts, kind="stable")
    return {WORDS[i]: float(counts[i] / counts.sum()) for i in most_first if counts[i]}


@cache
def _words() -> NDArray[np.intp]:
    """The index in `WORDS` for every quantised RGB, shape (_LEVELS, _LEVELS, _LEVELS)."""
    middles = (np.arange(_LEVELS) + 0.5) / _LEVELS
    rgb = np.stack(np.meshgrid(middles, middles, middles, indexing="ij"), axis=-1)
    lightness, chroma, hue = _oklch(rgb)
    light = lightness >= 0.72
    rules: tuple[tuple[str, NDArray[np.bool_]], ...] = (
        ("black", (lightness < 0.22) & (chroma < 0.10)),
        ("black", (lightness < 0.32) & (chroma < 0.05)),
        ("white", (lightness >= 0.85) & (chroma < 0.035)),
        ("grey", chroma < 0.035),
        ("pink", ((hue >= 345) | (hue < 20)) & (lightness >= 0.6)),
        ("pink", (hue < 32) & (lightness >= 0.68) & (chroma < 0.16)),
        ("brown", (hue < 60) & (lightness < 0.65) & (chroma < 0.09)),
        ("red", (hue >= 345) | (hue < 36)),
        ("red", (hue < 45) & (lightness < 0.65) & (chroma >= 0.17)),
        ("beige", (hue < 115) & light & (chroma < 0.105)),
        ("orange", (hue < 88) & (lightness >= 0.65) & (chroma >= 0.125)),
        ("brown", hue < 88),
        ("yellow", (hue < 115) & light),
        ("brown", hue < 98),
        ("green", hue < 170),
        ("turquoise", hue < 208),
        ("blue", hue < 284),
    )
    return np.select(
        [holds for _, holds in rules],
        [WORDS.index(word) for word, _ in rules],
        default=WORDS.index("purple"),
    )


def _oklch(
    rgb: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """sRGB from 0 to 1, shape (..., 3), to lightness, chroma, hue in degrees."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    lab = np.cbrt(linear @ _LMS_FROM_LINEAR_RGB.T) @ _LAB_FROM_ROOT_LMS.T
    a, b = lab[..., 1], lab[..., 2]
    return lab[..., 0], np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360


def standing_out(inside: dict[str, float], outside: dict[str, float]) -> tuple[str, ...]:
    """The one or two colours of a thing, from the shares in its box and around it; often none.

    A box shows background as well, so a colour counts by how much more of it there is inside. The
    neutral ones count half: shadows, glass, paper and tyres are everywhere.
    """
    strength = {
        word: (0.5 if word in NEUTRAL else 1) * (share - outside.get(word, 0))
        for word, share in inside.items()
        if outside
    }
    strong = sorted((word for word in strength if strength[word] >= 0.12), key=strength.__getitem__)
    if not strong:
        return tuple(word for word, share in inside.items() if share >= 0.75)
    best = strong.pop()
    return (best, *(word for word in strong[-1:] if strength[word] >= 0.5 * strength[best]))


def conspicuous(inside: dict[str, float], outside: dict[str, float]) -> str | None:
    """The vivid colour, no shadow and no skin, of which there is much more inside."""
    excess = {word: share - outside.get(word, 0) for word, share in inside.items()}
    vivid = [word for word in excess if word not in NEUTRAL and word not in SKIN]
    best = max(vivid, key=excess.__getitem__, default=None)
    return best if best and excess[best] >= 0.25 else None
