"""One peer connection: from a client's offer until the other end is gone.

aiortc's callbacks only put things into bounded queues; the work is done by `run`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

import numpy as np
from aiortc import (
    RTCConfiguration,
    RTCDataChannel,
    RTCIceServer,
    RTCPeerConnection,
    RTCRtpReceiver,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamTrack
from aiortc.rtp import RtpPacket
from aiortc.stats import RTCStatsReport

from assistant.config import ServerConfig
from assistant.errors import BusyError, ProtocolError
from assistant.transport import aiortc_private, pictures, sdp
from assistant.transport import server_events as wire
from assistant.transport.feed import Feed
from assistant.transport.ice_servers import ice_servers
from assistant.transport.jitter import signed_distance
from assistant.transport.microphone import FRAME_S, IDLE_AFTER_S, Microphone
from assistant.transport.pictures import CameraSink
from assistant.transport.rate import Rate
from assistant.transport.realtime import MAX_EVENT_BYTES
from assistant.transport.tracks import AudioSource, OutgoingTrack
from assistant.types import AudioFrame, Pcm

logger = logging.getLogger(__name__)

CHANNEL_LABEL = "oai-events"

LOOK_S = 0.5

LOST_AFTER_S = 4.0
"""Without a sign of a client that pings every second."""

GONE_AFTER_S = 10.0
"""Without a sign of any other. Even one without a microphone reports on what it hears every 7.5 s
at the latest; aioice's own checks take 33 s to give up."""

BLACKOUT_S = 0.5
"""Sound that is missing for this long in one piece: the line was dead, both ways."""

MAX_UNREAD_BYTES = 4 * MAX_EVENT_BYTES
"""Of events that have not come to their end. Browsers and aiortc send none this large."""

MAX_BUFFERED_BYTES = 1024 * 1024
"""Sent but not acknowledged; whatever would come on top is dropped."""


class Ending(StrEnum):
    """Why a line came to its end."""

    CLOSED = "closed"
    """Somebody hung up."""

    LOST = "lost"
    """Nothing came any more."""


