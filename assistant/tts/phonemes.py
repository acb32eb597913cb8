"""Text to phoneme ids, in the way that a Piper voice was taught."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from piper import PiperVoice
from piper.config import PiperConfig

from assistant.errors import VoiceError
from assistant.tts.espeak_library import LOCK

_MAX_PHONEMES = 300
"""About 20 s of speech. The encoder's cost and memory grow with the square of a sentence's length:
5,000 letters without a full stop would take gigabytes."""


class Phonemizer:
    """May be used from several threads."""

    def __init__(self, config: PiperConfig) -> None:
        self.config = config
        self._piper = PiperVoice(session=cast(Any, None), config=config)  # its text half

    def sentences(self, text: str) -> list[list[str]]:
        """The phonemes of each sentence, none too long and none empty."""
        with LOCK:
            sentences = self._piper.phonemize(text)
        return [part for sentence in sentences for part in _parts(sentence) if part]

    def ids(self, phonemes: list[str]) -> list[int]:
        return self._piper.phonemes_to_ids(phonemes)


def read_config(path: Path) -> PiperConfig:
    """Raises VoiceError."""
    try:
        return PiperConfig.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise VoiceError(f"{path} cannot be read; run `assistant models pull`") from error
    except (ValueError, KeyError, TypeError) as error:
        raise VoiceError(f"{path} does not describe a Piper voice: {error!r}") from error


def _parts(phonemes: list[str]) -> Iterator[list[str]]:
    """Cut a sentence that is too long, between words where it has any."""
    while len(phonemes) > _MAX_PHONEMES:
        spaces = [i for i in range(_MAX_PHONEMES // 2, _MAX_PHONEMES) if phonemes[i] == " "]
        end = spaces[-1] if spaces else _MAX_PHONEMES
        yield phonemes[:end]
        phonemes = phonemes[end:]
    yield phonemes
