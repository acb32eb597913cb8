"""A client program, or a browser whose network lets no UDP through, at the other end of a
WebSocket: events and sound on one ordered line."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant.errors import ProtocolError
from assistant.events import Command, Event
from assistant.stages import Camera, Speaker
from assistant.transport import pictures, realtime
from assistant.transport import server_events as wire
from assistant.transport.feed import Feed
from assistant.transport.input_audio import InputBuffer
from assistant.transport.resample import Resampler
from assistant.transport.settings import SessionUpdate
from assistant.transport.translator import Translated, Translator
from assistant.types import AudioFrame, Pcm

logger = logging.getLogger(__name__)

Socket = WebSocket
"""Known by this name to those who do not know the server's library."""

DRAWN_RATE_HZ = 48_000

CHUNK_S = 0.04
"""Of sound in a message, but for the first."""

LEAD_S = 0.12
"""By so much is sound sent ahead of its time, for a line that stutters. It is not sent as soon as
it is made: whoever barges in would have to silence seconds of it at their end."""

MICROPHONE_FRAMES = 50
"""A second; when nobody reads them the client has to wait."""

WAITING_COMMANDS = 64
"""When nobody reads them the client has to wait."""

WAITING_MESSAGES = 512
"""Ours: some 20 s of an answer. Who is further behind is hung up on."""

SMALL_BYTES = 64 * 1024
"""A larger message is read on another thread: it would hold up everybody's sound."""

CLOSING_S = 1.0

TRY_AGAIN_LATER = 1013
"""A close code (RFC 6455 section 7.4, IANA registry)."""


class Playout(Protocol):
    """All that goes out to one peer."""

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker: ...

    def draw(self, n_samples: int) -> Pcm:
        """What there is to be heard next, up to `n_samples` of 48 kHz mono."""
        ...


class WebSocketPeer:
    """Owns one WebSocket, from its opening handshake on until the other end is gone."""

    def __init__(
        self, socket: WebSocket, *, playout: Playout, camera: Camera, translator: Translator
    ) -> None:
        self.camera = camera
        self._socket = socket
        self._playout = playout
        self._translator = translator
        self._input = InputBuffer()
        self._frames: Feed[AudioFrame] = Feed(MICROPHONE_FRAMES)
        self._commands: Feed[Command] = Feed(WAITING_COMMANDS)
        self._messages: deque[wire.Message] = deque()
        self._has_messages = asyncio.Event()
        self._gone = asyncio.Event()
        self._close_code = 1000

    async def run(self) -> None:
        """Carry sound and events until the other end is gone, or this is cancelled."""
        for message in self._translator.greeting():
            self._transmit(message)
        try:
            async with asyncio.TaskGroup() as tasks:
                work = (self._receive(), self._speak(), self._send())
                carrying = [tasks.create_task(each) for each in work]
                await self._gone.wait()
                for task in carrying:
                    task.cancel()
        finally:
            await self.close()

    def hang_up(self) -> None:
        """Have `run` come to its end."""
        self._gone.set()

    async def close(self) -> None:
        """Let go of everything. May be called twice."""
        self._frames.end()
        self._commands.end()
        with suppress(RuntimeError, WebSocketDisconnect, TimeoutError):  # closed already
            async with asyncio.timeout(CLOSING_S):
                await self._socket.close(self._close_code)

    async def microphone(self) -> AsyncIterator[AudioFrame]:
        async for frame in self._frames:
            yield frame
            # Somebody may send a minute at once, and others are listened to as well.
            await asyncio.sleep(0)

    def commands(self) -> AsyncIterator[Command]:
        return self._commands

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker:
        return self._playout.new_speaker(on_phrase)

    def send(self, event: Event) -> None:
        for message in self._translator.to_wire(event):
            self._transmit(message)

    def configure(self, settings: SessionUpdate) -> None:
        """What the session starts from, before `run`."""
        command, _ = self._translator.from_wire(settings)
        if command is not None:
            self._commands.put(command)

    async def _take(self, event: realtime.ClientEvent) -> None:
        try:
            if isinstance(event, realtime.InputAudioAppend):
                await self._hear(event.encoded)
            else:
                command, messages = await self._translate(event)
                for message in messages:
                    self._transmit(message)
                if command is not None:
                    await self._commands.put_in_time(command)
        except ProtocolError as mistake:
            mistake.event_id = event.event_id
            self._transmit(wire.error_about(mistake))

    async def _receive(self) -> None:
        try:
            while True:
                text = await self._next_text()
                try:
                    event = await _parse(text)
                except ProtocolError as mistake:
                    self._transmit(wire.error_about(mistake))
                else:
                    await self._take(event)
        except WebSocketDisconnect:
            self._gone.set()

    async def _next_text(self) -> str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1005))
        return message.get("text") or ""

    async def _translate(self, event: realtime.ClientEvent) -> Translated:
        match event:
            case realtime.InputAudioCommit() if not self._translator.book.detects_turns:
                return self._translator.commit(self._input.commit())
            case realtime.InputAudioClear():
                self._input.clear()
        return self._translator.from_wire(event, await pictures.of(event))

    async def _hear(self, encoded: bytes) -> None:
        book = self._translator.book
        samples = self._input.append(encoded, book.input_format)
        if not book.detects_turns:
            self._input.keep(samples)
            return
        for frame in self._input.frames(samples, arrived_at_s=time.monotonic()):
            await self._frames.put_in_time(frame)

    async def _speak(self) -> None:
        """Send what is to be heard, a little before it is."""
        sent_until_s = 0.0
        rate_hz, resampler = 0, Resampler(DRAWN_RATE_HZ, DRAWN_RATE_HZ)
        while True:
            now_s = time.monotonic()
            sent_until_s = max(sent_until_s, now_s)
            sound = self._playout.draw(int((now_s + LEAD_S - sent_until_s) * DRAWN_RATE_HZ))
            sent_until_s += len(sound) / DRAWN_RATE_HZ
            if len(sound):
                if rate_hz != self._translator.book.output_format.rate_hz:
                    rate_hz = self._translator.book.output_format.rate_hz
                    resampler = Resampler(DRAWN_RATE_HZ, rate_hz)
                for message in self._translator.sound(resampler.convert(sound)):
                    self._transmit(message)
            await asyncio.sleep(CHUNK_S)

    async def _send(self) -> None:
        with suppress(WebSocketDisconnect):
            while True:
                self._has_messages.clear()
                while self._messages:
                    message = self._messages.popleft()
                    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
                    await self._socket.send_text(text)
                await self._has_messages.wait()
        self._gone.set()

    def _transmit(self, message: wire.Message) -> None:
        """Never waits."""
        if len(self._messages) >= WAITING_MESSAGES:
            if not self._gone.is_set():
                logger.warning("the client does not read what it is sent: it is hung up on")
            self._close_code = TRY_AGAIN_LATER
            self._gone.set()
            return
        self._messages.append(message)
        self._has_messages.set()


async def _parse(text: str) -> realtime.ClientEvent:
    """Raises ProtocolError."""
    if not text:
        raise ProtocolError("An event must be JSON text, not binary.", code="invalid_json")
    limit = realtime.MAX_MESSAGE_BYTES
    if len(text) > SMALL_BYTES:
        return await asyncio.to_thread(realtime.parse, text, max_bytes=limit)
    return realtime.parse(text, max_bytes=limit)
