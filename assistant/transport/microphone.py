"""What a WebRTC microphone sends, as the frames that the rest of the program hears.

The RTP timestamps say how much sound there was. Where packets are missing, lost on the way or never
sent in a silence (DTX), as much sound is filled in: a word may suffer, but it keeps its length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assistant.transport.jitter import LowDelayBuffer, signed_distance
from assistant.transport.opus import HEARD_RATE_HZ, SENT_RATE_HZ, Decoder
from assistant.types import AudioFrame, Pcm

SAMPLE_RATE_HZ = HEARD_RATE_HZ
SAMPLES_PER_FRAME = SAMPLE_RATE_HZ // 50
FRAME_S = SAMPLES_PER_FRAME / SAMPLE_RATE_HZ
FACTOR = SENT_RATE_HZ // SAMPLE_RATE_HZ

IDLE_AFTER_S = 0.1
"""Nothing has come for this long: the sender is silent or the line is. Jitter is 80 ms at most."""

MAX_FILL_S = 1.0
"""After this much without a packet the microphone itself is off."""

GUESSED_SAMPLES = SAMPLE_RATE_HZ // 10
"""Opus would go on humming for a second; what it guesses is worth something for 100 ms."""

_GRAIN = SAMPLE_RATE_HZ // 400
"""Opus conceals in steps of 2.5 ms."""


@dataclass(frozen=True, slots=True)
class _Sound:
    timestamp: int
    """RTP's: 48 kHz samples, 32 bits, from anywhere."""

    payload: bytes


class Microphone:
    """RTP packets of Opus in, 16 kHz mono frames of 20 ms out, each as soon as it can be."""

    def __init__(self) -> None:
        self._decoder = Decoder()
        self._buffer: LowDelayBuffer[_Sound] = LowDelayBuffer()
        self._next_timestamp: int | None = None
        self._rest: Pcm = np.zeros(0, np.int16)
        self._heard_at_s = 0.0
        self._idle_frames = 0

    def hear(
        self, sequence_number: int, timestamp: int, payload: bytes, *, arrived_at_s: float
    ) -> list[AudioFrame]:
        """The frames that this packet completes."""
        ready = self._buffer.push(sequence_number, _Sound(timestamp, payload))
        parts = [self._decode(sound) for sound in ready]
        self._heard_at_s, self._idle_frames = arrived_at_s, 0
        return self._frames(parts, arrived_at_s)

    def idle(self, now_s: float) -> list[AudioFrame]:
        """The frames that are due though nothing comes: call it now and then."""
        idle_s = now_s - self._heard_at_s
        if self._next_timestamp is None or idle_s < IDLE_AFTER_S:
            return []
        parts = [self._decode(sound) for sound in self._buffer.flush()]
        n_due = int(min(idle_s, MAX_FILL_S) / FRAME_S) - self._idle_frames
        if n_due > 0:
            parts.append(self._guess(n_due * SAMPLES_PER_FRAME, is_new=not self._idle_frames))
            self._next_timestamp += n_due * SAMPLES_PER_FRAME * FACTOR
            self._idle_frames += n_due
        return self._frames(parts, now_s)

    def _decode(self, sound: _Sound) -> Pcm:
        missing = self._missing_samples(sound.timestamp)
        try:
            filling = self._fill(missing, sound.payload)
            decoded = self._decoder.decode(sound.payload)
        except ValueError:  # damaged, or no Opus: as good as lost
            return self._rest[:0]
        self._next_timestamp = sound.timestamp + len(decoded) * FACTOR
        return np.concatenate([filling, decoded])

    def _fill(self, n_samples: int, next_payload: bytes) -> Pcm:
        if n_samples == 0:
            return self._rest[:0]
        if n_samples <= GUESSED_SAMPLES:
            return self._decoder.recover(next_payload, n_samples)
        return self._guess(n_samples, is_new=self._idle_frames == 0)

    def _guess(self, n_samples: int, *, is_new: bool) -> Pcm:
        """How the sound goes on, fading into silence."""
        filling = np.zeros(n_samples, np.int16)
        if is_new:
            guessed = self._decoder.conceal(min(n_samples, GUESSED_SAMPLES))
            filling[: len(guessed)] = guessed * np.linspace(1, 0, len(guessed), dtype=np.float32)
        return filling

    def _missing_samples(self, timestamp: int) -> int:
        """How much sound lies between the last packet and this one, as far as it is worth it."""
        if self._next_timestamp is None:
            return 0
        missing = signed_distance(self._next_timestamp, timestamp, bits=32) // FACTOR
        # A leap is another stream's clock, or a microphone that was off.
        if not 0 < missing <= MAX_FILL_S * SAMPLE_RATE_HZ:
            return 0
        return missing - missing % _GRAIN

    def _frames(self, parts: list[Pcm], arrived_at_s: float) -> list[AudioFrame]:
        """The last sample of `parts` was captured just now, as far as anybody can tell here."""
        samples = np.concatenate([self._rest, *parts])
        n_frames = len(samples) // SAMPLES_PER_FRAME
        self._rest = samples[n_frames * SAMPLES_PER_FRAME :]
        end_at_s = arrived_at_s - len(self._rest) / SAMPLE_RATE_HZ
        return [
            AudioFrame(
                samples=samples[i * SAMPLES_PER_FRAME : (i + 1) * SAMPLES_PER_FRAME],
                sample_rate_hz=SAMPLE_RATE_HZ,
                captured_at_s=end_at_s - (n_frames - i) * FRAME_S,
            )
            for i in range(n_frames)
        ]
