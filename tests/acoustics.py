"""A room in which sound travels: what we say comes back to the microphone, others speak as well.

Time is counted in sound, so that nothing is paced and every run is the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager

import numpy as np
import soxr

from assistant.asr.vad import new_detector_factory
from assistant.config import EarsConfig, EndpointingConfig, VoiceConfig
from assistant.fallback import Plan
from assistant.hearing import Listener
from assistant.speaker import SAMPLE_RATE_HZ
from assistant.stages import Recognizer, Stream
from assistant.types import AudioFrame, Pcm, Prompt, ReplyPiece
from tests.fakes import FRAME_SAMPLES, ScriptedBrain, settle
from tests.room import Room
from tests.speech import bare_words, recording

_FRAME_S = 0.02
_HEARD_SAMPLES = 320
_LATE = 600_000
_AUDIBLE = 100


def answer_of(sentences: Iterable[str]) -> list[str]:
    """The pieces in which a brain writes them."""
    return [f"{sentence.capitalize()}. " for sentence in sentences]


class RecordedVoice:
    """Says the sentences that there are recordings of."""

    @asynccontextmanager
    async def _speak(self, phrase: str) -> AsyncGenerator[AsyncIterator[AudioFrame]]:
        sound = soxr.resample(recording(bare_words(phrase)), 16_000, SAMPLE_RATE_HZ)

        async def frames() -> AsyncIterator[AudioFrame]:
            for start in range(0, len(sound), FRAME_SAMPLES):
                samples = sound[start : start + FRAME_SAMPLES]
                yield AudioFrame(samples=samples, sample_rate_hz=SAMPLE_RATE_HZ, captured_at_s=0.0)

        yield frames()

    def speak(self, phrase: str, *, voice: str, speed: float) -> Stream[AudioFrame]:
        return self._speak(phrase)


class WaitingBrain(ScriptedBrain):
    """Writes when it `may`."""

    def __init__(self, pieces: Iterable[str]) -> None:
        super().__init__(pieces)
        self.may = asyncio.Event()
        self.may.set()

    @asynccontextmanager
    async def _reply(
        self, prompt: Prompt, max_tokens: int
    ) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        async def when_it_may(pieces: AsyncIterator[ReplyPiece]) -> AsyncIterator[ReplyPiece]:
            await self.may.wait()
            async for piece in pieces:
                yield piece

        async with super()._reply(prompt, max_tokens) as pieces:
            yield when_it_may(pieces)


class SoundRoom(Room):
    """The real listener in it. `echo_db`: how much quieter our voice is at the microphone."""

    def __init__(
        self,
        recognizer: Recognizer,
        answer: list[str],
        *,
        echo_db: float = -200,
        echo_ms: int = 80,
    ) -> None:
        """`answer`: words that there are recordings of."""
        self.mind = WaitingBrain(answer_of(answer))
        super().__init__(
            self.mind,
            voice=RecordedVoice(),
            listener=Listener(
                detector=new_detector_factory()(),
                recognizer=recognizer,
                ears=EarsConfig(),
                endpointing=EndpointingConfig(),
            ),
            phrasing=VoiceConfig(first_phrase_min_words=20, first_phrase_max_words=40),
        )
        self.fallback.best = Plan(acknowledge_after_ms=_LATE)
        self._noise = np.random.default_rng(0)
        self._others = np.zeros(0)
        self._echo_gain = 10 ** (echo_db / 20)
        self._echo = np.zeros(16 * echo_ms)
        self.silent_s: list[float] = []
        """When nothing was to be heard of us."""

    def sounds(self, samples: Pcm, *, gain_db: float = 0.0) -> None:
        """Somebody begins to say this, or something begins to sound."""
        louder = samples * 10 ** (gain_db / 20)
        length = max(len(self._others), len(louder))
        self._others = np.pad(self._others, (0, length - len(self._others)))
        self._others += np.pad(louder, (0, length - len(louder)))

    async def pass_s(self, seconds: float) -> None:
        for _ in range(round(seconds / _FRAME_S)):
            await self._pass_frame()

    async def say(self, words: str, *, then_s: float = 1.0) -> None:
        """Somebody says this; return `then_s` after it."""
        samples = recording(words)
        self.sounds(samples)
        await self.pass_s(len(samples) / 16_000 + then_s)

    def longest_silence_s(self, since_s: float) -> float:
        """Of ours."""
        longest = length = 0.0
        before_s = since_s
        for at_s in self.silent_s:
            if at_s >= since_s:
                length = length + _FRAME_S if at_s - before_s < 1.5 * _FRAME_S else _FRAME_S
                longest, before_s = max(longest, length), at_s
        return longest

    async def _pass_frame(self) -> None:
        played = self.peer.pull(FRAME_SAMPLES)
        if np.abs(played.astype(int)).max() < _AUDIBLE:
            self.silent_s.append(self.now_s)
        at_microphone = played.reshape(-1, 3).mean(axis=1) * self._echo_gain
        self._echo = np.concatenate([self._echo, at_microphone])
        sound = self._noise.normal(0, 10, _HEARD_SAMPLES)
        for source in (self._echo, self._others):
            part = source[:_HEARD_SAMPLES]
            sound[: len(part)] += part
        self._echo, self._others = self._echo[_HEARD_SAMPLES:], self._others[_HEARD_SAMPLES:]
        self.peer.spoken.put_nowait(
            AudioFrame(
                samples=sound.clip(-32_768, 32_767).astype(np.int16),
                sample_rate_hz=16_000,
                captured_at_s=self.now_s,
            )
        )
        self.now_s += _FRAME_S
        await settle()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        self.listener.utterances.put_nowait(None)
        async with super().open():
            yield
            self.peer.spoken.put_nowait(None)
