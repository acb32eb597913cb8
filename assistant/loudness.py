"""Pure: how loud somebody speaks."""

from __future__ import annotations

import math

import numpy as np

from assistant.types import Pcm

_FULL_SCALE = 32_768
_FAINTEST_DB = -120.0


class Loudness:
    """Root mean square of sound that comes in pieces."""

    def __init__(self) -> None:
        self._energy = 0.0
        self._n_samples = 0

    def add(self, samples: Pcm) -> None:
        self._energy += float(np.square(samples, dtype=np.float64).sum())
        self._n_samples += len(samples)

    @property
    def db(self) -> float:
        """Of full scale, so never above 0."""
        if not self._energy:
            return _FAINTEST_DB
        return 10 * math.log10(self._energy / self._n_samples / _FULL_SCALE**2)
