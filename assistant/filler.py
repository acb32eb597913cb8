"""What is said while the answer takes its time. It is no answer, and the answer cuts it off."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from assistant.errors import VoiceError
from assistant.stages import Speaker, Stream
from assistant.timeline import Mark, TurnTimeline
from assistant.types import AudioFrame


@dataclass(slots=True, kw_only=True)
class Filler:
    """Waits with the person, and speaks up at most once."""

    timeline: TurnTimeline
    said: str = ""
    _will_be_late: asyncio.Event = field(default_factory=asyncio.Event)

    def expect_late(self) -> None:
        """The answer will be: there is nothing to wait for."""
        self._will_be_late.set()

    async def is_due(self, after_ms: float) -> bool:
        """Wait until so long after the end of speech; whether the answer is not there by then."""
        waited_ms = self.timeline.since_ms(Mark.SPEECH_ENDED) or 0.0
        with suppress(TimeoutError):
            async with asyncio.timeout((after_ms - waited_ms) / 1_000):
                await self._will_be_late.wait()
        return Mark.FIRST_AUDIO not in self.timeline.at_s

    async def say(self, words: str, sound: Stream[AudioFrame], speaker: Speaker) -> None:
        self.timeline.mark(Mark.FILLER_SENT)
        self.said = words
        with suppress(VoiceError):
            async with sound as frames:
                async for frame in frames:
                    speaker.fill(frame)
