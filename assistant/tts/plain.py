"""The plain way that ours is measured against: a sentence is computed whole before it is heard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assistant.config import VoiceConfig
from assistant.tts.piper import Piper
from assistant.tts.vits import WholeVits
from assistant.tts.voice_folder import open_voice
from assistant.types import SpokenFrame
from assistant.worker_host import Leaving


class PlainPiper:
    """The same voice with the same text, loudness and trimming; only its graph is not split."""

    def __init__(self, folder: Path, config: VoiceConfig) -> None:
        """Raises VoiceError."""
        whole = WholeVits((folder / "voice.onnx").read_bytes(), threads=config.threads)
        voice = replace(open_voice(folder, threads=config.threads), vits=whole)
        self._piper = Piper(voice, speaker=config.speaker)

    def speak(
        self, phrase: str, voice: str, speed: float, leaving: Leaving
    ) -> Iterator[SpokenFrame]:
        """As `VoiceEngine.speak`, with the one `voice` that there is."""
        return self._piper.speak(phrase, speed, leaving)
