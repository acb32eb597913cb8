"""The outgoing track: in time, without drift and without bursts."""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest
from aiortc.codecs.opus import OpusEncoder
from aiortc.mediastreams import MediaStreamError

from assistant.transport.tracks import FRAME_S, OutgoingTrack, Pace
from tests.unit.transport.webrtc_client import Tone


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


async def test_a_frame_carries_what_the_source_gave() -> None:
    track = OutgoingTrack(Tone(440))
    frames = [await track.recv() for _ in range(3)]
    assert [frame.pts for frame in frames] == [0, 960, 1_920]
    assert frames[0].sample_rate == 48_000
    sent = np.concatenate([frame.to_ndarray().reshape(-1, 2)[:, 0] for frame in frames])
    assert np.array_equal(sent, Tone(440).pull(3 * 960))


async def test_a_stall_leaves_a_gap_in_time_but_none_in_the_sound() -> None:
    track = OutgoingTrack(Tone(440))
    first = await track.recv()
    time.sleep(0.3)  # noqa: ASYNC251 - the stall
    second, third = await track.recv(), await track.recv()
    assert second.pts is not None
    assert second.pts >= 10 * 960
    assert third.pts == second.pts + 960
    sent = np.concatenate([f.to_ndarray().reshape(-1, 2)[:, 0] for f in (first, second, third)])
    assert np.array_equal(sent, Tone(440).pull(3 * 960))


async def test_the_encoder_sends_a_packet_for_each_frame_and_keeps_the_gap() -> None:
    track = OutgoingTrack(Tone(440))
    encoder = OpusEncoder()
    stamps: list[int] = []
    for pts in (0, 960, 1_920, 19_200, 20_160):
        frame = await track.recv()
        frame.pts = pts
        packets, timestamp = encoder.encode(frame)
        assert len(packets) == 1
        stamps.append(timestamp)
    # The codec looks 6.5 ms ahead, so a packet bears the time of the frame in which it begins.
    assert stamps == [0, 960, 1_920, 2_880, 20_160]


async def test_a_stopped_track_ends() -> None:
    track = OutgoingTrack(Tone(440))
    track.stop()
    with pytest.raises(MediaStreamError):
        await asyncio.wait_for(track.recv(), 1)
