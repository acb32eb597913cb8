"""Writes one utterance down, while it is being said."""

from __future__ import annotations

import logging

import numpy as np

from assistant.agreement import Agreement
from assistant.config import EarsConfig
from assistant.errors import RecognizerError
from assistant.stages import Recognizer
from assistant.types import Hypothesis, Pcm, Transcript
from assistant.words import is_repetitive, spliced

logger = logging.getLogger(__name__)

_RATE_HZ = 16_000

_SETTLE_AFTER_S = 12.0
"""A partial over more than this costs too much: the words of the first part are settled."""

_SETTLE_BETWEEN_S = (5.0, 11.0)
"""Where it is cut, at the quietest moment."""

_MAX_FINAL_S = 24.0
"""Longer ones are settled first. Whisper's window ends at 30 s."""

_PARTIAL_SHARE = 1.5
"""Speech between partials, over the cost of one: the recognizer has to keep some time to spare."""

_TURN_END_S = 8.0
"""All that the turn-end model hears."""


_NOISE = ((0.7, 0.0), (0.4, -1.0), (0.2, -1.2))
"""Above this no-speech probability, words are noise with a mean log probability below this. Noise
clips lie above 0.9, or above 0.25 with words below -1.2; digits read one by one reach 0.66, but are
certain, and murmured words are uncertain, but clearly spoken."""


class Scribe:
    """The sound of one utterance and the words found in it so far.

    However long somebody speaks, a request is about at most `_MAX_FINAL_S` of sound. Nothing here
    changes when a request is cancelled.
    """

    def __init__(self, recognizer: Recognizer, config: EarsConfig) -> None:
        self._recognizer = recognizer
        self._config = config
        self._sound: list[Pcm] = []
        self._settled_samples = 0
        self._settled: list[str] = []
        self._agreement = Agreement()
        self._partial_asked_at_speech_ms = 0.0
        self._partial_wait_ms = float(config.first_partial_ms)

    def add(self, samples: Pcm) -> None:
        self._sound.append(samples)

    @property
    def transcript(self) -> Transcript:
        """As far as partials have come."""
        return self._agreement.transcript

    def partial_is_due(self, speech_ms: float) -> bool:
        """`speech_ms`: how long the person has spoken by now."""
        return speech_ms - self._partial_asked_at_speech_ms >= self._partial_wait_ms

    async def partial(self, speech_ms: float) -> Transcript:
        """Raises RecognizerError."""
        self._partial_asked_at_speech_ms = speech_ms
        if len(self._unsettled()) > _SETTLE_AFTER_S * _RATE_HZ:
            await self._settle()
            return self.transcript
        hypothesis = await self._recognizer.transcribe(self._unsettled(), is_final=False)
        self._partial_wait_ms = max(
            float(self._config.partial_interval_ms), _PARTIAL_SHARE * hypothesis.compute_ms
        )
        if not is_noise(hypothesis):
            self._agreement.add(self._whole(hypothesis.text))
        return self.transcript

    async def final(self) -> Transcript:
        """Empty when it was noise. Raises RecognizerError when a second attempt fails as well."""
        while len(self._unsettled()) > _MAX_FINAL_S * _RATE_HZ:
            await self._settle()
        text = self._whole(await self._words_of(self._unsettled()))
        if text:
            self._agreement.add(text)
        return self._agreement.finish(text)

    async def turn_end_probability(self) -> float:
        """Raises RecognizerError."""
        recent = self._since(max(0, self._n_samples() - int(_TURN_END_S * _RATE_HZ)))
        return await self._recognizer.turn_end_probability(recent)

    async def _settle(self) -> None:
        first, last = (int(at_s * _RATE_HZ) for at_s in _SETTLE_BETWEEN_S)
        cut = quietest(self._unsettled(), first, last)
        text = await self._words_of(self._unsettled()[:cut])
        self._settled.append(text)
        self._settled_samples += cut

    async def _words_of(self, samples: Pcm) -> str:
        try:
            hypothesis = await self._recognizer.transcribe(samples, is_final=True)
        except RecognizerError as error:
            logger.warning("asking the recognizer once more: %s", error)
            hypothesis = await self._recognizer.transcribe(samples, is_final=True)
        logger.debug("heard %r", hypothesis)
        return "" if is_noise(hypothesis) else hypothesis.text

    def _whole(self, text: str) -> str:
        return spliced(*self._settled, text)

    def _n_samples(self) -> int:
        return sum(map(len, self._sound))

    def _unsettled(self) -> Pcm:
        return self._since(self._settled_samples)

    def _since(self, position: int) -> Pcm:
        return np.concatenate(self._sound)[position:]


def is_noise(hypothesis: Hypothesis) -> bool:
    """Whisper always finds words. These say when nobody spoke them."""
    return is_repetitive(hypothesis.text) or any(
        hypothesis.no_speech_probability > unspoken and hypothesis.mean_log_probability < uncertain
        for unspoken, uncertain in _NOISE
    )


def quietest(samples: Pcm, first: int, last: int) -> int:
    """The middle of the quietest 100 ms between two positions."""
    span = _RATE_HZ // 10
    energy = np.cumsum(np.square(samples[first:last], dtype=np.int64))
    return first + int(np.argmin(energy[span:] - energy[:-span])) + span // 2
