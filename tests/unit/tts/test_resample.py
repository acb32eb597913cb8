from __future__ import annotations

import numpy as np
import pytest

from assistant.tts.resample import OUTPUT_RATE_HZ, Resampler


def resampled_tone(
    hz: float, rate_hz: int, *, chunk_ms: float = 20, seconds: int = 2
) -> np.ndarray:
    n_samples = rate_hz * seconds
    tone = 0.5 * np.sin(2 * np.pi * hz * np.arange(n_samples) / rate_hz)
    chunk = int(rate_hz * chunk_ms / 1_000)
    resampler = Resampler(rate_hz)
    return np.concatenate(
        [
            resampler.resample(
                tone[start : start + chunk].astype(np.float32), last=start + chunk >= n_samples
            )
            for start in range(0, n_samples, chunk)
        ]
    )


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100, 48_000])
def test_no_sample_is_lost_at_the_end(rate_hz: int) -> None:
    assert abs(len(resampled_tone(440, rate_hz)) - 2 * OUTPUT_RATE_HZ) <= 1


def test_a_tone_in_20_ms_chunks_keeps_60_db_of_signal_to_noise() -> None:
    tone = resampled_tone(1_000, 22_050)[4_800:-4_800]
    angle = 2 * np.pi * 1_000 * np.arange(len(tone)) / OUTPUT_RATE_HZ
    basis = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    fit, *_ = np.linalg.lstsq(basis, tone, rcond=None)
    noise = tone - basis @ fit
    assert 10 * np.log10(np.mean((basis @ fit) ** 2) / np.mean(noise**2)) > 60


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000])
def test_440_hz_stays_440_hz(rate_hz: int) -> None:
    tone = resampled_tone(440, rate_hz)
    spectrum = np.abs(np.fft.rfft(tone * np.hanning(len(tone))))
    assert np.argmax(spectrum) * OUTPUT_RATE_HZ / len(tone) == pytest.approx(440, abs=0.5)
