"""The plain way that ours is measured against: faster-whisper's own `transcribe`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from faster_whisper import WhisperModel

from assistant.types import Pcm


class PlainWhisper:
    """As its documentation shows it: 30 s windows, beam 5."""

    def __init__(self, model_folder: Path, *, threads: int, language: str | None) -> None:
        """`language`: None to detect it."""
        self._model = WhisperModel(
            str(model_folder), device="cpu", compute_type="int8", cpu_threads=threads
        )
        self._language = language

    def transcribe(self, samples: Pcm) -> str:
        """The words in `samples` (16 kHz)."""
        sound = samples.astype(np.float32) / np.float32(32_768)
        segments, _ = self._model.transcribe(sound, language=self._language)
        return "".join(segment.text for segment in segments).strip()
