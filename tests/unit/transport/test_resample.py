"""Other sample rates: loud as before, without aliases, and not a sample late."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.transport.resample import Resampler
from assistant.types import Pcm

RATES = [(24_000, 16_000), (8_000, 16_000), (48_000, 24_000), (48_000, 8_000), (48_000, 16_000)]


def tone(frequency_hz: float, rate_hz: int) -> Pcm:
    """Half a second."""
    at = np.arange(rate_hz // 2) / rate_hz
    return np.asarray(8_000 * np.sin(2 * np.pi * frequency_hz * at), np.int16)


def loudness(samples: Pcm) -> float:
    return float(np.sqrt(np.mean(np.square(samples[len(samples) // 4 :], dtype=np.float64))))


@pytest.mark.parametrize(("from_hz", "to_hz"), RATES)
def test_a_stream_is_converted_as_if_it_came_at_once(from_hz: int, to_hz: int) -> None:
    samples = tone(440, from_hz)
    random = np.random.default_rng(0)
    cuts = np.sort(random.integers(0, len(samples), 40))
    streaming = Resampler(from_hz, to_hz)
    pieces = [streaming.convert(piece) for piece in np.split(samples, cuts)]
    assert np.array_equal(np.concatenate(pieces), Resampler(from_hz, to_hz).convert(samples))


@pytest.mark.parametrize(("from_hz", "to_hz"), RATES)
def test_each_20_ms_give_20_ms(from_hz: int, to_hz: int) -> None:
    resampler = Resampler(from_hz, to_hz)
    for _ in range(10):
        assert len(resampler.convert(np.zeros(from_hz // 50, np.int16))) == to_hz // 50


@pytest.mark.parametrize(("from_hz", "to_hz"), RATES)
@pytest.mark.parametrize("frequency_hz", [100, 1_000, 2_500])
def test_voices_stay_as_loud(from_hz: int, to_hz: int, frequency_hz: float) -> None:
    before = tone(frequency_hz, from_hz)
    after = Resampler(from_hz, to_hz).convert(before)
    assert loudness(after) == pytest.approx(loudness(before), rel=0.02)


@pytest.mark.parametrize(
    ("from_hz", "to_hz", "frequency_hz"),
    [(24_000, 16_000, 9_500), (48_000, 24_000, 14_500), (48_000, 8_000, 5_500)],
)
def test_what_the_lower_rate_cannot_carry_is_silent(
    from_hz: int, to_hz: int, frequency_hz: float
) -> None:
    assert loudness(Resampler(from_hz, to_hz).convert(tone(frequency_hz, from_hz))) < 30


def test_the_higher_rate_has_no_mirror_image() -> None:
    heard = Resampler(8_000, 16_000).convert(tone(1_000, 8_000))
    spectrum = np.abs(np.fft.rfft(heard[:8_000]))
    assert spectrum[5_000 * len(spectrum) // 8_000 :].max() < spectrum.max() / 300


def test_the_same_rate_changes_nothing() -> None:
    samples = tone(440, 16_000)
    assert Resampler(16_000, 16_000).convert(samples) is samples


def test_nothing_in_is_nothing_out() -> None:
    assert len(Resampler(24_000, 16_000).convert(np.zeros(0, np.int16))) == 0
