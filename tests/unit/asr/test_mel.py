from __future__ import annotations

import numpy as np
import pytest
from faster_whisper.feature_extractor import FeatureExtractor

from assistant.asr.mel import log_mel


@pytest.mark.parametrize("n_mels", [80, 128])
@pytest.mark.parametrize(
    ("n_samples", "n_frames"),
    [(0, 100), (1_600, 100), (15_800, 100), (16_000, 100), (40_000, 100), (12_345, 1_200)],
)
def test_features_are_those_of_padded_sound(n_samples: int, n_frames: int, n_mels: int) -> None:
    samples = np.random.default_rng(0).normal(0, 0.1, n_samples).astype(np.float32)
    padded = np.zeros(n_frames * 160, np.float32)
    padded[:n_samples] = samples[: len(padded)]
    expected = FeatureExtractor(feature_size=n_mels)(padded, padding=0)
    features = log_mel(samples, n_frames=n_frames, n_mels=n_mels)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features, expected, atol=1e-5)
