"""The voice that the worker runs: a phrase to 48 kHz sound, its beginning as early as possible."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import onnxruntime as ort

from assistant.config import VoiceConfig
from assistant.errors import VoiceError
from assistant.tts.loudness import gain
from assistant.tts.resample import OUTPUT_RATE_HZ
from assistant.tts.sound import PhraseSound
from assistant.tts.spoken_text import spoken_text
from assistant.tts.timing import WordClock
from assistant.tts.vits import Manner, Samples, StoppedError
from assistant.tts.voice_folder import open_voice
from assistant.types import AudioFrame, SpokenFrame
from assistant.worker import Leaving

_FRAME_SAMPLES = OUTPUT_RATE_HZ * 80 // 1_000
"""The longest frame: words heard are known to 80 ms."""

_LANGUAGES = {"cmn": "zh", "yue": "zh", "nb": "no"}
"""Where espeak-ng's name of a language is not its two letters."""


class PiperEngine:
    """Holds no state between phrases; ONNX Runtime and espeak-ng guard their own."""

    def __init__(self, config: VoiceConfig, model_folder: Path) -> None:
        """Load and warm up; the first time, split the voice as well. Raises VoiceError."""
        voice = open_voice(model_folder, threads=config.threads)
        piper = voice.phonemizer.config
        if config.speaker >= piper.num_speakers:
            raise VoiceError(f"voice.speaker must be below {piper.num_speakers} for this voice")
        self._vits = voice.vits
        self._phonemizer = voice.phonemizer
        self._gain = gain(voice.loudness_lufs)
        self._language = _LANGUAGES.get(piper.espeak_voice, piper.espeak_voice[:2])
        self._manner = Manner(
            length_scale=piper.length_scale / config.speed,
            noise_scale=piper.noise_scale,
            duration_noise_scale=piper.noise_w_scale,
            speaker_id=config.speaker,
        )
        for _ in self.speak("1, 2, 3, 4, 5, 6.", Leaving()):
            pass

    def speak(self, phrase: str, leaving: Leaving) -> Iterator[AudioFrame]:
        """48 kHz frames of at most 80 ms; none when there is nothing to say. Raises VoiceError."""
        text = spoken_text(phrase, self._language)
        is_continued = text[-1:].isalnum()
        phonemes = self._phonemizer.sentences(f"{text}," if is_continued else text)
        if not phonemes:
            return
        sound = PhraseSound(
            self._phonemizer.config.sample_rate, gain=self._gain, is_continued=is_continued
        )
        try:
            yield from self._speak(phrase, phonemes, sound, leaving)
        except StoppedError:
            return

    def _speak(
        self, phrase: str, sentences: list[list[str]], sound: PhraseSound, leaving: Leaving
    ) -> Iterator[SpokenFrame]:
        stop = ort.RunOptions()
        leaving.on_set(lambda: setattr(stop, "terminate", True))
        ids = [self._phonemizer.ids(sentence) for sentence in sentences]
        clock = WordClock(phrase, n_ids=sum(map(len, ids)), weigh=self._weigh)
        n_sent = 0
        for samples, last in self._slices(ids, clock, stop):
            shaped = sound.shape(samples, last=last)
            for start in range(0, len(shaped), _FRAME_SAMPLES):
                if leaving.is_set():
                    return
                piece = shaped[start : start + _FRAME_SAMPLES]
                n_sent += len(piece)
                is_end = last and start + len(piece) == len(shaped)
                said = clock.said_characters(sound.source_sample(n_sent))
                yield SpokenFrame(
                    samples=piece,
                    sample_rate_hz=OUTPUT_RATE_HZ,
                    captured_at_s=time.monotonic(),
                    said_characters=len(phrase) if is_end else said,
                )

    def _slices(
        self, sentences: list[list[int]], clock: WordClock, stop: ort.RunOptions
    ) -> Iterator[tuple[Samples, bool]]:
        """The voice's own sound, and whether it is the last of it."""
        n_spoken = 0
        for number, ids in enumerate(sentences, start=1):
            sentence = self._vits.speak(ids, self._manner, stop)
            clock.add_sentence(sentence.id_ends, begins_at=n_spoken)
            end = n_spoken + sentence.n_samples
            for samples in sentence.slices:
                n_spoken += len(samples)
                yield samples, number == len(sentences) and n_spoken == end

    def _weigh(self, word: str) -> int:
        """Phonemes of one written word."""
        return sum(map(len, self._phonemizer.sentences(spoken_text(word, self._language))))
