"""Sound to the log-mel features of Whisper (Radford et al. 2022, section 2.2) and smart-turn.

The same numbers as OpenAI's `log_mel_spectrogram` for sound padded with silence, but silence
is filled in after the Fourier transform, which it costs nothing.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
"""Mono, 16 kHz, shape (n_samples,), in [-1, 1]."""

SAMPLE_RATE_HZ = 16_000
HOP_SAMPLES = 160
FRAMES_PER_S = SAMPLE_RATE_HZ // HOP_SAMPLES
_WINDOW_SAMPLES = 400
_SILENCE = np.float32(-10.0)  # log10 of the smallest power that is told apart from none
_RANGE = np.float32(8.0)  # quieter than the loudest by more than this (80 dB) counts as silence


def log_mel(samples: Samples, *, n_frames: int, n_mels: int = 80) -> NDArray[np.float32]:
    """Shape (n_mels, n_frames), 10 ms each, after padding with silence or cutting to `n_frames`."""
    samples = samples[: n_frames * HOP_SAMPLES]
    room = n_frames * HOP_SAMPLES - len(samples)
    padded = np.pad(samples, (0, min(room, _WINDOW_SAMPLES)))
    padded = np.pad(padded, _WINDOW_SAMPLES // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW_SAMPLES)[::HOP_SAMPLES]
    power = np.abs(np.fft.rfft(windows[:n_frames] * _hann(), axis=-1)) ** 2
    mel = _mel_filters(n_mels) @ power.T.astype(np.float32)
    features = np.full((n_mels, n_frames), _SILENCE, np.float32)
    features[:, : len(power)] = np.log10(np.maximum(mel, np.float32(10.0**_SILENCE)))
    np.maximum(features, features.max() - _RANGE, out=features)
    return features / np.float32(4.0) + np.float32(1.0)


@lru_cache
def _hann() -> NDArray[np.float32]:
    return np.hanning(_WINDOW_SAMPLES + 1)[:-1].astype(np.float32)


@lru_cache
def _mel_filters(n_mels: int) -> NDArray[np.float32]:
    """Slaney's triangles of equal area, shape (n_mels, n_frequencies), as librosa makes them."""
    frequencies_hz = np.fft.rfftfreq(_WINDOW_SAMPLES, 1 / SAMPLE_RATE_HZ)
    corners_hz = _mel_to_hz(np.linspace(0.0, _hz_to_mel(SAMPLE_RATE_HZ / 2), n_mels + 2))
    widths_hz = np.diff(corners_hz)[:, None]
    slopes = corners_hz[:, None] - frequencies_hz[None, :]
    rising, falling = -slopes[:-2] / widths_hz[:-1], slopes[2:] / widths_hz[1:]
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    triangles *= 2.0 / (corners_hz[2:] - corners_hz[:-2])[:, None]
    return triangles.astype(np.float32)


# Slaney's mel scale: linear below 1 kHz (15 mel), logarithmic above.
_HZ_PER_MEL = 200.0 / 3.0
_KNEE_MEL, _KNEE_HZ = 15.0, 1_000.0
_LOG_STEP = np.log(6.4) / 27.0


def _hz_to_mel(hz: float) -> float:
    """For a frequency above the knee."""
    return float(_KNEE_MEL + np.log(hz / _KNEE_HZ) / _LOG_STEP)


def _mel_to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(
        mel < _KNEE_MEL, mel * _HZ_PER_MEL, _KNEE_HZ * np.exp((mel - _KNEE_MEL) * _LOG_STEP)
    )
