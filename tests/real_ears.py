"""The real recognizer, taking no time at all where time is counted in sound."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from assistant.asr.whisper import Ears
from assistant.config import EarsConfig
from assistant.model_store import ModelStore
from assistant.types import Hypothesis, Pcm


@cache
def _ears() -> Ears:
    config, store = EarsConfig(threads=1), ModelStore(Path("models"))
    return Ears(config, store.folder(config.model), store.folder(config.turn_end_model))


class PromptRecognizer:
    async def transcribe(self, samples: Pcm, *, is_final: bool) -> Hypothesis:
        return _ears().transcribe(samples, is_final)

    async def turn_end_probability(self, samples: Pcm) -> float:
        return _ears().turn_end_probability(samples)
