"""The sound of one phrase, from a voice's raw slices to what a listener gets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assistant.tts.loudness import limit
from assistant.tts.resample import OUTPUT_RATE_HZ, Resampler
from assistant.types import Pcm

_SILENT = 0.004
"""-48 dBFS. A Piper voice is at -88 dBFS before and after it speaks, a soft "f" above -40."""

_LEAD_S = 0.010
"""Kept before the first sound; a Piper voice is silent for 30-60 ms, which we would wait for."""

_TAIL_S = 0.060
"""Kept after the last sound of a phrase that the next one continues, instead of 150-250 ms."""

_FADE_S = 0.005


class PhraseSound:
    """Trims, levels, fades and resamples one phrase, slice by slice."""

    def __init__(self, sample_rate_hz: int, *, gain: float, is_continued: bool) -> None:
        self._rate = sample_rate_hz
        self._gain = gain
        self._is_continued = is_continued
        self._resampler = Resampler(sample_rate_hz)
        self._has_begun = False
        self._skipped = 0
        self._held = np.zeros(0, np.float32)

    def source_sample(self, n_shaped: int) -> float:
        """The sample of the voice's own sound at which `n_shaped` samples of ours end."""
        return self._skipped + n_shaped * self._rate / OUTPUT_RATE_HZ

    def shape(self, samples: NDArray[np.float32], *, last: bool) -> Pcm:
        """The next slice at 48 kHz; empty while nothing has sounded yet."""
        samples = limit(samples * self._gain)
        if not self._has_begun:
            samples = self._begin(samples)
            if not self._has_begun:
                return np.zeros(0, np.int16)
        if self._is_continued:
            samples = self._without_tail(samples)
        if last:
            samples = self._faded(samples, at_end=True)
        resampled = self._resampler.resample(samples, last=last)
        return np.rint(np.clip(resampled, -1, 1) * 32_767).astype(np.int16)

    def _begin(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        loud = np.flatnonzero(np.abs(samples) > _SILENT)
        start = len(samples)
        if len(loud):
            self._has_begun = True
            start = max(0, int(loud[0]) - self._samples(_LEAD_S))
        self._skipped += start
        return self._faded(samples[start:], at_end=False)

    def _without_tail(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """Hold back what may be the silence at the phrase's end, until something sounds again."""
        samples = np.concatenate([self._held, samples])
        loud = np.flatnonzero(np.abs(samples) > _SILENT)
        end = int(loud[-1]) + self._samples(_TAIL_S) if len(loud) else 0
        self._held = samples[end:]
        return samples[:end]

    def _faded(self, samples: NDArray[np.float32], *, at_end: bool) -> NDArray[np.float32]:
        """Rise from silence, or fall to it: no click, whatever is at the edge."""
        n = min(self._samples(_FADE_S), len(samples))
        ramp = np.linspace(0, 1, n, endpoint=False, dtype=np.float32)
        faded = samples.copy()
        if at_end:
            faded[len(faded) - n :] *= ramp[::-1]
        else:
            faded[:n] *= ramp
        return faded

    def _samples(self, seconds: float) -> int:
        return round(seconds * self._rate)
