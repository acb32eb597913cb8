from __future__ import annotations

import math

import numpy as np
import pytest

from assistant.tts.loudness import TARGET_LUFS, gain, limit, loudness_lufs


def tone(hz: float, rate_hz: int, *, amplitude: float = 1, seconds: float = 5) -> np.ndarray:
    t = np.arange(int(rate_hz * seconds)) / rate_hz
    return (amplitude * np.sin(2 * np.pi * hz * t)).astype(np.float32)


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 48_000])
def test_the_standards_test_tone_measures_minus_3_at_any_rate(rate_hz: int) -> None:
    """BS.1770-5, annex 1: 997 Hz at 0 dB FS in one channel gives -3.01."""
    assert loudness_lufs(tone(997, rate_hz), rate_hz) == pytest.approx(-3.01, abs=0.1)


def test_pauses_do_not_make_a_voice_quieter() -> None:
    voice = tone(300, 22_050, amplitude=0.1)
    with_pauses = np.concatenate([voice, np.zeros(220_500, np.float32), voice])
    assert loudness_lufs(with_pauses, 22_050) == pytest.approx(
        loudness_lufs(voice, 22_050), abs=0.3
    )


@pytest.mark.parametrize("amplitude", [0.01, 0.1, 0.7])
def test_every_voice_is_brought_to_one_loudness(amplitude: float) -> None:
    voice = tone(300, 22_050, amplitude=amplitude)
    level = gain(loudness_lufs(voice, 22_050))
    assert loudness_lufs(voice * level, 22_050) == pytest.approx(TARGET_LUFS, abs=0.1)


@pytest.mark.parametrize("n_samples", [1, 100, 22_050])
def test_silence_has_no_loudness_and_is_not_amplified(n_samples: int) -> None:
    lufs = loudness_lufs(np.zeros(n_samples, np.float32), 22_050)
    assert lufs == -math.inf
    assert gain(lufs) == 1


def test_the_limit_leaves_quiet_sound_alone_and_keeps_loud_sound_in_range() -> None:
    samples = np.linspace(-3, 3, 1_001, dtype=np.float32)
    limited = limit(samples)
    quiet = np.abs(samples) <= 0.8
    assert np.array_equal(limited[quiet], samples[quiet])
    assert np.abs(limited).max() <= 1
    assert np.all(np.diff(limited) >= 0)
