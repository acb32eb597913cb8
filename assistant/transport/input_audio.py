"""The sound that a client sends in messages."""

from __future__ import annotations

import numpy as np

from assistant.errors import ProtocolError
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.microphone import FRAME_S, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME
from assistant.transport.resample import Resampler
from assistant.types import AudioFrame, Pcm

MAX_WAITING_S = 120
"""Of sound that was appended and not committed; more is refused."""

MIN_COMMITTED_S = 0.1


def recording(encoded: bytes, audio_format: AudioFormat) -> Pcm:
    """A whole recording at 16 kHz. Raises ProtocolError."""
    return Resampler(audio_format.rate_hz, SAMPLE_RATE_HZ).convert(_decode(encoded, audio_format))


class InputBuffer:
    """What was appended. With turn detection it goes on as a microphone's frames; without it waits
    to be committed."""

    def __init__(self) -> None:
        self._format = AudioFormat.PCM
        self._resampler = Resampler(self._format.rate_hz, SAMPLE_RATE_HZ)
        self._waiting: list[Pcm] = []
        self._rest: Pcm = np.zeros(0, np.int16)
        self._newest_at_s = 0.0

    def append(self, encoded: bytes, audio_format: AudioFormat) -> Pcm:
        """The same at 16 kHz. Raises ProtocolError."""
        if audio_format is not self._format:
            self._format = audio_format
            self._resampler = Resampler(audio_format.rate_hz, SAMPLE_RATE_HZ)
        return self._resampler.convert(_decode(encoded, audio_format))

    def keep(self, samples: Pcm) -> None:
        """Until it is committed. Raises ProtocolError when there is too much."""
        if sum(map(len, self._waiting)) + len(samples) > MAX_WAITING_S * SAMPLE_RATE_HZ:
            raise ProtocolError(
                f"More than {MAX_WAITING_S} seconds wait to be committed.",
                code="input_audio_buffer_full",
            )
        self._waiting.append(samples)

    def commit(self) -> Pcm:
        """All that waits. Raises ProtocolError when that is too little to be anything."""
        samples = np.concatenate([*self._waiting, np.zeros(0, np.int16)])
        if len(samples) < MIN_COMMITTED_S * SAMPLE_RATE_HZ:
            raise ProtocolError(
                f"At least {1_000 * MIN_COMMITTED_S:g} ms of sound are needed, and "
                f"{1_000 * len(samples) / SAMPLE_RATE_HZ:.0f} ms are here.",
                code="input_audio_buffer_commit_empty",
            )
        self.clear()
        return samples

    def clear(self) -> None:
        self._waiting = []
        self._rest = self._rest[:0]

    def frames(self, samples: Pcm, *, arrived_at_s: float) -> list[AudioFrame]:
        """As 20 ms frames of a microphone whose last sample was captured just now.

        A client may send faster than it hears; then frames bear the time of their arrival.
        """
        samples = np.concatenate([self._rest, samples])
        n_frames = len(samples) // SAMPLES_PER_FRAME
        self._rest = samples[n_frames * SAMPLES_PER_FRAME :]
        frames = []
        for i in range(n_frames):
            captured_at_s = arrived_at_s - (n_frames - i) * FRAME_S
            self._newest_at_s = max(self._newest_at_s, captured_at_s)
            frames.append(
                AudioFrame(
                    samples=samples[i * SAMPLES_PER_FRAME : (i + 1) * SAMPLES_PER_FRAME],
                    sample_rate_hz=SAMPLE_RATE_HZ,
                    captured_at_s=self._newest_at_s,
                )
            )
        return frames


def _decode(encoded: bytes, audio_format: AudioFormat) -> Pcm:
    if len(encoded) % audio_format.sample_bytes:
        raise ProtocolError(
            "The sound ends in the middle of a sample.", code="invalid_value", param="audio"
        )
    return audio_format.decode(encoded)
