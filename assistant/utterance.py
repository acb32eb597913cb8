"""What one person is saying, for everybody who wants to follow it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from assistant.types import Heard, Phase


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
