"""What goes into a bench client's microphone, and when it went in."""

from __future__ import annotations

import time

import numpy as np

from assistant.types import Pcm

RATE_HZ = 48_000

BEEP_EVERY_S, BEEP_S = 0.5, 0.1
_BEEP_HZ = 1_000
_BEEP_LEVEL = 8_000


class Mouth:
    """Says recordings one after another in a room's faint noise. Pull 48 kHz mono from it."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self._speech: Pcm = np.zeros(0, np.int16)
        self._begins_at = self._ends_at = self._at = 0
        self.began_at_s: float | None = None
        """Monotonic time at which the first voiced sample of the recording went out."""

        self.ended_at_s: float | None = None
        """The same of the last one."""

    def say(self, speech: Pcm, *, voiced: tuple[int, int]) -> None:
        """48 kHz mono; `voiced`: its first voiced sample, and the one after the last."""
        self._speech, self._at = speech, 0
        self._begins_at, self._ends_at = voiced
        self.began_at_s = self.ended_at_s = None

    @property
    def is_silent(self) -> bool:
        return not len(self._speech)

    def pull(self, n_samples: int) -> Pcm:
        said, self._speech = np.split(self._speech, [n_samples])
        samples = self._random.normal(0, 8, n_samples).astype(np.int16)
        samples[: len(said)] = said
        before, self._at = self._at, self._at + n_samples
        if len(said) and before <= self._begins_at < self._at:
            self.began_at_s = time.monotonic()
        if len(said) and before < self._ends_at <= self._at:
            self.ended_at_s = time.monotonic()
        return samples


class Beeper:
    """A short tone twice a second. Pull 48 kHz mono from it."""

    def __init__(self) -> None:
        self.began_at_s: list[float] = []
        """Monotonic time at which each tone began."""

        self._random = np.random.default_rng(0)
        self._n_pulled = 0

    def pull(self, n_samples: int) -> Pcm:
        at = np.arange(self._n_pulled, self._n_pulled + n_samples)
        is_tone = at % int(BEEP_EVERY_S * RATE_HZ) < int(BEEP_S * RATE_HZ)
        if is_tone[0] and at[0] % int(BEEP_EVERY_S * RATE_HZ) < n_samples:
            self.began_at_s.append(time.monotonic())
        self._n_pulled += n_samples
        tone = _BEEP_LEVEL * np.sin(2 * np.pi * _BEEP_HZ * at / RATE_HZ)
        return np.asarray(np.where(is_tone, tone, self._random.normal(0, 8, n_samples)), np.int16)
