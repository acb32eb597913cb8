"""What a WebRTC microphone sends, as the frames that the rest of the program hears."""

from __future__ import annotations

import time
from contextlib import suppress

import numpy as np
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioFrame as DecodedFrame
from numpy.typing import NDArray

from assistant.transport.feed import Feed
from assistant.types import AudioFrame, Pcm

WIRE_RATE_HZ = 48_000
SAMPLE_RATE_HZ = 16_000
FACTOR = WIRE_RATE_HZ // SAMPLE_RATE_HZ
SAMPLES_PER_FRAME = 320
FRAME_S = SAMPLES_PER_FRAME / SAMPLE_RATE_HZ

N_TAPS = 63
"""Delays by 31 samples of 48 kHz, which is 0.6 ms."""

CUTOFF_HZ = 7_200


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
        self._taps = _low_pass()
        self._history: NDArray[np.float32] = np.zeros(N_TAPS - 1, np.float32)
        self._rest: Pcm = np.zeros(0, np.int16)

    def hear(self, stereo: Pcm, *, arrived_at_s: float) -> list[AudioFrame]:
        """`stereo`: shape (n_samples, 2), 48 kHz, n_samples a multiple of 3."""
        samples = np.concatenate(
            [self._rest, self._decimate(stereo.mean(axis=1, dtype=np.float32))]
        )
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

    def _decimate(self, mono: NDArray[np.float32]) -> Pcm:
        padded = np.concatenate([self._history, mono])
        self._history = padded[-(N_TAPS - 1) :]
        windows = np.lib.stride_tricks.sliding_window_view(padded, N_TAPS)[::FACTOR]
        return np.clip(np.rint(windows @ self._taps), -32_768, 32_767).astype(np.int16)


def _low_pass() -> NDArray[np.float32]:
    """A windowed sinc that keeps what 16 kHz can carry; its sum is 1, so loudness stays."""
    at = np.arange(N_TAPS) - (N_TAPS - 1) / 2
    taps = np.sinc(2 * CUTOFF_HZ / WIRE_RATE_HZ * at) * np.kaiser(N_TAPS, 6)
    return np.asarray(taps / taps.sum(), np.float32)
