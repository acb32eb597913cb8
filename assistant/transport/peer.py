"""A browser, or any other WebRTC client, at the other end of one call."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from aiortc import (
    RTCConfiguration,
    RTCDataChannel,
    RTCIceServer,
    RTCPeerConnection,
    RTCRtpReceiver,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamTrack

from assistant.errors import ProtocolError
from assistant.events import Command, Event
from assistant.stages import Speaker
from assistant.transport import aiortc_private, microphone, offer, pictures, realtime
from assistant.transport import server_events as wire
from assistant.transport.feed import Feed
from assistant.transport.pictures import CameraSink
from assistant.transport.tracks import AudioSource, OutgoingTrack
from assistant.transport.translator import Translator
from assistant.types import AudioFrame

logger = logging.getLogger(__name__)

CHANNEL_LABEL = "oai-events"

GONE_AFTER_S = 10
"""A peer that nothing has come from for this long is gone. Even one without a microphone reports on
what it hears every 7.5 s at the latest; aioice's own checks take 33 s to give up."""

MICROPHONE_FRAMES = 100
"""Two seconds; when nobody reads them, the oldest are dropped."""

WAITING_EVENTS = 64
"""The client's events that wait to be read; it is told about each one that finds no room."""

WAITING_MESSAGES = 256
"""Ours, before the data channel is open; the oldest are dropped."""

MAX_UNREAD_BYTES = 4 * realtime.MAX_EVENT_BYTES
"""Of events that have not come to their end. Browsers and aiortc send none this large."""

MAX_BUFFERED_BYTES = 1024 * 1024
"""Sent but not acknowledged; whatever would come on top is dropped."""


class Playout(AudioSource, Protocol):
    """All that goes out to one peer."""

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker: ...


