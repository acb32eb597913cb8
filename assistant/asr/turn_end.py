"""Has the person finished? smart-turn v3.2 (pipecat, BSD-2) judges by how it sounds."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np

from assistant.asr.mel import FRAMES_PER_S, SAMPLE_RATE_HZ, log_mel
from assistant.asr.onnx_session import open_session
from assistant.types import Pcm

_WINDOW_S = 8


class TurnEnd:
    def __init__(self, folder: Path) -> None:
        self._session = open_session(folder / "smart-turn.onnx")
        self._lock = threading.Lock()

    def probability(self, samples: Pcm) -> float:
        """0 to 1, from the last 8 s of `samples` (16 kHz); fewer have silence before them."""
        samples = samples[-_WINDOW_S * SAMPLE_RATE_HZ :]
        window = np.zeros(_WINDOW_S * SAMPLE_RATE_HZ, np.float32)
        window[len(window) - len(samples) :] = samples.astype(np.float32) / np.float32(32_768)
        window = (window - window.mean()) / np.sqrt(window.var() + np.float32(1e-7))
        features = log_mel(window, n_frames=_WINDOW_S * FRAMES_PER_S)
        with self._lock:
            (probabilities,) = self._session.run(None, {"input_features": features[None]})
        return float(probabilities[0, 0])
