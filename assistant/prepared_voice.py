"""The program's own phrases, kept in memory: an apology is heard even while the voice is down."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

from assistant.errors import VoiceError
from assistant.stages import Stream, Voice
from assistant.types import AudioFrame

logger = logging.getLogger(__name__)


class PreparedVoice:
    """A voice that needs no engine for the phrases that it was given."""

    def __init__(self, voice: Voice, phrases: Sequence[tuple[str, str]], *, speed: float) -> None:
        """`phrases`: who speaks, and what; some seconds of sound in all."""
        self._voice = voice
        self._phrases = phrases
        self._speed = speed
        self._prepared: dict[tuple[str, str, float], list[AudioFrame]] = {}

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
        prepared = self._prepared.get((phrase, voice, speed))
        if prepared is None:
            return self._voice.speak(phrase, voice=voice, speed=speed)
        return _replay(prepared)


@asynccontextmanager
async def _replay(frames: list[AudioFrame]) -> AsyncGenerator[AsyncIterator[AudioFrame]]:
    async def read() -> AsyncIterator[AudioFrame]:
        for frame in frames:
            yield frame

    yield read()
