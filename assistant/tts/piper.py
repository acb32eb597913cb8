"""A Piper voice: a phrase to 48 kHz sound, its beginning as early as possible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import onnxruntime as ort

from assistant.errors import VoiceError
from assistant.tts.frames import spoken_frames
from assistant.tts.loudness import gain
from assistant.tts.sound import PhraseSound
from assistant.tts.spoken_text import spoken_text
from assistant.tts.timing import WordClock
from assistant.tts.vits import Manner, Samples, StoppedError
from assistant.tts.voice_folder import OpenVoice, open_voice
from assistant.types import SpokenFrame
from assistant.worker_host import Leaving

_LANGUAGES = {"cmn": "zh", "yue": "zh", "nb": "no"}
"""Where espeak-ng's name of a language is not its two letters."""


class Piper:
    """Holds no state between phrases; ONNX Runtime and espeak-ng guard their own."""

    def __init__(self, voice: OpenVoice, *, speaker: int) -> None:
        """Warm up. Raises VoiceError."""
        self._config = config = voice.phonemizer.config
        if speaker >= config.num_speakers:
            raise VoiceError(f"voice.speaker must be below {config.num_speakers} for this voice")
        self.checksum = voice.checksum
        self._vits = voice.vits
        self._phonemizer = voice.phonemizer
        self._gain = gain(voice.loudness_lufs)
        self._language = _LANGUAGES.get(config.espeak_voice, config.espeak_voice[:2])
        self.speaker = speaker
        for _ in self.speak("1, 2, 3, 4, 5, 6.", 1, Leaving()):
            pass

    @classmethod
    def load(cls, folder: Path, *, threads: int, speaker: int = 0) -> Piper:
        """The first time, the voice is split as well. Raises VoiceError."""
        return cls(open_voice(folder, threads=threads), speaker=speaker)

    def speak(self, phrase: str, speed: float, leaving: Leaving) -> Iterator[SpokenFrame]:
        """48 kHz frames of at most 80 ms; none when there is nothing to say. Raises VoiceError."""
        text = spoken_text(phrase, self._language)
        is_continued = text[-1:].isalnum()
        phonemes = self._phonemizer.sentences(f"{text}," if is_continued else text)
        if not phonemes:
            return
        ids = [self._phonemizer.ids(sentence) for sentence in phonemes]
        clock = WordClock(phrase, n_ids=sum(map(len, ids)), weigh=self._weigh)
        sound = PhraseSound(self._config.sample_rate, gain=self._gain, is_continued=is_continued)
        manner = Manner(
            length_scale=self._config.length_scale / speed,
            noise_scale=self._config.noise_scale,
            duration_noise_scale=self._config.noise_w_scale,
            speaker_id=self.speaker,
        )
        stop = ort.RunOptions()
        leaving.on_set(lambda: setattr(stop, "terminate", True))
        slices = self._slices(ids, manner, clock, stop)
        try:
            yield from spoken_frames(phrase, slices, sound=sound, clock=clock, leaving=leaving)
        except StoppedError:
            return

    def _slices(
        self, sentences: list[list[int]], manner: Manner, clock: WordClock, stop: ort.RunOptions
    ) -> Iterator[tuple[Samples, bool]]:
        """The voice's own sound, and whether it is the last of it."""
        n_spoken = 0
        for number, ids in enumerate(sentences, start=1):
            sentence = self._vits.speak(ids, manner, stop)
            clock.add_sentence(sentence.id_ends, begins_at=n_spoken)
            end = n_spoken + sentence.n_samples
            for samples in sentence.slices:
                n_spoken += len(samples)
                yield samples, number == len(sentences) and n_spoken == end

    def _weigh(self, word: str) -> int:
        """Phonemes of one written word."""
        return sum(map(len, self._phonemizer.sentences(spoken_text(word, self._language))))
