"""The outgoing track: in time, without drift and without bursts."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import numpy as np
import pytest
from aiortc.codecs.opus import OpusEncoder
from aiortc.mediastreams import MediaStreamError

from assistant.transport.opus import Decoder
from assistant.transport.tracks import FRAME_S, OutgoingTrack, Pace
from assistant.types import Pcm
from tests.unit.transport.webrtc_client import Tone, main_frequency_hz


def places(pace: Pace, asked_at_s: list[float]) -> list[int]:
    return [pace.next_frame(now_s)[0] for now_s in asked_at_s]


@pytest.mark.parametrize(
    ("asked_after_frames", "expected"),
    [
        ([0, 0.1, 1.1, 2.1], [0, 1, 2, 3]),
        ([0, 0.1, 3.9, 3.9, 3.9, 3.9], [0, 1, 2, 3, 4, 5]),  # a little late: caught up with
        ([0, 0.1, 50.5, 50.6, 51.1], [0, 1, 50, 51, 52]),  # a stall: its places are skipped
    ],
)
def test_places_in_the_stream(asked_after_frames: list[float], expected: list[int]) -> None:
    pace = Pace(100.0)
    assert places(pace, [100 + after * FRAME_S for after in asked_after_frames]) == expected


def test_nothing_drifts_in_an_hour() -> None:
    pace = Pace(0.0)
    now_s = 0.0
    for _ in range(3_600 * 50):
        place, due_at_s = pace.next_frame(now_s)
        now_s = due_at_s + 0.0007  # woken up late every time
    assert place == 3_600 * 50 - 1
    assert due_at_s == pytest.approx(3_600 - FRAME_S)


class Quiet:
    def pull(self, n_samples: int) -> Pcm:
        return np.zeros(n_samples, np.int16)


def decoded(packets: list[Any]) -> Pcm:
    decoder = Decoder()
    return np.concatenate([decoder.decode(bytes(packet)) for packet in packets])


async def test_a_packet_carries_what_the_source_gave() -> None:
    track = OutgoingTrack(Tone(440))
    packets = [await track.recv() for _ in range(10)]
    assert [packet.pts for packet in packets] == [960 * n for n in range(10)]
    assert main_frequency_hz(decoded(packets)[640:], 16_000) == pytest.approx(440, abs=10)


async def test_a_stall_leaves_a_gap_in_time_but_none_in_the_sound() -> None:
    tone = Tone(440)
    track = OutgoingTrack(tone)
    await track.recv()
    time.sleep(0.3)  # noqa: ASYNC251 - the stall
    second, third = await track.recv(), await track.recv()
    assert second.pts is not None
    assert second.pts >= 10 * 960
    assert third.pts == second.pts + 960
    assert tone.n_pulled == 3 * 960


async def test_between_answers_next_to_nothing_is_sent() -> None:
    track = OutgoingTrack(Quiet())
    packets = [await track.recv() for _ in range(14)]
    stamps = [packet.pts or 0 for packet in packets]
    assert stamps[-1] > 1.5 * 14 * 960
    assert all(stamp % 960 == 0 for stamp in stamps)


async def test_the_sender_takes_packets_as_they_are() -> None:
    track = OutgoingTrack(Tone(440))
    packet = await track.recv()
    packet.pts = 96_000
    assert OpusEncoder().pack(packet) == ([bytes(packet)], 96_000)


async def test_a_stopped_track_ends() -> None:
    track = OutgoingTrack(Tone(440))
    track.stop()
    with pytest.raises(MediaStreamError):
        await asyncio.wait_for(track.recv(), 1)
