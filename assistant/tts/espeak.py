"""espeak-ng as a voice: for the languages that no better voice is here for.

It sounds like a machine, and reads nearly every language at once.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import numpy as np

from assistant.errors import VoiceError
from assistant.tts.espeak_library import EspeakLibrary
from assistant.tts.frames import spoken_frames
from assistant.tts.loudness import gain, loudness_lufs
from assistant.tts.sound import PhraseSound
from assistant.tts.spoken_text import spoken_text
from assistant.tts.timing import WordClock
from assistant.tts.vits import Samples
from assistant.types import SpokenFrame
from assistant.worker_host import Leaving

_PROBE = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10."
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MAX_CHARACTERS = 200
"""Made at once: 15 s of speech in 50 ms, 40 s where a character is a word."""


class Espeak:
    """Holds no state between phrases."""

    def __init__(self, library: EspeakLibrary, language: str) -> None:
        """Raises VoiceError for a language that espeak-ng does not speak."""
        try:
            self._voice = library.languages()[language]
        except KeyError:
            raise VoiceError(f"espeak-ng does not speak {language!r}") from None
        self._library = library
        self._language = language[:2]
        probe = library.synthesize(_PROBE, self._voice, speed=1)
        self._gain = gain(loudness_lufs(probe, library.sample_rate_hz))

    def speak(self, phrase: str, speed: float, leaving: Leaving) -> Iterator[SpokenFrame]:
        """48 kHz frames of at most 80 ms; none when there is nothing to say. Raises VoiceError."""
        text = spoken_text(phrase, self._language)
        if not text:
            return
        is_continued = text[-1:].isalnum()
        sound = PhraseSound(
            self._library.sample_rate_hz, gain=self._gain, is_continued=is_continued
        )
        pieces = list(_pieces(f"{text}," if is_continued else text))
        clock = WordClock(phrase, n_ids=sum(map(len, pieces)), weigh=self._weigh)
        slices = self._slices(pieces, clock, speed)
        yield from spoken_frames(phrase, slices, sound=sound, clock=clock, leaving=leaving)

    def _slices(
        self, pieces: list[str], clock: WordClock, speed: float
    ) -> Iterator[tuple[Samples, bool]]:
        n_spoken = 0
        for number, piece in enumerate(pieces, start=1):
            samples = self._library.synthesize(piece, self._voice, speed=speed)
            # Every character takes its even share of the time: words are known to some 100 ms.
            clock.add_sentence(np.linspace(0, len(samples), len(piece) + 1)[1:], begins_at=n_spoken)
            n_spoken += len(samples)
            yield samples, number == len(pieces)

    def _weigh(self, word: str) -> int:
        return len(spoken_text(word, self._language))


def _pieces(text: str) -> Iterator[str]:
    """Sentences, and of very long ones the parts."""
    for sentence in _SENTENCE_END.split(text):
        yield from textwrap.wrap(sentence, _MAX_CHARACTERS, break_on_hyphens=False)
