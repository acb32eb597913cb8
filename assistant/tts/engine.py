"""What the worker runs: every voice that is here, each loaded when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from assistant import __version__
from assistant.config import VoiceConfig
from assistant.errors import VoiceError
from assistant.tts.espeak import Espeak
from assistant.tts.espeak_library import EspeakLibrary
from assistant.tts.phrase_cache import PhraseCache, phrase_key
from assistant.tts.piper import Piper
from assistant.types import SpokenFrame
from assistant.voices import espeak_language
from assistant.worker_host import Leaving

_MAX_LOADED = 4
"""Voices in memory, some 100 MB each; beyond it, the one that has not spoken for longest goes."""


class _Voice(Protocol):
    def speak(self, phrase: str, speed: float, leaving: Leaving) -> Iterator[SpokenFrame]: ...


class VoiceEngine:
    """Holds no state between phrases but which voices are loaded."""

    def __init__(
        self,
        config: VoiceConfig,
        folders: Mapping[str, Path],
        own_phrases: frozenset[str],
        cache_folder: Path,
    ) -> None:
        """Load and warm up `config.model`.

        `folders`: of every Piper voice that is here, by its id. `own_phrases`: what the program
        says by itself, whose sound is kept in `cache_folder`. Raises VoiceError.
        """
        self._config = config
        self._folders = folders
        self._voice = lru_cache(_MAX_LOADED)(self._load)
        self._own_phrases = own_phrases
        self._cache = PhraseCache(cache_folder)
        self._voice(config.model)

    def speak(
        self, phrase: str, voice: str, speed: float, leaving: Leaving
    ) -> Iterator[SpokenFrame]:
        """48 kHz frames of at most 80 ms; none when there is nothing to say. Raises VoiceError."""
        speaking = self._voice(voice)
        if phrase in self._own_phrases and isinstance(speaking, Piper):
            yield from self._speak_own(phrase, speaking, speed, leaving)
        else:
            yield from speaking.speak(phrase, speed, leaving)

    def _speak_own(
        self, phrase: str, voice: Piper, speed: float, leaving: Leaving
    ) -> Iterator[SpokenFrame]:
        key = phrase_key(__version__, voice.checksum, voice.speaker, speed, phrase)
        kept = self._cache.frames(key)
        if kept is not None:
            yield from kept
            return
        spoken = list[SpokenFrame]()
        for frame in voice.speak(phrase, speed, leaving):
            spoken.append(frame)
            yield frame
        if spoken and not leaving.is_set():
            self._cache.keep(key, spoken)

    def _load(self, voice: str) -> _Voice:
        if (language := espeak_language(voice)) is not None:
            return Espeak(self._espeak, language)
        if voice not in self._folders:
            raise VoiceError(f"the voice {voice!r} is not here; see `assistant voices`")
        speaker = self._config.speaker if voice == self._config.model else 0
        return Piper.load(self._folders[voice], threads=self._config.threads, speaker=speaker)

    @cached_property
    def _espeak(self) -> EspeakLibrary:
        return EspeakLibrary()
