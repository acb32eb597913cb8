"""How loud a voice is, and what makes all voices equally loud.

Loudness as in ITU-R BS.1770-5: K-weighting, 400 ms blocks, gates at -70 LUFS and at 10 LU below
what passes that. The gain is measured once for a voice and stays: normalising each phrase by itself
makes the loudness jump between phrases.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

TARGET_LUFS = -23.0
"""As in EBU R 128; the peaks of a Piper voice then stay near -1 dBFS."""

_KNEE = 0.8
"""Samples above are bent towards 1 instead of being cut."""

_BLOCK_S = 0.4


def loudness_lufs(samples: NDArray[np.floating[Any]], sample_rate_hz: int) -> float:
    """Gated loudness of mono sound; -inf for silence."""
    weighted = _k_weighted(samples.astype(np.float64), sample_rate_hz)
    block = round(_BLOCK_S * sample_rate_hz)
    starts = range(0, max(len(weighted) - block, 0) + 1, block // 4)
    powers = np.array([np.mean(weighted[start : start + block] ** 2) for start in starts])
    powers = powers[powers > _power(-70)]
    if not len(powers):
        return -math.inf
    powers = powers[powers > np.mean(powers) / 10]
    return float(-0.691 + 10 * np.log10(np.mean(powers)))


def gain(lufs: float) -> float:
    """The factor that brings sound of this loudness to the target."""
    return float(10 ** ((TARGET_LUFS - lufs) / 20)) if math.isfinite(lufs) else 1.0


def limit(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bend what is louder than the knee so that nothing leaves [-1, 1]; sample by sample."""
    loud = np.abs(samples) > _KNEE
    bent = _KNEE + (1 - _KNEE) * np.tanh((np.abs(samples) - _KNEE) / (1 - _KNEE))
    return np.where(loud, np.copysign(bent, samples), samples).astype(np.float32)


def _power(lufs: float) -> float:
    return float(10 ** ((lufs + 0.691) / 10))


def _k_weighted(samples: NDArray[np.float64], sample_rate_hz: int) -> NDArray[np.float64]:
    """Both filters of BS.1770 by their magnitudes at any rate; only power matters here."""
    spectrum = np.fft.rfft(samples)
    s = 2j * np.pi * np.fft.rfftfreq(len(samples), 1 / sample_rate_hz)
    low, high = 2 * np.pi * 38.135, 2 * np.pi * 1681.974
    high_pass = s**2 / (s**2 + low / 0.5003 * s + low**2)
    lift, middle = 10 ** (3.99984 / 20), 10 ** (3.99984 * 0.4996667741545416 / 20)
    shelf = (lift * s**2 + middle * high / 0.7071752 * s + high**2) / (
        s**2 + high / 0.7071752 * s + high**2
    )
    return np.fft.irfft(spectrum * np.abs(high_pass * shelf), len(samples))
