"""What one person is saying, for everybody who wants to follow it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from assistant.stages import Utterance
from assistant.types import Heard, Phase, Transcript
from assistant.words import spliced


class LiveUtterance:
    """The `Utterance` of a microphone. Whoever hears it publishes; any number may follow."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._changed = asyncio.Event()

    @property
    def heard(self) -> Heard:
        return self._heard

    def publish(self, heard: Heard) -> None:
        assert self._heard.phase is not Phase.ENDED
        self._heard = heard
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self) -> AsyncIterator[Heard]:
        while True:
            heard, changed = self._heard, self._changed
            yield heard
            if heard.phase is Phase.ENDED:
                return
            await changed.wait()


class TypedUtterance:
    """Words that were typed: an utterance that has ended already."""

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.heard = Heard(
            phase=Phase.ENDED,
            transcript=Transcript(committed=text, is_final=True),
            started_at_s=clock(),
            is_typed=True,
        )

    async def follow(self) -> AsyncIterator[Heard]:
        yield self.heard


class ContinuedUtterance:
    """Somebody had seemed to be finished, and goes on: one utterance after all."""

    def __init__(self, earlier: Heard, rest: Utterance) -> None:
        self._earlier = earlier
        self._rest = rest

    @property
    def heard(self) -> Heard:
        return self._joined(self._rest.heard)

    async def follow(self) -> AsyncIterator[Heard]:
        async for heard in self._rest.follow():
            yield self._joined(heard)

    def _joined(self, heard: Heard) -> Heard:
        earlier, words = self._earlier, heard.transcript
        committed = spliced(earlier.transcript.text, words.committed)
        return replace(
            heard,
            transcript=replace(words, committed=committed),
            speech_ms=earlier.speech_ms + heard.speech_ms,
            started_at_s=earlier.started_at_s,
        )
