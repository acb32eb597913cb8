from __future__ import annotations

import subprocess
import sys

import numpy as np

from assistant.types import ImageFrame
from assistant.vision.camera import NewestFrame


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def frame(at_s: float) -> ImageFrame:
    return ImageFrame(pixels=np.zeros((2, 2, 3), np.uint8), captured_at_s=at_s)


def test_shows_nothing_before_the_first_frame() -> None:
    assert NewestFrame(newest_within_ms=2_000, clock=Clock()).newest() is None


def test_shows_the_newest_of_many_frames() -> None:
    clock = Clock()
    camera = NewestFrame(newest_within_ms=2_000, clock=clock)
    for i in range(300):
        clock.now_s += 1 / 30
        camera.put(last := frame(clock.now_s))
        assert camera.newest() is last, i


def test_a_frame_that_arrives_late_does_not_replace_a_newer_one() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock())
    camera.put(newer := frame(99.9))
    camera.put(frame(99.8))
    assert camera.newest() is newer


def test_a_stale_frame_is_not_what_the_camera_shows() -> None:
    clock = Clock()
    camera = NewestFrame(newest_within_ms=2_000, clock=clock)
    camera.put(shown := frame(clock.now_s))
    clock.now_s += 1.9
    assert camera.newest() is shown
    clock.now_s += 0.2
    assert camera.newest() is None


def test_clear_forgets_the_picture() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock())
    camera.put(frame(100.0))
    camera.clear()
    assert camera.newest() is None


def test_the_process_that_moves_the_media_loads_no_opencv() -> None:
    program = "import sys, assistant.vision.camera; sys.exit('cv2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
