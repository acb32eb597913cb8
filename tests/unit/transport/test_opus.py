"""Opus: sound survives it, and what is lost is filled in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.transport import opus
from assistant.transport.opus import SAMPLES_PER_PACKET, Decoder, Encoder
from assistant.transport.resample import Resampler
from assistant.types import Pcm
from tests.speech import recording
from tests.unit.transport.webrtc_client import Tone, main_frequency_hz


def packets(samples: Pcm, *, loss: float = 0.0, bits_per_s: int = 32_000) -> list[bytes]:
    encoder = Encoder(bits_per_s)
    encoder.adapt(bits_per_s=bits_per_s, loss=loss)
    n = len(samples) // SAMPLES_PER_PACKET
    coded = [encoder.encode(part) for part in np.split(samples[: n * SAMPLES_PER_PACKET], n)]
    return [packet or b"" for packet in coded]


def sentence() -> Pcm:
    """Spoken, at 48 kHz."""
    return Resampler(16_000, 48_000).convert(recording("reset the panel"))


def loudness(samples: NDArray[Any]) -> float:
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))


def test_sound_comes_out_at_16_khz_as_long_and_as_loud_as_it_went_in() -> None:
    decoder = Decoder()
    heard = np.concatenate([decoder.decode(p) for p in packets(Tone(440).pull(48_000))])
    assert heard.shape == (16_000,)
    assert main_frequency_hz(heard[2_000:], 16_000) == pytest.approx(440, abs=5)
    assert np.abs(heard[2_000:]).max() == pytest.approx(8_000, rel=0.1)


def test_what_16_khz_cannot_carry_does_not_come_back_as_another_tone() -> None:
    decoder = Decoder()
    heard = np.concatenate([decoder.decode(p) for p in packets(Tone(12_000).pull(48_000))])
    assert np.abs(heard[2_000:]).max() < 8_000 / 20


def test_silence_is_announced_and_then_hardly_sent() -> None:
    encoder = Encoder(32_000)
    packets = [encoder.encode(np.zeros(SAMPLES_PER_PACKET, np.int16)) for _ in range(50)]
    sent = [packet for packet in packets if packet is not None]
    assert len(sent) < 20
    assert any(len(packet) <= 2 for packet in sent)


def test_a_lost_packet_comes_back_from_the_next_one() -> None:
    speech = sentence()
    coded = packets(speech, loss=0.2)
    whole, recovering, concealing = Decoder(), Decoder(), Decoder()
    errors = {"recovered": 0.0, "concealed": 0.0}
    for n, packet in enumerate(coded[:-1]):
        if not packet or not coded[n + 1]:
            continue
        true = whole.decode(packet).astype(np.float64)
        if n % 10 == 5:
            errors["recovered"] += loudness(recovering.recover(coded[n + 1], 320) - true)
            errors["concealed"] += loudness(concealing.conceal(320) - true)
        else:
            recovering.decode(packet)
            concealing.decode(packet)
    assert errors["recovered"] < 0.8 * errors["concealed"]


def test_a_hole_sounds_as_what_was_before_it() -> None:
    decoder = Decoder()
    for packet in packets(Tone(440).pull(48_000)):
        decoder.decode(packet)
    hole = decoder.conceal(1_600)
    assert hole.shape == (1_600,)
    assert main_frequency_hz(hole, 16_000) == pytest.approx(440, abs=20)


def test_fewer_bits_make_smaller_packets() -> None:
    speech = sentence()
    thin, thick = (
        sum(map(len, packets(speech, bits_per_s=bits_per_s))) for bits_per_s in (12_000, 32_000)
    )
    assert thin < thick / 2


@pytest.mark.parametrize("packet", [b"", b"\xff", b"\xff" * 1_500, b"\x03\x7f" + bytes(20)])
def test_what_is_no_opus_is_refused(packet: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - libopus has several words for it
        Decoder().decode(packet)


def test_the_library_that_pyav_brings_is_found() -> None:
    path = opus._find_library()
    assert path is not None
    assert "opus" in path
