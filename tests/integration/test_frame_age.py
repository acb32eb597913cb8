"""A real camera's way over WebRTC, frame by frame."""

from __future__ import annotations

from assistant.bench.frame_age import frame_age
from assistant.config import Config


async def test_a_frame_of_a_slow_camera_is_used_long_before_the_next_one_comes() -> None:
    frames_per_s = 1.0
    age = await frame_age(Config(), minutes=0.15, frames_per_s=frames_per_s)
    assert age["frames"] >= 5
    assert age["p50"] < 0.5 * 1_000 / frames_per_s
