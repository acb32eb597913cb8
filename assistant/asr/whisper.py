"""Whisper in short windows, straight on CTranslate2 (Radford et al. 2022).

Whisper was trained on 30 s windows and everybody pads to them. The encoder takes shorter ones; the
price is that it sometimes repeats itself (see deloop.py). Windows of 12 s cost a third and lose
next to nothing; beam 2 costs a tenth more than greedy and wins a point. Word errors on 52 English
clips: tiny.en 4.1 % (3.6 % at 30 s, 5.9 % at 8 s, 4.9 % greedy), base 2.8 %.
"""

from __future__ import annotations

import time
from pathlib import Path

import ctranslate2
import numpy as np
from tokenizers import Tokenizer

from assistant.asr.deloop import deloop
from assistant.asr.mel import FRAMES_PER_S, SAMPLE_RATE_HZ, log_mel
from assistant.asr.turn_end import TurnEnd
from assistant.config import EarsConfig
from assistant.errors import ConfigError, RecognizerError
from assistant.types import Hypothesis, Pcm
from assistant.words import is_repetitive

_MAX_S = 30.0
"""What the position table of the encoder holds."""

_FINAL_MIN_S, _FINAL_PAD_S, _FINAL_BEAMS = 12.0, 1.5, 2
_LOOP_PROOF_S = 24.0
"""For the rare final that goes round in circles: "7 7 7 7 7 7 7" for three digits."""

_PARTIAL_MIN_S, _PARTIAL_PAD_S, _PARTIAL_BEAMS = 6.0, 2.0, 1

_AT_ONCE = 2
"""Transcripts: a final must not wait for the partial that is still being made."""

_CLEAR_LANGUAGE = 0.7
"""From half a second of speech on, the right one had 0.76 or more, a wrong one 0.59 or less."""

_TOKENS_PER_S = 8
"""More than anybody says; ends a loop early."""


class Ears:
    """The recognizer of the worker process: words, and whether a turn sounds complete.

    Both may be asked at once from different threads.
    """

    def __init__(self, config: EarsConfig, model_folder: Path, turn_end_folder: Path) -> None:
        try:
            self._turn_end = TurnEnd(turn_end_folder)
            self._model = ctranslate2.models.Whisper(
                str(model_folder),
                compute_type="int8",
                intra_threads=config.threads,
                inter_threads=_AT_ONCE,
            )
            self._tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
        except Exception as error:  # ONNX Runtime and tokenizers raise their own, or bare Exception
            raise RecognizerError(
                f"the recognizer {config.model} cannot be loaded ({error}); "
                "`assistant models verify` tells which file is damaged"
            ) from error
        self._languages = self._choose_languages(config)
        self._warm_up()

    def transcribe(self, samples: Pcm, is_final: bool) -> Hypothesis:
        """One hypothesis about the last 30 s of `samples` (16 kHz). Raises RecognizerError."""
        samples = samples[-int(_MAX_S * SAMPLE_RATE_HZ) :]
        seconds = len(samples) / SAMPLE_RATE_HZ
        try:
            if not is_final:
                window_s = max(_PARTIAL_MIN_S, seconds + _PARTIAL_PAD_S)
                return self._transcribe(samples, window_s, _PARTIAL_BEAMS)
            window_s = max(_FINAL_MIN_S, seconds + _FINAL_PAD_S)
            hypothesis = self._transcribe(samples, window_s, _FINAL_BEAMS)
            if is_repetitive(hypothesis.text):
                hypothesis = self._transcribe(samples, _LOOP_PROOF_S, _FINAL_BEAMS)
            return hypothesis
        except (RuntimeError, ValueError) as error:  # all that CTranslate2 raises
            raise RecognizerError(f"the recognizer failed: {error}") from error

    def turn_end_probability(self, samples: Pcm) -> float:
        """0 to 1. Raises RecognizerError."""
        try:
            return self._turn_end.probability(samples)
        except RuntimeError as error:  # base class of what ONNX Runtime raises
            raise RecognizerError(f"the turn-end model failed: {error}") from error

    def _transcribe(self, samples: Pcm, window_s: float, beams: int) -> Hypothesis:
        started_at_s = time.perf_counter()
        encoded = self._encode(samples, min(window_s, _MAX_S))
        language = self._detect_language(encoded)
        prompt = self._prompt(language)
        (result,) = self._model.generate(
            encoded,
            [prompt],
            beam_size=beams,
            max_length=len(prompt) + 10 + int(_TOKENS_PER_S * len(samples) / SAMPLE_RATE_HZ),
            return_scores=True,
            return_no_speech_prob=True,
        )
        tokens = result.sequences_ids[0]
        return Hypothesis(
            text=deloop(self._tokenizer.decode(tokens)),
            no_speech_probability=result.no_speech_prob,
            # The score leaves the end token out of the count, but not out of the sum.
            mean_log_probability=result.scores[0] * len(tokens) / (len(tokens) + 1),
            language=language,
            compute_ms=1_000 * (time.perf_counter() - started_at_s),
        )

    def _encode(self, samples: Pcm, window_s: float) -> ctranslate2.StorageView:
        n_frames = 2 * round(window_s * FRAMES_PER_S / 2)  # the encoder halves their number
        features = log_mel(
            samples.astype(np.float32) / np.float32(32_768),
            n_frames=n_frames,
            n_mels=self._model.n_mels,
        )
        return self._model.encode(ctranslate2.StorageView.from_array(features[None]))

    def _detect_language(self, encoded: ctranslate2.StorageView) -> str:
        if len(self._languages) == 1:
            return self._languages[0]
        (ranking,) = self._model.detect_language(encoded)  # [("<|en|>", 0.9), ...], best first
        probabilities = {token.strip("<|>"): probability for token, probability in ranking}
        best = max(self._languages, key=probabilities.__getitem__)
        return best if probabilities[best] >= _CLEAR_LANGUAGE else self._languages[0]

    def _prompt(self, language: str) -> list[str]:
        """Without timestamps: asking for them costs tokens and wins nothing from 12 s on."""
        asked = [f"<|{language}|>", "<|transcribe|>"] if self._model.is_multilingual else []
        return ["<|startoftranscript|>", *asked, "<|notimestamps|>"]

    def _choose_languages(self, config: EarsConfig) -> tuple[str, ...]:
        """Those that a hypothesis may be in. Raises ConfigError for one the model does not know."""
        if not self._model.is_multilingual:
            if config.language not in ("en", "auto"):
                raise ConfigError(
                    f"ears.language is {config.language!r}, but {config.model} knows English only; "
                    'set ears.model = "whisper-base"'
                )
            return ("en",)
        for language in config.languages:
            if self._tokenizer.token_to_id(f"<|{language}|>") is None:
                raise ConfigError(f"{config.model} knows no language {language!r}")
        if not config.languages:
            raise ConfigError('ears.language is "auto", so ears.allowed_languages needs an entry')
        return config.languages

    def _warm_up(self) -> None:
        """The first run of each kind allocates, and would make the first turn slow."""
        silence = np.zeros(SAMPLE_RATE_HZ, np.int16)
        for is_final in (False, True):
            self.transcribe(silence, is_final)
        self.turn_end_probability(silence)
