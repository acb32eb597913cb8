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
    assert NewestFrame(newest_within_ms=2_000, clock=Clock()).pick() is None


def test_shows_the_newest_of_many_frames() -> None:
    clock = Clock()
    camera = NewestFrame(newest_within_ms=2_000, clock=clock)
    for i in range(300):
        clock.now_s += 1 / 30
        camera.put(last := frame(clock.now_s))
        assert camera.pick() is last, i


def test_a_frame_that_arrives_late_does_not_replace_a_newer_one() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock())
    camera.put(newer := frame(99.9))
    camera.put(frame(99.8))
    assert camera.pick() is newer


def test_a_stale_frame_is_not_what_the_camera_shows() -> None:
    clock = Clock()
    camera = NewestFrame(newest_within_ms=2_000, clock=clock)
    camera.put(shown := frame(clock.now_s))
    clock.now_s += 1.9
    assert camera.pick() is shown
    clock.now_s += 0.2
    assert camera.pick() is None


def picture(level: int, *, at_s: float = 100.0) -> ImageFrame:
    """Grey, with a bright square whose place depends on the level, so that it has edges."""
    pixels = np.full((240, 320, 3), level, np.uint8)
    if level > 30:
        pixels[60:180, 80:200] = 255
    return ImageFrame(pixels=pixels, captured_at_s=at_s)


def test_a_black_frame_gives_way_to_the_one_before_it() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock())
    camera.put(lit := picture(90, at_s=99.0))
    camera.put(picture(0, at_s=99.5))
    assert camera.pick() is lit


def test_a_camera_that_sends_only_black_frames_shows_black() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock())
    camera.put(black := picture(0, at_s=99.5))
    assert camera.pick() is black


def test_an_unchanged_picture_is_not_shown_again() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock())
    camera.put(seen := picture(90, at_s=99.0))
    camera.put(picture(90, at_s=99.5))
    assert camera.pick(unlike=seen) is None
    changed = picture(90, at_s=99.8)
    changed.pixels[:, 160:] = (200, 30, 30)
    camera.put(changed)
    assert camera.pick(unlike=seen) is changed


def test_of_equal_pictures_the_sharper_is_shown() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock())
    camera.put(sharp := picture(90, at_s=99.0))
    shifted = [np.roll(sharp.pixels, (y, x), (0, 1)) for y in (-2, 0, 2) for x in (-2, 0, 2)]
    blurred = np.mean(shifted, axis=0).astype(np.uint8)
    camera.put(ImageFrame(pixels=blurred, captured_at_s=99.5))
    assert camera.pick() is sharp


def test_the_process_that_moves_the_media_loads_no_opencv() -> None:
    program = "import sys, assistant.vision.camera; sys.exit('cv2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
