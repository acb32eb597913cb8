"""RTP packets of Opus to 16 kHz frames: at once, and as long as they were spoken."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.transport.microphone import MAX_FILL_S, Microphone
from assistant.transport.opus import SAMPLES_PER_PACKET, Encoder
from assistant.types import AudioFrame, Pcm
from tests.unit.transport.webrtc_client import Tone, main_frequency_hz


def packets(seconds: float, *, frequency_hz: float = 440) -> list[bytes]:
    encoder, tone = Encoder(32_000), Tone(frequency_hz)
    coded = [encoder.encode(tone.pull(SAMPLES_PER_PACKET)) for _ in range(round(seconds * 50))]
    return [packet for packet in coded if packet is not None]


class Line:
    """Brings packets to a microphone, at the pace of 20 ms each."""

    def __init__(self) -> None:
        self.microphone = Microphone()
        self.frames: list[AudioFrame] = []

    def bring(self, number: int, packet: bytes, *, after_silence: int = 0) -> int:
        """How many frames that gave. `after_silence`: frames that were never sent."""
        place = number + after_silence
        new = self.microphone.hear(
            number & 0xFFFF,
            (place * SAMPLES_PER_PACKET) & 0xFFFFFFFF,
            packet,
            arrived_at_s=place / 50,
        )
        self.frames += new
        return len(new)

    @property
    def heard(self) -> Pcm:
        return np.concatenate([frame.samples for frame in self.frames])


def test_each_packet_of_20_ms_is_one_frame_at_once() -> None:
    line = Line()
    assert [line.bring(n, packet) for n, packet in enumerate(packets(1.0))] == [1] * 50
    frame = line.frames[7]
    assert (frame.sample_rate_hz, frame.samples.shape) == (16_000, (320,))
    assert frame.captured_at_s == pytest.approx(0.12)  # the last sample came at 0.14
    assert main_frequency_hz(line.heard[2_000:], 16_000) == pytest.approx(440, abs=5)


@pytest.mark.parametrize("lost", [{20}, {20, 21, 22}, {20, 30, 40}, set(range(20, 35))])
def test_what_is_lost_does_not_shorten_the_sound(lost: set[int]) -> None:
    line = Line()
    for n, packet in enumerate(packets(1.0)):
        if n not in lost:
            line.bring(n, packet)
    assert len(line.frames) == 50
    assert main_frequency_hz(line.heard[2_000:], 16_000) == pytest.approx(440, abs=10)


def test_numbers_and_timestamps_wrap_around() -> None:
    line = Line()
    for n, packet in enumerate(packets(1.0)):
        if n != 25:
            line.bring(2**32 // SAMPLES_PER_PACKET - 25 + n, packet)
    assert len(line.frames) == 50


def test_packets_in_disorder_are_put_in_order() -> None:
    straight, mixed = Line(), Line()
    coded = packets(1.0)
    for n, packet in enumerate(coded):
        straight.bring(n, packet)
    for n in (0, *(n + (1 if n % 2 else -1) for n in range(1, 49))):
        mixed.bring(n, coded[n])
    assert np.array_equal(mixed.heard, straight.heard[: len(mixed.heard)])


def test_frames_that_were_waited_for_follow_each_other_in_time() -> None:
    line = Line()
    for n, packet in enumerate(packets(0.6)):
        if n != 20:
            line.bring(n, packet)
    stamps = [frame.captured_at_s for frame in line.frames]
    assert stamps[20:24] == pytest.approx([0.38, 0.40, 0.42, 0.44])


def test_a_silence_that_is_not_sent_is_filled_in_while_it_lasts() -> None:
    line = Line()
    for n, packet in enumerate(packets(0.4)):
        line.bring(n, packet)
    assert line.microphone.idle(0.44) == []
    n_idle = sum(len(line.microphone.idle(0.38 + 0.02 * n)) for n in range(5, 21))
    assert n_idle == pytest.approx(20, abs=1)
    # What was filled in already counts: there are 25 frames of silence in all.
    assert line.bring(20, packets(0.02)[0], after_silence=25) == 25 - n_idle + 1


def test_a_microphone_that_is_off_is_not_filled_in_for_ever() -> None:
    line = Line()
    line.bring(0, packets(0.1)[0])
    n_idle = sum(len(line.microphone.idle(n / 50)) for n in range(1_000))
    assert n_idle == pytest.approx(50 * MAX_FILL_S, abs=1)
    assert line.bring(2_000, packets(0.1)[1]) == 1


def test_what_waits_for_a_hole_is_heard_when_nothing_more_comes() -> None:
    line = Line()
    coded = packets(0.4)
    for n in (0, 1, 2, 4):
        line.bring(n, coded[n])
    assert len(line.frames) == 3
    assert len(line.microphone.idle(0.2)) >= 2


def test_before_the_first_packet_nothing_is_filled_in() -> None:
    assert Microphone().idle(100.0) == []


@pytest.mark.parametrize("damaged", [b"", b"\xff", bytes(2_000)])
def test_a_damaged_packet_is_as_good_as_lost(damaged: bytes) -> None:
    line = Line()
    for n, packet in enumerate(packets(1.0)):
        line.bring(n, damaged if n == 20 else packet)
    assert len(line.frames) in (50, 51)


def test_a_leap_of_the_clock_is_no_silence() -> None:
    line = Line()
    coded = packets(0.4)
    for n in range(10):
        line.bring(n, coded[n])
    assert line.bring(5_000, coded[10]) == 1
    assert line.bring(5_001, coded[11]) == 1


def test_a_long_hole_fades_into_silence() -> None:
    line = Line()
    coded = packets(1.0)
    for n in (*range(10), *range(40, 50)):
        line.bring(n, coded[n])
    assert np.abs(line.heard[3_200:3_520]).max() > 1_000
    assert not line.heard[5_120:12_000].any()
