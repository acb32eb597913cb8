"""Phrases whose sound is kept in memory: an apology is heard even while the voice is down, and what
is said again is heard at once."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

from assistant.errors import VoiceError
from assistant.stages import Stream, Voice
from assistant.types import AudioFrame

logger = logging.getLogger(__name__)

_Key = tuple[str, str, float]
"""Phrase, voice, speed."""


class PreparedVoice:
    """A voice that needs no engine for the phrases that it was given, or spoke not long ago."""

    def __init__(
        self,
        voice: Voice,
        phrases: Sequence[tuple[str, str]],
        *,
        speed: float,
        remembers_s: float = 0,
    ) -> None:
        """`phrases`: who speaks, and what; some minutes of sound in all. `remembers_s`: of what
        else is spoken, how many seconds of sound are kept."""
        self._voice = voice
        self._phrases = phrases
        self._speed = speed
        self._remembers_s = remembers_s
        self._prepared: dict[_Key, list[AudioFrame]] = {}
        self._remembered: OrderedDict[_Key, list[AudioFrame]] = OrderedDict()
        """What was used last is at the end; the first is dropped."""

        self._remembered_s = 0.0

    async def prepare(self) -> None:
        """Have every phrase made. One that fails is made when it is needed."""
        for voice, phrase in self._phrases:
            try:
                async with self._voice.speak(phrase, voice=voice, speed=self._speed) as frames:
                    made = [frame async for frame in frames]
            except VoiceError as error:
                logger.warning("a phrase cannot be prepared: %s", error)
            else:
                self._prepared[phrase, voice, self._speed] = made

    def speak(self, phrase: str, *, voice: str, speed: float) -> Stream[AudioFrame]:
        key = phrase, voice, speed
        if (prepared := self._prepared.get(key)) is not None:
            return _replay(prepared)
        if not self._remembers_s:
            return self._voice.speak(phrase, voice=voice, speed=speed)
        if (remembered := self._remembered.get(key)) is not None:
            self._remembered.move_to_end(key)
            return _replay(remembered)
        return self._remembering(key)

    @asynccontextmanager
    async def _remembering(self, key: _Key) -> AsyncGenerator[AsyncIterator[AudioFrame]]:
        phrase, voice, speed = key

        async def read(frames: AsyncIterator[AudioFrame]) -> AsyncIterator[AudioFrame]:
            made = list[AudioFrame]()
            async for frame in frames:
                made.append(frame)
                yield frame
            self._remember(key, made)

        async with self._voice.speak(phrase, voice=voice, speed=speed) as frames:
            yield read(frames)

    def _remember(self, key: _Key, made: list[AudioFrame]) -> None:
        """All frames of a phrase; those of a phrase that was broken off never come here."""
        if key not in self._remembered:
            self._remembered[key] = made
            self._remembered_s += _length_s(made)
        while self._remembered_s > self._remembers_s:
            _, dropped = self._remembered.popitem(last=False)
            self._remembered_s -= _length_s(dropped)


def _length_s(frames: list[AudioFrame]) -> float:
    return sum(frame.duration_ms for frame in frames) / 1_000


@asynccontextmanager
async def _replay(frames: list[AudioFrame]) -> AsyncGenerator[AsyncIterator[AudioFrame]]:
    async def read() -> AsyncIterator[AudioFrame]:
        for frame in frames:
            yield frame

    yield read()
