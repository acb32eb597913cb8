"""The espeak-ng library that piper-tts carries, for its sound: text to samples.

Piper asks it for phonemes only, by Python functions. It exports the C functions of espeak-ng's
speak_lib.h as well; those are called here.
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from piper import espeakbridge
from piper.phonemize_espeak import ESPEAK_DATA_DIR

from assistant.errors import VoiceError

LOCK = threading.Lock()
"""espeak-ng has one state for a whole process: whoever speaks or phonemizes with it holds this."""

_WORDS_PER_MINUTE = 175
"""espeak-ng's own usual pace."""

_RATE = 1
_FROM_START = 0
_BY_CHARACTER = 1
_UTF_8 = 1
_GO_ON = 0
_OK = 0

_TakeSound = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class _Voice(ctypes.Structure):
    """espeak_VOICE."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_void_p),
        ("identifier", ctypes.c_char_p),
        ("gender", ctypes.c_ubyte),
        ("age", ctypes.c_ubyte),
        ("variant", ctypes.c_ubyte),
        ("unused", ctypes.c_ubyte),
        ("score", ctypes.c_int),
        ("spare", ctypes.c_void_p),
    )


@dataclass(frozen=True, slots=True)
class EspeakVoice:
    name: str
    """Of its language, in English."""

    identifier: bytes
    """By which the library knows it."""


class EspeakLibrary:
    """May be used from several threads."""

    def __init__(self) -> None:
        """Raises VoiceError where the library hides the functions that make sound."""
        with LOCK:
            espeakbridge.initialize(str(ESPEAK_DATA_DIR))
            try:
                self._espeak: Any = ctypes.CDLL(espeakbridge.__file__)
                self._espeak.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_Voice))
                self.sample_rate_hz: int = self._espeak.espeak_ng_GetSampleRate()
                _ = self._espeak.espeak_Synth
            except (OSError, AttributeError) as error:
                raise VoiceError(
                    f"the espeak-ng inside piper-tts makes no sound on this system: {error}"
                ) from error
        self._take_sound = _TakeSound(self._take)
        self._chunks: list[NDArray[np.int16]] = []

    def languages(self) -> dict[str, EspeakVoice]:
        """The usual voice of every language, by the language's code, such as "fr" or "pt-br"."""
        best: dict[str, tuple[int, EspeakVoice]] = {}
        with LOCK:
            voices = self._espeak.espeak_ListVoices(None)
            n = 0
            while voices[n]:
                voice = voices[n].contents
                known = EspeakVoice(voice.name.decode(errors="replace").strip(), voice.identifier)
                for priority, language in _languages(voice.languages):
                    if language not in best or priority < best[language][0]:
                        best[language] = priority, known
                n += 1
        return {language: voice for language, (_, voice) in sorted(best.items())}

    def synthesize(self, text: str, voice: EspeakVoice, *, speed: float) -> NDArray[np.float32]:
        """In [-1, 1], shape (n_samples,). Raises VoiceError.

        Takes some 2 ms for a second of sound, and is never cut short: what was left of the text
        would be spoken before the next one.
        """
        encoded = text.encode()
        with LOCK:
            espeak = self._espeak
            espeak.espeak_SetSynthCallback(self._take_sound)
            if espeak.espeak_SetVoiceByName(voice.identifier) != _OK:
                raise VoiceError(f"espeak-ng does not know its voice {voice.name}")
            espeak.espeak_SetParameter(_RATE, round(_WORDS_PER_MINUTE * speed), 0)
            size = ctypes.c_size_t(len(encoded) + 1)
            status = espeak.espeak_Synth(
                encoded, size, _FROM_START, _BY_CHARACTER, 0, _UTF_8, None, None
            )
            chunks, self._chunks = self._chunks, []
        if status != _OK:
            raise VoiceError(f"espeak-ng could not speak (its status is {status})")
        joined = np.concatenate([*chunks, np.zeros(0, np.int16)])
        return (joined / 32_768).astype(np.float32)

    def _take(self, samples: Any, n_samples: int, _events: Any) -> int:
        """Called by the library for each 60 ms, and with no samples at the end."""
        if samples and n_samples:
            self._chunks.append(np.ctypeslib.as_array(samples, (n_samples,)).copy())
        return _GO_ON


def _languages(address: int) -> list[tuple[int, str]]:
    """A list in C: a byte of priority (low is best), a string with its end, and so on, then 0."""
    found = []
    while priority := ctypes.string_at(address, 1)[0]:
        language = ctypes.string_at(address + 1)
        found.append((priority, language.decode()))
        address += len(language) + 2
    return found