class Line:
    """Call `answer`, then `run`; `close` may be called at any time."""

    def __init__(
        self,
        *,
        source: AudioSource,
        frames: Feed[AudioFrame],
        camera: CameraSink,
        on_open: Callable[[Line], None],
        on_message: Callable[[str | bytes], None],
        on_return: Callable[[float], None],
        config: ServerConfig,
    ) -> None:
        """`on_return` is called after a blackout that the line outlived, with when it began."""
        self.heard_at_s: float | None = None
        """Monotonic time at which the last sound or event came; None while none has."""

        self.is_pinged = False
        """The client pings: silence means something."""

        self._source = source
        self._frames = frames
        self._camera = camera
        self._on_open = on_open
        self._on_message = on_message
        self._on_return = on_return
        self._config = config
        # Without a list of its own aiortc asks a public STUN server.
        servers = [
            RTCIceServer(list(each.urls), each.username, each.credential)
            for each in ice_servers(config)
        ]
        self._connection = RTCPeerConnection(RTCConfiguration(iceServers=servers))
        self._connection.on("track", self._on_track)
        self._connection.on("datachannel", self._on_datachannel)
        self._connection.on("connectionstatechange", self._on_state)
        self._track = OutgoingTrack(self)
        self._video: MediaStreamTrack | None = None
        self._channel: RTCDataChannel | None = None
        self._microphone = Microphone()
        self._sound_at_s: float | None = None
        self._last_number = 0
        self._rate = Rate()
        self._reported_at: datetime | None = None
        self._ending: Ending | None = None
        self._has_ended = asyncio.Event()
        self._closing: asyncio.Task[None] | None = None

    async def answer(self, offer: str) -> str:
        """The SDP answer; media flow once `run` is called.

        Raises ProtocolError and BusyError; the line is closed then.
        """
        try:
            return await self._answer(sdp.tidy(offer))
        except BaseException:
            await self.close()
            raise

    async def run(self) -> Ending:
        """Carry sound, pictures and events until the line is lost or closed, or this cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                work = [self._watch(), self._fill_silence()]
                if self._video is not None:
                    work.append(pictures.watch(self._video, self._camera))
                carrying = [tasks.create_task(each) for each in work]
                await self._has_ended.wait()
                for task in carrying:
                    task.cancel()
        finally:
            await self.close()
        assert self._ending is not None
        return self._ending

    def hang_up(self) -> None:
        """Have `run` come to its end. Nothing goes out from now on."""
        self._end(Ending.CLOSED)

    async def close(self) -> None:
        """Let go of everything, however far the call had come. May be called twice."""
        self._end(Ending.CLOSED)
        # Shielded, since a close of aiortc's that is interrupted is never finished by another.
        if self._closing is None:
            self._closing = asyncio.create_task(self._connection.close())
        await asyncio.shield(self._closing)

    def transmit(self, message: wire.Message) -> None:
        """Never waits; dropped when the channel is closed or the line does not keep up."""
        channel = self._channel
        if channel is None or channel.readyState != "open":
            return
        if channel.bufferedAmount < MAX_BUFFERED_BYTES:
            text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
            try:
                channel.send(text)
            except ValueError:
                logger.warning("%s is larger than the peer takes", message["type"])

    def pull(self, n_samples: int) -> Pcm:
        """What goes out. A line that has ended takes nothing from the one that follows it."""
        if self._ending is not None:
            return np.zeros(n_samples, np.int16)
        return self._source.pull(n_samples)

    async def _answer(self, offer: str) -> str:
        connection = self._connection
        connection.addTrack(self._track)
        (sound,) = connection.getTransceivers()
        known = RTCRtpReceiver.getCapabilities("audio")
        assert known is not None
        sound.setCodecPreferences([each for each in known.codecs if each.mimeType == "audio/opus"])
        aiortc_private.take_packets(sound.receiver, self._take_packet)
        try:
            await connection.setRemoteDescription(RTCSessionDescription(sdp=offer, type="offer"))
            aiortc_private.gather_here(connection, _udp_ports(self._config))
            await connection.setLocalDescription()
        except BusyError:
            raise
        except Exception as error:
            # aiortc's parser raises whatever it stumbles over: KeyError, AssertionError, ...
            logger.debug("offer refused", exc_info=True)
            raise ProtocolError(
                f"The SDP offer cannot be used: {error or type(error).__name__}.",
                code="invalid_offer",
                param="sdp",
            ) from error
        return sdp.complete(
            connection.localDescription.sdp, announced_address=self._config.announced_address
        )

    async def _watch(self) -> None:
        """Looks are counted, not time: a machine that slept has not lost its peers."""
        received, silent_s = 0, 0.0
        while silent_s < (LOST_AFTER_S if self.is_pinged else GONE_AFTER_S):
            await asyncio.sleep(LOOK_S)
            stats = await self._connection.getStats()
            before, received = received, _packets_received(stats)
            silent_s = silent_s + LOOK_S if received == before else 0
            self._adapt(stats)
            if aiortc_private.unread_bytes(self._connection) > MAX_UNREAD_BYTES:
                logger.warning("the peer sends an event without an end: it is hung up on")
                mistake = ProtocolError("An event is far too large.", code="message_too_large")
                self.transmit(wire.error_about(mistake))
                self._end(Ending.CLOSED)
                return
        logger.info("nothing came from the peer for %.0f s: the line is lost", silent_s)
        self._end(Ending.LOST)

    def _adapt(self, stats: RTCStatsReport) -> None:
        """Send as much as the listener reports to arrive."""
        for report in stats.values():
            if report.type == "remote-inbound-rtp" and report.timestamp != self._reported_at:
                self._reported_at = report.timestamp
                self._rate.report(loss=report.fractionLost / 256, round_trip_s=report.roundTripTime)
                self._track.encoder.adapt(bits_per_s=self._rate.bits_per_s, loss=self._rate.loss)

    async def _fill_silence(self) -> None:
        while True:
            now_s = time.monotonic()
            for frame in self._microphone.idle(now_s):
                self._frames.put_newest(frame)
            quiet_s = now_s - (self._sound_at_s or now_s)
            await asyncio.sleep(FRAME_S if quiet_s >= IDLE_AFTER_S else IDLE_AFTER_S - quiet_s)

    def _take_packet(self, packet: RtpPacket) -> None:
        now_s = time.monotonic()
        if self._sound_at_s is not None:
            missing = signed_distance(self._last_number, packet.sequence_number)
            if min(now_s - self._sound_at_s, missing * FRAME_S) > BLACKOUT_S:
                self._on_return(self._sound_at_s)
        self._last_number = packet.sequence_number
        self.heard_at_s = self._sound_at_s = now_s
        for frame in self._microphone.hear(
            packet.sequence_number, packet.timestamp, packet.payload, arrived_at_s=now_s
        ):
            self._frames.put_newest(frame)

    def _end(self, ending: Ending) -> None:
        self._ending = self._ending or ending
        self._has_ended.set()

    def _on_track(self, track: MediaStreamTrack) -> None:
        if track.kind == "video":
            self._video = track
            for receiver in self._connection.getReceivers():
                if receiver.track is track:
                    aiortc_private.decode_at_once(receiver)

    def _on_state(self) -> None:
        match self._connection.connectionState:
            case "failed":
                self._end(Ending.LOST)
            case "closed":
                self._end(Ending.CLOSED)

    def _on_datachannel(self, channel: RTCDataChannel) -> None:
        if channel.label != CHANNEL_LABEL or self._channel is not None:
            return
        channel.on("message", self._take_message)
        self._channel = channel
        self._on_open(self)

    def _take_message(self, text: str | bytes) -> None:
        self.heard_at_s = time.monotonic()
        if self._ending is None:
            self._on_message(text)


def _packets_received(stats: RTCStatsReport) -> int:
    return sum(each.packetsReceived for each in stats.values() if each.type == "transport")


def _udp_ports(config: ServerConfig) -> range:
    """Those to choose from; empty for any."""
    if not config.udp_first_port:
        return range(0)
    return range(config.udp_first_port, config.udp_last_port + 1)
