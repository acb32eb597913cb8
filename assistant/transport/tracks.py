"""The sound that goes out: one track, a packet every 20 ms, next to nothing between answers."""

from __future__ import annotations

import asyncio
import time
from fractions import Fraction
from typing import Any, Protocol

from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import Packet

from assistant.transport.opus import SAMPLES_PER_PACKET, SENT_RATE_HZ, Encoder
from assistant.transport.rate import MAX_BITS_PER_S
from assistant.types import Pcm

FRAME_S = SAMPLES_PER_PACKET / SENT_RATE_HZ

MAX_LATE_FRAMES = 3
"""Frames that may be sent late, one after another: 60 ms is what a listener's own buffer bears."""


class AudioSource(Protocol):
    def pull(self, n_samples: int) -> Pcm:
        """Exactly this many samples of 48 kHz mono, with silence where there is nothing to say."""
        ...


class Pace:
    """When each frame is due, on one clock from the first frame on, so that nothing drifts. Pure.

    Frames that are a little late are sent at once. After a longer stall their places are skipped:
    a burst would only fill the listener's buffer, and every later word would be that much older.
    """

    def __init__(self, first_at_s: float) -> None:
        self._first_at_s = first_at_s
        self._next = 0

    def next_frame(self, now_s: float) -> tuple[int, float]:
        """The next frame's place in the stream, counted from 0, and when it is due."""
        late = int((now_s - self._first_at_s) / FRAME_S) - self._next
        if late > MAX_LATE_FRAMES:
            self._next += late
        place = self._next
        self._next += 1
        return place, self._first_at_s + place * FRAME_S


class OutgoingTrack(MediaStreamTrack):
    """Pulls 48 kHz mono from `source` in real time and brings it to aiortc as Opus.

    Encoding takes 0.2 ms, less than handing it to a thread and back. aiortc would queue it in the
    loop's executor, behind pictures that are decoded there.
    """

    kind = "audio"

    def __init__(self, source: AudioSource, *, leaves_out_silence: bool = True) -> None:
        super().__init__()
        self.encoder = Encoder(MAX_BITS_PER_S, leaves_out_silence=leaves_out_silence)
        self._source = source
        self._pace: Pace | None = None

    async def recv(self) -> Packet[Any]:
        """The next packet, when it is due. Raises MediaStreamError once the track is stopped."""
        while True:
            place = await self._next_place()
            encoded = self.encoder.encode(self._source.pull(SAMPLES_PER_PACKET))
            if encoded is not None:
                break
        packet = Packet(encoded)
        packet.pts = place * SAMPLES_PER_PACKET
        packet.time_base = Fraction(1, SENT_RATE_HZ)
        return packet

    async def _next_place(self) -> int:
        if self.readyState != "live":
            raise MediaStreamError
        now_s = time.monotonic()
        if self._pace is None:
            self._pace = Pace(now_s)
        place, due_at_s = self._pace.next_frame(now_s)
        await asyncio.sleep(due_at_s - now_s)  # yields even where it is negative
        return place
