"""What a WebRTC microphone sends, as the frames that the rest of the program hears."""

from __future__ import annotations

import time
from contextlib import suppress

import numpy as np
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioFrame as DecodedFrame

from assistant.transport.feed import Feed
from assistant.transport.resample import Resampler
from assistant.types import AudioFrame, Pcm

WIRE_RATE_HZ = 48_000
SAMPLE_RATE_HZ = 16_000
SAMPLES_PER_FRAME = 320
FRAME_S = SAMPLES_PER_FRAME / SAMPLE_RATE_HZ


async def listen(track: MediaStreamTrack, feed: Feed[AudioFrame]) -> None:
    """Move what `track` brings into `feed` until it ends; a slow reader misses the oldest."""
    microphone = Microphone()
    with suppress(MediaStreamError):
        while True:
            decoded = await track.recv()
            assert isinstance(decoded, DecodedFrame)
            stereo = np.asarray(decoded.to_ndarray(), np.int16).reshape(-1, 2)
            for frame in microphone.hear(stereo, arrived_at_s=time.monotonic()):
                feed.put_newest(frame)


class Microphone:
    """Decoded Opus in, 16 kHz mono frames of 20 ms out, without waiting: 20 ms give one frame.

    A resampler that buffers would hold every frame back until the next packet comes.
    """

    def __init__(self) -> None:
        self._resampler = Resampler(WIRE_RATE_HZ, SAMPLE_RATE_HZ)
        self._rest: Pcm = np.zeros(0, np.int16)

    def hear(self, stereo: Pcm, *, arrived_at_s: float) -> list[AudioFrame]:
        """`stereo`: shape (n_samples, 2), 48 kHz."""
        mono = stereo.mean(axis=1, dtype=np.float32).astype(np.int16)
        samples = np.concatenate([self._rest, self._resampler.convert(mono)])
        n_frames = len(samples) // SAMPLES_PER_FRAME
        self._rest = samples[n_frames * SAMPLES_PER_FRAME :]
        return [
            AudioFrame(
                samples=samples[i * SAMPLES_PER_FRAME : (i + 1) * SAMPLES_PER_FRAME],
                sample_rate_hz=SAMPLE_RATE_HZ,
                captured_at_s=arrived_at_s - (n_frames - 1 - i) * FRAME_S,
            )
            for i in range(n_frames)
        ]