class WebRtcPeer:
    """Owns one peer connection, from the offer until the other end is gone.

    aiortc's callbacks only put things into bounded queues; all work is done by `run` and by whoever
    reads `microphone` and `commands`.
    """

    def __init__(
        self,
        *,
        playout: Playout,
        camera: CameraSink,
        translator: Translator,
        ice_servers: Sequence[str] = (),
    ) -> None:
        self.camera = camera
        self._playout = playout
        self._translator = translator
        # Without a list of its own aiortc asks a public STUN server.
        servers = [RTCIceServer(urls=url) for url in ice_servers]
        self._connection = RTCPeerConnection(RTCConfiguration(iceServers=servers))
        self._connection.on("track", self._on_track)
        self._connection.on("datachannel", self._on_datachannel)
        self._connection.on("connectionstatechange", self._on_state)
        self._tracks: list[MediaStreamTrack] = []
        self._channel: RTCDataChannel | None = None
        self._waiting: deque[wire.Message] = deque(maxlen=WAITING_MESSAGES)
        self._frames: Feed[AudioFrame] = Feed(MICROPHONE_FRAMES)
        self._requests: Feed[realtime.ClientEvent] = Feed(WAITING_EVENTS)
        self._gone = asyncio.Event()
        self._closing: asyncio.Task[None] | None = None

    async def accept(self, sdp: str) -> str:
        """The answer to an SDP offer; media flow once `run` is called.

        Raises ProtocolError; the peer is closed then.
        """
        try:
            return await self._answer(offer.tidy(sdp))
        except BaseException:
            await self.close()
            raise

    async def run(self) -> None:
        """Carry sound, pictures and events until the other end is gone, or this is cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                work = [self._watch_line(), *map(self._carry, self._tracks)]
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
        """Let go of everything, however far the call had come. May be called twice."""
        self._frames.end()
        self._requests.end()
        # Shielded, since a close of aiortc's that is interrupted is never finished by another.
        if self._closing is None:
            self._closing = asyncio.create_task(self._connection.close())
        await asyncio.shield(self._closing)

    def microphone(self) -> AsyncIterator[AudioFrame]:
        return self._frames

    async def commands(self) -> AsyncIterator[Command]:
        async for request in self._requests:
            try:
                images = await pictures.of(request)
                command, messages = self._translator.from_wire(request, images)
            except ProtocolError as mistake:
                mistake.event_id = request.event_id
                self._transmit(wire.error_about(mistake))
                continue
            for message in messages:
                self._transmit(message)
            if command is not None:
                yield command

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker:
        return self._playout.new_speaker(on_phrase)

    def send(self, event: Event) -> None:
        for message in self._translator.to_wire(event):
            self._transmit(message)

    def request(self, event: realtime.ClientEvent) -> None:
        """As if the client had sent it. Raises ProtocolError when too much waits to be read."""
        if not self._requests.put(event):
            mistake = ProtocolError(
                "Too many events at once; this one was dropped.", code="too_fast"
            )
            mistake.event_id = event.event_id
            raise mistake

    async def _answer(self, sdp: str) -> str:
        connection = self._connection
        connection.addTrack(OutgoingTrack(self._playout))
        (sound,) = connection.getTransceivers()
        known = RTCRtpReceiver.getCapabilities("audio")
        assert known is not None
        sound.setCodecPreferences([each for each in known.codecs if each.mimeType == "audio/opus"])
        aiortc_private.use_low_delay_buffer(sound.receiver)
        try:
            await connection.setRemoteDescription(RTCSessionDescription(sdp=sdp, type="offer"))
            aiortc_private.offer_loopback(connection)
            await connection.setLocalDescription()
        except Exception as error:
            # aiortc's parser raises whatever it stumbles over: KeyError, AssertionError, ...
            logger.debug("offer refused", exc_info=True)
            raise ProtocolError(
                f"The SDP offer cannot be used: {error or type(error).__name__}.",
                code="invalid_offer",
                param="sdp",
            ) from error
        return connection.localDescription.sdp

    async def _carry(self, track: MediaStreamTrack) -> None:
        if track.kind == "audio":
            await microphone.listen(track, self._frames)
        else:
            await pictures.watch(track, self.camera)

    async def _watch_line(self) -> None:
        """Looks are counted, not time: a machine that slept has not lost its peers."""
        received, silent_looks = 0, 0
        while silent_looks < GONE_AFTER_S:
            await asyncio.sleep(1)
            before, received = received, await self._packets_received()
            silent_looks = silent_looks + 1 if received == before else 0
            if aiortc_private.unread_bytes(self._connection) > MAX_UNREAD_BYTES:
                mistake = ProtocolError("An event is far too large.", code="message_too_large")
                self._transmit(wire.error_about(mistake))
                logger.warning("the peer sends an event without an end: it is hung up on")
                break
        else:
            logger.info("nothing came from the peer for %d s: it is gone", GONE_AFTER_S)
        self._gone.set()

    async def _packets_received(self) -> int:
        stats = await self._connection.getStats()
        return sum(s.packetsReceived for s in stats.values() if s.type == "transport")

    def _on_track(self, track: MediaStreamTrack) -> None:
        self._tracks.append(track)

    def _on_state(self) -> None:
        if self._connection.connectionState in ("failed", "closed"):
            self._gone.set()

    def _on_datachannel(self, channel: RTCDataChannel) -> None:
        if channel.label != CHANNEL_LABEL or self._channel is not None:
            return
        channel.on("message", self._on_message)
        self._channel = channel
        for message in self._translator.greeting():
            self._transmit(message)
        while self._waiting:
            self._transmit(self._waiting.popleft())

    def _on_message(self, text: str | bytes) -> None:
        try:
            if isinstance(text, bytes):
                raise ProtocolError("An event must be JSON text, not binary.", code="invalid_json")
            event = realtime.parse(text)
            if isinstance(event, realtime.Ping):
                # At once: the client takes the time in between for the line's.
                _, messages = self._translator.from_wire(event)
                for message in messages:
                    self._transmit(message)
            else:
                self.request(event)
        except ProtocolError as mistake:
            self._transmit(wire.error_about(mistake))

    def _transmit(self, message: wire.Message) -> None:
        """Never waits; dropped when the channel is closed or the line does not keep up."""
        channel = self._channel
        if channel is None:
            self._waiting.append(message)
        elif channel.readyState == "open" and channel.bufferedAmount < MAX_BUFFERED_BYTES:
            text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
            try:
                channel.send(text)
            except ValueError:
                logger.warning("%s is larger than the peer takes", message["type"])
