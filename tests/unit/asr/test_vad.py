from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from faster_whisper.vad import get_vad_model

from assistant.asr.mel import Samples
from assistant.asr.vad import WINDOW_SAMPLES, SileroDetector, new_detector_factory


@pytest.fixture(scope="module")
def new_detector() -> Callable[[], SileroDetector]:
    return new_detector_factory()


def buzz(seconds: float, level: float) -> Samples:
    """Rough sound with the pitch of a voice; not speech, but it moves the network."""
    t = np.arange(int(seconds * 16_000 / WINDOW_SAMPLES) * WINDOW_SAMPLES) / 16_000
    voice = np.sign(np.sin(2 * np.pi * 120 * t)) * (1 + np.sin(2 * np.pi * 4 * t))
    return np.asarray(level * voice, np.float32)


def run(detector: SileroDetector, samples: Samples) -> list[float]:
    return [detector.speech_probability(w) for w in samples.reshape(-1, WINDOW_SAMPLES)]


def test_one_window_at_a_time_is_the_same_as_all_at_once(
    new_detector: Callable[[], SileroDetector],
) -> None:
    samples = buzz(2, 0.3)
    expected = get_vad_model()(samples).ravel()
    np.testing.assert_allclose(run(new_detector(), samples), expected, atol=1e-4)


def test_detectors_share_the_network_but_no_state(
    new_detector: Callable[[], SileroDetector],
) -> None:
    alone, disturbed, other = new_detector(), new_detector(), new_detector()
    samples = buzz(0.5, 0.3)
    expected = run(alone, samples)
    actual = []
    for window in samples.reshape(-1, WINDOW_SAMPLES):
        other.speech_probability(window[::-1].copy())
        actual.append(disturbed.speech_probability(window))
    assert actual == expected


def test_reset_forgets(new_detector: Callable[[], SileroDetector]) -> None:
    detector = new_detector()
    samples = buzz(0.5, 0.3)
    first = run(detector, samples)
    detector.reset()
    assert run(detector, samples) == first


@pytest.mark.parametrize("name", ["silence", "white noise", "hum"])
def test_noise_is_not_speech(name: str, new_detector: Callable[[], SileroDetector]) -> None:
    n = 30 * 16_000 // WINDOW_SAMPLES * WINDOW_SAMPLES
    noise = np.random.default_rng(0).normal(0, 0.03, n)
    hum = 0.1 * np.sin(2 * np.pi * 50 * np.arange(n) / 16_000)
    samples = {"silence": np.zeros(n), "white noise": noise, "hum": hum + 0.1 * noise}[name]
    assert max(run(new_detector(), samples.astype(np.float32))) < 0.5
