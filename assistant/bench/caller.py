"""A caller without a browser, who calls again when the line is lost, as the page does."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from aiortc import RTCConfiguration, RTCDataChannel, RTCPeerConnection, RTCSessionDescription
from aiortc.rtp import RtpPacket

from assistant.bench.mouth import Mouth
from assistant.bench.relay import Link, Relay
from assistant.transport import aiortc_private
from assistant.transport.microphone import Microphone
from assistant.transport.tracks import OutgoingTrack

PING_S, DEAD_AFTER_S = 1.0, 4.0
TRY_AGAIN_S = (0.0, 0.5, 1.0, 2.0, 3.0)
CONNECTING_S = 10.0
"""The page's own numbers."""

GAP_S = 0.08
"""A packet that follows the one before it by this much longer than it should is heard as a gap:
60 ms is what a listener's buffer bears."""

_PACKET_SAMPLES = 960
_AUDIBLE = 328
"""-40 dB of full scale."""


class Caller:
    """Leaving its block ends the conversation."""

    def __init__(self, url: str, relay: Relay) -> None:
        self.mouth = Mouth()
        self.events: list[dict[str, Any]] = []
        self.loud_at_s = 0.0
        """Monotonic time at which something audible came last."""

        self.heard_at_s = 0.0
        """Monotonic time at which the server told something last."""

        self.n_gaps = 0
        self._url = url
        self._relay = relay
        self._news = asyncio.Event()
        self._token = self._last_event_id = ""
        self._location = ""
        self._line: RTCPeerConnection | None = None
        self._channel: RTCDataChannel | None = None
        self._link: Link | None = None
        self._beating: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Caller:
        await self.connect()
        self._beating = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._leave()
        with suppress(OSError):
            await asyncio.to_thread(self._request, self._location, None, "DELETE")

    async def vanish(self) -> None:
        """As a browser does that is killed: not a word reaches the server from now on."""
        assert self._link is not None
        self._link.close()
        await self._leave()

    async def connect(self) -> float:
        """Until events can be sent, in ms. Raises OSError and TimeoutError."""
        began_at_s = time.monotonic()
        async with asyncio.timeout(CONNECTING_S):
            line = self._line = RTCPeerConnection(RTCConfiguration(iceServers=[]))
            channel = self._channel = line.createDataChannel("oai-events")
            is_open = asyncio.Event()
            channel.on("open", is_open.set)
            channel.on("message", self._take)
            line.addTrack(OutgoingTrack(self.mouth, leaves_out_silence=False))
            hear = _Ears(self)
            aiortc_private.take_packets(line.getTransceivers()[0].receiver, hear.take)
            link = self._link = await self._relay.link()
            aiortc_private.gather_here(line, range(0))
            await line.setLocalDescription()
            offer = link.hide(line.localDescription.sdp)
            answer = await asyncio.to_thread(self._request, "/v1/realtime/calls", offer, "POST")
            await line.setRemoteDescription(RTCSessionDescription(link.through(answer), "answer"))
            await is_open.wait()
        self.heard_at_s = time.monotonic()
        return 1_000 * (time.monotonic() - began_at_s)

    def send(self, kind: str, **fields: Any) -> None:
        if self._channel is not None and self._channel.readyState == "open":
            self._channel.send(json.dumps({"type": kind, **fields}))

    def type(self, text: str) -> None:
        content = [{"type": "input_text", "text": text}]
        item = {"type": "message", "role": "user", "content": content}
        self.send("conversation.item.create", item=item)
        self.send("response.create")

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]

    async def wait_for(self, kind: str, n: int = 1, *, patience_s: float = 60) -> dict[str, Any]:
        """The `n`th event of a kind. Raises TimeoutError."""
        await self.until(lambda: len(self.of(kind)) >= n, patience_s=patience_s)
        return self.of(kind)[n - 1]

    async def until(self, is_so: Callable[[], bool], *, patience_s: float = 60) -> None:
        """Looked at with every event and every 10 ms. Raises TimeoutError."""
        async with asyncio.timeout(patience_s):
            while not is_so():
                self._news.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.01):
                        await self._news.wait()

    async def _beat(self) -> None:
        """Ping, and call again when nothing comes back."""
        while True:
            if time.monotonic() - self.heard_at_s < DEAD_AFTER_S:
                self.send("assistant.ping", sent_at_ms=1_000 * time.monotonic())
                await asyncio.sleep(PING_S)
                continue
            for wait_s in (*TRY_AGAIN_S, *[TRY_AGAIN_S[-1]] * 200):
                await self._hang_up()
                await asyncio.sleep(wait_s)
                with suppress(OSError, TimeoutError):
                    await self.connect()
                    break

    def _request(self, path: str, body: str | None, method: str) -> str:
        if self._relay.is_dark:
            raise ConnectionError("a blackout")
        headers = {"Content-Type": "application/sdp"}
        if self._token:
            headers["Assistant-Resume"] = self._token
        if self._last_event_id:
            headers["Last-Event-ID"] = self._last_event_id
        content = None if body is None else body.encode()
        asked = urllib.request.Request(
            self._url + path, data=content, headers=headers, method=method
        )
        with urllib.request.urlopen(asked, timeout=CONNECTING_S) as answer:
            self._location = answer.headers["Location"] or self._location
            text: str = answer.read().decode()
        return text

    def _take(self, text: str) -> None:
        event = json.loads(text)
        self.heard_at_s = time.monotonic()
        if event["type"] != "assistant.pong":
            self._last_event_id = event["event_id"]
            self.events.append(event)
        if event["type"] == "assistant.resume":
            self._token = event["token"]
        self._news.set()

    async def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    async def _leave(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait([self._beating])
        await self._hang_up()


class _Ears:
    """Of one line: how loud it is, and what comes too late."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._microphone = Microphone()
        self._last: tuple[int, float] | None = None

    def take(self, packet: RtpPacket) -> None:
        now_s = time.monotonic()
        if self._last is not None:
            timestamp, at_s = self._last
            is_next = packet.timestamp - timestamp == _PACKET_SAMPLES
            self._caller.n_gaps += is_next and now_s - at_s > GAP_S
        self._last = packet.timestamp, now_s
        for frame in self._microphone.hear(
            packet.sequence_number, packet.timestamp, packet.payload, arrived_at_s=now_s
        ):
            if np.abs(frame.samples.astype(np.int32)).max() > _AUDIBLE:
                self._caller.loud_at_s = now_s
