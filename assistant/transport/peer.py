"""A browser, or any other WebRTC client, however often its line has to be made anew."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from assistant.config import ServerConfig
from assistant.errors import ProtocolError
from assistant.events import Command, Event
from assistant.stages import Speaker
from assistant.transport import pictures, realtime
from assistant.transport import server_events as wire
from assistant.transport.feed import Feed
from assistant.transport.line import Ending, Line
from assistant.transport.outbox import Outbox
from assistant.transport.pictures import CameraSink
from assistant.transport.tracks import AudioSource
from assistant.transport.translator import Translator
from assistant.types import AudioFrame

logger = logging.getLogger(__name__)

KEPT_S = 600.0
"""How long a conversation waits for somebody whose line was lost."""

REPLY_KEPT_S = 60.0
"""How long the reply that was being given waits, and with it a place in the brain."""

MICROPHONE_FRAMES = 100
"""Two seconds; when nobody reads them, the oldest are dropped."""

WAITING_EVENTS = 64
"""The client's events that wait to be read; it is told about each one that finds no room."""


class Playout(AudioSource, Protocol):
    """All that goes out to one peer."""

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker: ...

    def rewind(self, since_s: float) -> None:
        """What went out since then (monotonic) was lost on the way: say it again."""
        ...


class WebRtcPeer:
    """Outlives its line: a client whose line was lost calls again, and the session never knows.

    While there is no line nobody pulls the sound, so a reply waits where it was; what is told
    waits in the outbox.
    """

    def __init__(
        self,
        *,
        playout: Playout,
        camera: CameraSink,
        translator: Translator,
        config: ServerConfig,
    ) -> None:
        self.camera = camera
        self.token = secrets.token_urlsafe(24)
        """Who knows it may call again in this peer's place."""

        self.away_since_s: float | None = None
        """Monotonic time at which the line was lost; None while there is one."""

        self._playout = playout
        self._translator = translator
        self._config = config
        self._outbox = Outbox()
        self._frames: Feed[AudioFrame] = Feed(MICROPHONE_FRAMES)
        self._requests: Feed[realtime.ClientEvent] = Feed(WAITING_EVENTS)
        self._line: Line | None = None
        self._last_event_id: str | None = None
        """Of ours: the last that came through."""

        self._last_request_id: str | None = None
        """Of the client's: the last that came through and had an id."""

        self._has_new_line = asyncio.Event()
        self._is_over = False

    async def accept(self, sdp: str, *, last_event_id: str | None = None) -> str:
        """The answer to an SDP offer; media flow once `run` is called.

        A line that there is makes way. `last_event_id`: the last of our events that came through
        on it. Raises ProtocolError.
        """
        line = Line(
            source=self._playout,
            frames=self._frames,
            camera=self.camera,
            on_open=self._on_open,
            on_message=self._on_message,
            on_return=self._playout.rewind,
            config=self._config,
        )
        answer = await line.answer(sdp)
        if self._is_over:
            await line.close()
            raise ProtocolError("The call has just ended.", code="unknown_call")
        self._take_over(line, last_event_id)
        return answer

    async def run(self) -> None:
        """Carry sound, pictures and events until the other end has left, or this is cancelled."""
        try:
            while self._line is not None:
                line = self._line
                ending = await line.run()
                if line is self._line:
                    self._outbox.close()
                    if ending is Ending.CLOSED or not await self._is_called_again():
                        break
        finally:
            await self.close()

    def hang_up(self) -> None:
        """Have `run` come to its end."""
        self._is_over = True
        self._has_new_line.set()
        if self._line is not None:
            self._line.hang_up()

    async def close(self) -> None:
        """Let go of everything, however far the call had come. May be called twice."""
        self._is_over = True
        self._frames.end()
        self._requests.end()
        if self._line is not None:
            await self._line.close()

    def microphone(self) -> AsyncIterator[AudioFrame]:
        return self._frames

    async def commands(self) -> AsyncIterator[Command]:
        async for request in self._requests:
            try:
                images = await pictures.of(request)
                command, messages = self._translator.from_wire(request, images)
            except ProtocolError as mistake:
                mistake.event_id = request.event_id
                self._outbox.put(wire.error_about(mistake))
                continue
            for message in messages:
                self._outbox.put(message)
            if command is not None:
                yield command

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker:
        return self._playout.new_speaker(on_phrase)

    def send(self, event: Event) -> None:
        for message in self._translator.to_wire(event):
            self._outbox.put(message)

    def request(self, event: realtime.ClientEvent) -> None:
        """As if the client had sent it. Raises ProtocolError when too much waits to be read."""
        if not self._requests.put(event):
            mistake = ProtocolError(
                "Too many events at once; this one was dropped.", code="too_fast"
            )
            mistake.event_id = event.event_id
            raise mistake

    def _take_over(self, line: Line, last_event_id: str | None) -> None:
        former, self._line = self._line, line
        self._last_event_id = last_event_id
        if former is not None:
            former.hang_up()
            if former.heard_at_s is not None:
                self._playout.rewind(former.heard_at_s)
        self.away_since_s = None
        self._has_new_line.set()

    async def _is_called_again(self) -> bool:
        """Wait for a new line; the reply does not wait as long as the conversation."""
        self._has_new_line.clear()
        self.away_since_s = time.monotonic()
        if await self._gets_a_line_within(REPLY_KEPT_S):
            return True
        self._requests.put(realtime.ResponseCancel())
        return await self._gets_a_line_within(KEPT_S - REPLY_KEPT_S)

    async def _gets_a_line_within(self, limit_s: float) -> bool:
        try:
            async with asyncio.timeout(limit_s):
                await self._has_new_line.wait()
        except TimeoutError:
            return False
        return not self._is_over

    def _on_open(self, line: Line) -> None:
        if line is self._line:
            resume = wire.resume(self.token, last_event_id=self._last_request_id)
            self._outbox.open(
                line.transmit,
                greeting=(*self._translator.greeting(), resume),
                last_event_id=self._last_event_id,
            )

    def _on_message(self, text: str | bytes) -> None:
        try:
            if isinstance(text, bytes):
                raise ProtocolError("An event must be JSON text, not binary.", code="invalid_json")
            event = realtime.parse(text)
            self._last_request_id = event.event_id or self._last_request_id
            if isinstance(event, realtime.Ping):
                self._answer_ping(event)
            else:
                self.request(event)
        except ProtocolError as mistake:
            self._outbox.put(wire.error_about(mistake))

    def _answer_ping(self, ping: realtime.Ping) -> None:
        """At once: the client takes the time in between for the line's."""
        if self._line is not None:
            self._line.is_pinged = True
            _, messages = self._translator.from_wire(ping)
            for message in messages:
                self._line.transmit(message)
