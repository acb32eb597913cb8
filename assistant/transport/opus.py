"""Opus (RFC 6716), straight from the libopus that PyAV brings along.

PyAV drives the same library without what a bad line needs: a lost packet can neither be concealed
nor be taken from the redundancy of the next one, and a bit rate cannot change on the way.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from pathlib import Path

import av
import numpy as np

from assistant.errors import ServerError
from assistant.types import Pcm

SENT_RATE_HZ = 48_000
SAMPLES_PER_PACKET = 960
HEARD_RATE_HZ = 16_000

_MAX_PACKET_BYTES = 1_275
_MAX_DECODED_SAMPLES = HEARD_RATE_HZ * 120 // 1_000
"""A packet holds 120 ms at most."""

_VOICE = 2_048
_SET_BITRATE = 4_002
_SET_INBAND_FEC = 4_012
_SET_PACKET_LOSS = 4_014
_SET_DTX = 4_016


class Encoder:
    """48 kHz mono to packets of 20 ms. One takes 0.2 ms."""

    def __init__(self, bits_per_s: int, *, leaves_out_silence: bool = True) -> None:
        library = libopus()
        self._state = ctypes.create_string_buffer(library.opus_encoder_get_size(1))
        _check(library.opus_encoder_init(self._state, SENT_RATE_HZ, 1, _VOICE))
        self._set(_SET_INBAND_FEC, 1)
        self._set(_SET_DTX, int(leaves_out_silence))
        self.adapt(bits_per_s=bits_per_s, loss=0.0)
        self._packet = ctypes.create_string_buffer(_MAX_PACKET_BYTES)
        self._is_silent = False

    def adapt(self, *, bits_per_s: int, loss: float) -> None:
        """`loss`: the share of packets that get lost, 0 to 1. Redundancy is added to suit it."""
        self._set(_SET_BITRATE, bits_per_s)
        self._set(_SET_PACKET_LOSS, round(100 * loss))

    def encode(self, samples: Pcm) -> bytes | None:
        """Exactly SAMPLES_PER_PACKET samples. None in a silence that the receiver fills itself."""
        assert samples.shape == (SAMPLES_PER_PACKET,)
        pcm = np.ascontiguousarray(samples, np.int16)
        n_bytes = _check(
            libopus().opus_encode(
                self._state, pcm.ctypes.data, SAMPLES_PER_PACKET, self._packet, _MAX_PACKET_BYTES
            )
        )
        # "If the return value is 2 bytes or less, then the packet does not need to be
        # transmitted (DTX)", says opus.h. The first of them tells a browser that this is silence
        # and no loss; without it, it makes up sound.
        was_silent, self._is_silent = self._is_silent, n_bytes <= 2
        return None if self._is_silent and was_silent else self._packet.raw[:n_bytes]

    def _set(self, setting: int, value: int) -> None:
        _check(libopus().opus_encoder_ctl(self._state, setting, ctypes.c_int32(value)))


class Decoder:
    """Packets of one stream, in order, to 16 kHz mono. One takes 0.02 ms."""

    def __init__(self) -> None:
        library = libopus()
        self._state = ctypes.create_string_buffer(library.opus_decoder_get_size(1))
        _check(library.opus_decoder_init(self._state, HEARD_RATE_HZ, 1))

    def decode(self, packet: bytes) -> Pcm:
        """Raises ValueError for what is no Opus."""
        if not packet:
            raise ValueError("an empty packet")
        return self._decode(packet, _MAX_DECODED_SAMPLES, is_lost=False)

    def recover(self, packet: bytes, n_samples: int) -> Pcm:
        """What was lost just before `packet`, from its redundancy where it has any.

        `n_samples`: a multiple of 40 (2.5 ms). Raises ValueError for what is no Opus.
        """
        return self._decode(packet, n_samples, is_lost=True)

    def conceal(self, n_samples: int) -> Pcm:
        """A guess at how the sound goes on; it fades. `n_samples`: a multiple of 40 (2.5 ms)."""
        return self._decode(None, n_samples, is_lost=False)

    def _decode(self, packet: bytes | None, n_samples: int, *, is_lost: bool) -> Pcm:
        pcm = np.empty(n_samples, np.int16)
        n_decoded = libopus().opus_decode(
            self._state, packet, len(packet or b""), pcm.ctypes.data, n_samples, int(is_lost)
        )
        return pcm[: _check(n_decoded)]


@cache
def libopus() -> ctypes.CDLL:
    """Raises ServerError where there is none: PyAV's wheels bring it, a system may have it."""
    path = _find_library()
    if path is None:
        raise ServerError("The Opus codec is missing. Install libopus (Debian: libopus0).")
    library = ctypes.CDLL(path)
    pointer, whole = ctypes.c_void_p, ctypes.c_int32
    library.opus_encoder_init.argtypes = [pointer, whole, ctypes.c_int, ctypes.c_int]
    library.opus_encode.argtypes = [pointer, pointer, ctypes.c_int, pointer, whole]
    library.opus_encode.restype = whole
    library.opus_decoder_init.argtypes = [pointer, whole, ctypes.c_int]
    library.opus_decode.argtypes = [
        pointer, ctypes.c_char_p, whole, pointer, ctypes.c_int, ctypes.c_int
    ]  # fmt: skip
    library.opus_strerror.restype = ctypes.c_char_p
    return library


def _find_library() -> str | None:
    package = Path(av.__file__).parent
    for folder in (package.parent / "av.libs", package / ".dylibs"):
        for file in folder.glob("*opus*"):
            return str(file)
    return ctypes.util.find_library("opus")


def _check(result: int) -> int:
    """libopus returns what it did, or a negative error."""
    if result < 0:
        raise ValueError(f"Opus: {libopus().opus_strerror(result).decode()}")
    return result
