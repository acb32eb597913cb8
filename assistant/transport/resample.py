"""Sound at one sample rate to sound at another, while it streams."""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import NDArray

from assistant.types import Pcm

_TAPS_PER_STEP = 32
"""At 48 kHz to 16 kHz this delays by 1 ms."""

_KEPT = 0.9
"""Of the band that both rates can carry; the rest is where the filter falls off."""


class Resampler:
    """A windowed sinc in polyphase form. Keeps no sample back for the next chunk: what has come in
    goes out, late only by the filter's own delay of 1 or 2 ms."""

    def __init__(self, from_hz: int, to_hz: int) -> None:
        common = gcd(from_hz, to_hz)
        self._up, self._down = to_hz // common, from_hz // common
        self._taps = _low_pass(self._up, self._down)
        self._history: NDArray[np.float32] = np.zeros(self._taps.shape[1] - 1, np.float32)
        self._place = 0
        """Of the next sample to go out, in steps of the common multiple of both rates, from the
        next sample to come in."""

    def convert(self, samples: Pcm) -> Pcm:
        """All that `samples` give. Shape (n,) to about (n * to_hz / from_hz,)."""
        if self._up == self._down or not len(samples):
            return samples
        padded = np.concatenate([self._history, samples.astype(np.float32)])
        self._history = padded[-(self._taps.shape[1] - 1) :]
        places = np.arange(self._place, len(samples) * self._up, self._down)
        self._place = self._place + len(places) * self._down - len(samples) * self._up
        windows = np.lib.stride_tricks.sliding_window_view(padded, self._taps.shape[1])
        filtered = np.einsum("nk,nk->n", windows[places // self._up], self._taps[places % self._up])
        return np.asarray(np.clip(np.rint(filtered), -32_768, 32_767), np.int16)


def _low_pass(up: int, down: int) -> NDArray[np.float32]:
    """Shape (up, taps): for each place between two samples that come in, their weights, the oldest
    sample's first. Each row adds up to 1, so that loudness stays."""
    n_taps = _TAPS_PER_STEP * max(up, down)
    n_taps += -n_taps % up
    at = np.arange(n_taps) - (n_taps - 1) / 2
    sinc = np.sinc(_KEPT / max(up, down) * at) * np.kaiser(n_taps, 6)
    rows = sinc.reshape(-1, up).T[:, ::-1]
    return np.ascontiguousarray(rows / rows.sum(axis=1, keepdims=True), np.float32)
