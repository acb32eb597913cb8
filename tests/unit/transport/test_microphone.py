"""48 kHz stereo from the wire to 16 kHz mono frames."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.transport.microphone import Microphone
from assistant.types import AudioFrame, Pcm
from tests.unit.transport.webrtc_client import Tone, main_frequency_hz


def hear(mono: Pcm, *, packet_ms: int) -> list[list[AudioFrame]]:
    microphone = Microphone()
    n = 48 * packet_ms
    stereo = np.repeat(mono, 2).reshape(-1, 2)
    return [
        microphone.hear(stereo[at : at + n], arrived_at_s=at / 48_000)
        for at in range(0, len(stereo), n)
    ]


def joined(packets: list[list[AudioFrame]]) -> Pcm:
    return np.concatenate([frame.samples for frames in packets for frame in frames])


def test_each_packet_of_20_ms_is_one_frame_at_once() -> None:
    packets = hear(Tone(440).pull(48_000), packet_ms=20)
    assert [len(frames) for frames in packets] == [1] * 50
    frame = packets[7][0]
    assert frame.sample_rate_hz == 16_000
    assert frame.samples.shape == (320,)
    assert frame.samples.dtype == np.int16
    assert frame.captured_at_s == pytest.approx(0.14)


@pytest.mark.parametrize(("packet_ms", "n_frames"), [(10, [0, 1]), (40, [2]), (60, [3])])
def test_other_packets_give_the_same_frames(packet_ms: int, n_frames: list[int]) -> None:
    tone = Tone(440).pull(48 * 120)
    packets = hear(tone, packet_ms=packet_ms)
    assert [len(frames) for frames in packets[: len(n_frames)]] == n_frames
    assert np.array_equal(joined(packets), joined(hear(tone, packet_ms=20)))


def test_frames_of_one_packet_follow_each_other_in_time() -> None:
    packet = hear(Tone(440).pull(48 * 120), packet_ms=60)[1]
    assert [frame.captured_at_s for frame in packet] == pytest.approx([0.02, 0.04, 0.06])


def test_speech_keeps_pitch_and_loudness() -> None:
    heard = joined(hear(Tone(1_000).pull(48_000), packet_ms=20))[320:]
    assert main_frequency_hz(heard, 16_000) == pytest.approx(1_000, abs=5)
    assert np.abs(heard).max() == pytest.approx(8_000, rel=0.02)


def test_what_16_khz_cannot_carry_does_not_come_back_as_another_tone() -> None:
    heard = joined(hear(Tone(12_000).pull(48_000), packet_ms=20))[320:]
    assert np.abs(heard).max() < 8_000 / 100


def test_two_different_channels_are_mixed_and_loud_ones_do_not_wrap_around() -> None:
    left_only = np.zeros((960, 2), np.int16)
    left_only[:, 0] = 10_000
    both = np.full((960, 2), 32_767, np.int16)
    mixed = Microphone().hear(left_only, arrived_at_s=0.0)[0].samples
    loud = Microphone().hear(both, arrived_at_s=0.0)[0].samples
    assert mixed[-1] == pytest.approx(5_000, abs=2)
    assert loud.min() > -5_000
