"""How sound is written in a WebSocket's messages. Pure."""

from __future__ import annotations

from enum import Enum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assistant.types import Pcm


class AudioFormat(Enum):
    """By the protocol's names, all mono."""

    PCM = "audio/pcm"
    """16 bits, little-endian, 24 kHz."""

    MU_LAW = "audio/pcmu"
    """G.711, 8 kHz."""

    A_LAW = "audio/pcma"
    """G.711, 8 kHz."""

    @property
    def rate_hz(self) -> int:
        return 24_000 if self is AudioFormat.PCM else 8_000

    @property
    def sample_bytes(self) -> int:
        return 2 if self is AudioFormat.PCM else 1

    def decode(self, encoded: bytes) -> Pcm:
        """`encoded`: whole samples."""
        if self is AudioFormat.PCM:
            return np.frombuffer(encoded, "<i2").astype(np.int16)
        return _levels(self)[np.frombuffer(encoded, np.uint8)]

    def encode(self, samples: Pcm) -> bytes:
        if self is AudioFormat.PCM:
            return samples.astype("<i2").tobytes()
        return _codes(self)[samples.astype(np.int32) + 32_768].tobytes()


@cache
def _levels(law: AudioFormat) -> Pcm:
    """What each of the 256 codes stands for. Source: ITU-T G.711, tables 1 and 2."""
    code = np.arange(256)
    if law is AudioFormat.MU_LAW:
        code = ~code & 0xFF
        segment, step = code >> 4 & 7, code & 15
        magnitude = ((step << 3) + 132 << segment) - 132
        sign = np.where(code & 0x80, -1, 1)
    else:
        code = code ^ 0x55
        segment, step = code >> 4 & 7, code & 15
        magnitude = np.where(
            segment == 0, (step << 4) + 8, (step << 4) + 264 << np.maximum(segment - 1, 0)
        )
        sign = np.where(code & 0x80, 1, -1)
    return np.asarray(sign * magnitude, np.int16)


@cache
def _codes(law: AudioFormat) -> NDArray[np.uint8]:
    """The code with the nearest level for each sample from -32768 to 32767."""
    levels = _levels(law).astype(np.int32)
    order = np.argsort(levels, kind="stable")
    between = (levels[order][1:] + levels[order][:-1]) / 2
    return order[np.searchsorted(between, np.arange(-32_768, 32_768))].astype(np.uint8)
