"""A real WebRTC client in this process: a tone for a microphone, ears, and the events' channel."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from aiortc import (
    RTCConfiguration,
    RTCDataChannel,
    RTCPeerConnection,
    RTCSessionDescription,
    VideoStreamTrack,
)
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioFrame as DecodedFrame
from av import VideoFrame

from assistant.speaker import ReplySpeaker
from assistant.transport.tracks import OutgoingTrack
from assistant.types import ImageFrame, Pcm


class Tone:
    """An endless sine, for either end of a call. Has a `Playout`'s methods."""

    def __init__(self, frequency_hz: float, rate_hz: int = 48_000) -> None:
        self._step = 2 * np.pi * frequency_hz / rate_hz
        self._at = 0
        self.rewound_to_s: float | None = None

    def pull(self, n_samples: int) -> Pcm:
        phases = self._step * np.arange(self._at, self._at + n_samples)
        self._at += n_samples
        return np.asarray(8_000 * np.sin(phases), np.int16)

    @property
    def n_pulled(self) -> int:
        return self._at

    def rewind(self, since_s: float) -> None:
        self.rewound_to_s = since_s

    def new_speaker(self, on_phrase: Callable[[str], None]) -> ReplySpeaker:
        raise NotImplementedError


class Sight:
    """A camera that keeps all that it is shown."""

    def __init__(self) -> None:
        self.frames: list[ImageFrame] = []
        self.was_shown = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def put(self, frame: ImageFrame) -> None:
        self.frames.append(frame)
        self._loop.call_soon_threadsafe(self.was_shown.set)

    def pick(self, *, unlike: ImageFrame | None = None) -> ImageFrame | None:
        return self.frames[-1] if self.frames else None

    async def refreshed(self) -> bool:
        return False


class RedVideo(VideoStreamTrack):
    """Thirty red frames a second."""

    async def recv(self) -> VideoFrame:
        pts, time_base = await self.next_timestamp()
        pixels = np.zeros((120, 160, 3), np.uint8)
        pixels[..., 0] = 200
        frame = VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts, frame.time_base = pts, time_base
        return frame


class WebRtcClient:
    """Call `offer`, have it answered, give the answer to `take`; `async with` closes it."""

    def __init__(self, *, tone_hz: float = 440.0, has_camera: bool = False) -> None:
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.channel: RTCDataChannel = self.connection.createDataChannel("oai-events")
        self.channel.on("message", self._on_message)
        self.connection.on("track", self._on_track)
        self.connection.addTrack(OutgoingTrack(Tone(tone_hz)))
        if has_camera:
            self.connection.addTrack(RedVideo())
        self.events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.heard: list[Pcm] = []
        self._listening: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> WebRtcClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.connection.close()
        for task in self._listening:
            await task

    async def offer(self) -> str:
        await self.connection.setLocalDescription()
        return self.connection.localDescription.sdp

    async def answer(self, offer: str) -> str:
        await self.connection.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        await self.connection.setLocalDescription()
        return self.connection.localDescription.sdp

    async def is_open(self) -> None:
        """Return when events can be sent."""
        if self.channel.readyState != "open":
            is_open = asyncio.Event()
            self.channel.on("open", is_open.set)
            await is_open.wait()

    async def take(self, answer: str) -> None:
        await self.connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))

    async def hears(self, n_packets: int = 10) -> None:
        """Return when so many more packets of sound have come."""
        n_packets += len(self.heard)
        while len(self.heard) < n_packets:  # noqa: ASYNC110 - nobody announces it
            await asyncio.sleep(0.01)

    def send(self, event: dict[str, Any]) -> None:
        self.channel.send(json.dumps(event))

    async def next_event(self, kind: str) -> dict[str, Any]:
        """The next event of this type; those before it are thrown away."""
        while True:
            event = await self.events.get()
            if event["type"] == kind:
                return event

    def _on_message(self, text: str) -> None:
        self.events.put_nowait(json.loads(text))

    def _on_track(self, track: MediaStreamTrack) -> None:
        self._listening.append(asyncio.create_task(self._listen(track)))

    async def _listen(self, track: MediaStreamTrack) -> None:
        with suppress(MediaStreamError):
            while True:
                frame = await track.recv()
                assert isinstance(frame, DecodedFrame)
                self.heard.append(np.asarray(frame.to_ndarray(), np.int16).reshape(-1, 2)[:, 0])


def main_frequency_hz(samples: Pcm, rate_hz: int) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum)) * rate_hz / len(samples)
