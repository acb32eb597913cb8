"""A caller without a network."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable

from assistant.errors import ProtocolError
from assistant.events import Command, Event
from assistant.stages import Speaker
from assistant.transport.realtime import ClientEvent
from assistant.types import AudioFrame
from tests.unit.transport.webrtc_client import Sight


class FakeCaller:
    """Answers any offer but "bad"; is there until it is hung up."""

    def __init__(self) -> None:
        self.camera = Sight()
        self.requests: list[ClientEvent] = []
        self.token = secrets.token_hex(8)
        self.away_since_s: float | None = None
        self.last_event_ids: list[str | None] = []
        self.is_closed = False
        self._gone = asyncio.Event()

    async def accept(self, sdp: str, *, last_event_id: str | None = None) -> str:
        self.last_event_ids.append(last_event_id)
        if sdp == "bad":
            raise ProtocolError("That is no offer.", code="invalid_offer", param="sdp")
        return f"answer to {sdp}"

    async def run(self) -> None:
        await self._gone.wait()

    def request(self, event: ClientEvent) -> None:
        self.requests.append(event)

    def hang_up(self) -> None:
        self._gone.set()

    async def close(self) -> None:
        self._gone.set()
        self.is_closed = True

    async def microphone(self) -> AsyncIterator[AudioFrame]:
        await self._gone.wait()
        for frame in list[AudioFrame]():
            yield frame

    async def commands(self) -> AsyncIterator[Command]:
        await self._gone.wait()
        for command in list[Command]():
            yield command

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker:
        raise NotImplementedError

    def send(self, event: Event) -> None: ...
