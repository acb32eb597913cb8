from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from assistant.types import ImageFrame
from assistant.vision.camera import NewestFrame
from assistant.vision.framing import Pixels
from tests import virtual_time
from tests.fakes import settle
from tests.unit.vision.pictures import blurred, noisy, plain, sign
from tests.virtual_time import Clock

RED, BLACK = plain((200, 30, 30)), plain((0, 0, 0))
SHARP = sign("OPEN", "9 to 5")
BLURRED = blurred(SHARP, 4)


def frame(at_s: float, pixels: Pixels = RED) -> ImageFrame:
    return ImageFrame(pixels=pixels, captured_at_s=at_s)


def camera(*shown: Pixels) -> NewestFrame:
    """Shown one picture after another, the newest 0.08 s ago."""
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock(100.0))
    for i, pixels in enumerate(shown):
        camera.put(frame(100 - 0.08 * (len(shown) - i), pixels))
    return camera


def test_shows_nothing_before_the_first_frame() -> None:
    assert camera().pick() is None


def test_shows_the_newest_of_many_frames() -> None:
    clock = Clock(100.0)
    camera = NewestFrame(newest_within_ms=2_000, clock=clock)
    for i in range(300):
        clock.now_s += 1 / 30
        camera.put(last := frame(clock.now_s, np.zeros((2, 2, 3), np.uint8)))
        assert camera.pick() is last, i


def test_a_frame_that_arrives_late_does_not_replace_a_newer_one() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock(100.0))
    camera.put(newer := frame(99.9))
    camera.put(frame(99.8))
    assert camera.pick() is newer


def test_a_stale_frame_is_not_what_the_camera_shows() -> None:
    clock = Clock(100.0)
    camera = NewestFrame(newest_within_ms=2_000, clock=clock)
    camera.put(shown := frame(clock.now_s))
    clock.now_s += 1.9
    assert camera.pick() is shown
    clock.now_s += 0.2
    assert camera.pick() is None


def test_a_sharper_frame_that_is_old_is_not_picked() -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock(100.0))
    camera.put(frame(99.5, SHARP))
    camera.put(blurred_now := frame(99.9, BLURRED))
    assert camera.pick() is blurred_now


async def test_a_fresh_frame_is_waited_for_while_the_camera_goes_on() -> None:
    clock = Clock(100.0)
    camera = NewestFrame(newest_within_ms=2_000, clock=clock)
    camera.put(frame(99.2))
    waiting = asyncio.create_task(camera.refreshed())
    await settle()
    assert not waiting.done()
    await asyncio.to_thread(camera.put, fresh := frame(100.0))
    assert await waiting
    assert camera.pick() is fresh


@pytest.mark.parametrize("ages_s", [(), (0.1,), (3.0,)])
async def test_no_frame_is_waited_for_that_is_not_needed_or_will_not_come(
    ages_s: tuple[float, ...],
) -> None:
    camera = NewestFrame(newest_within_ms=2_000, clock=Clock(100.0))
    for age_s in ages_s:
        camera.put(frame(100 - age_s))
    assert not await camera.refreshed()


def test_a_camera_that_has_just_stopped_is_not_waited_for_without_end() -> None:
    async def main(clock: Callable[[], float]) -> tuple[bool, float]:
        camera = NewestFrame(newest_within_ms=2_000, clock=clock)
        camera.put(frame(began_at_s := clock()))
        await asyncio.sleep(1)
        return await camera.refreshed(), clock() - began_at_s

    came, waited_s = virtual_time.run(main)
    assert not came
    assert waited_s <= 3.5


@pytest.mark.parametrize(
    ("shown", "picked"),
    [
        ((BLURRED, SHARP), 1),
        ((SHARP, BLURRED), 0),
        ((SHARP, noisy(SHARP, 4)), 1),
        ((SHARP, BLURRED, BLURRED), 0),
        ((RED, BLACK), 0),
        ((BLACK, BLACK), 1),
        ((SHARP, RED), 1),  # it has fewer edges because it shows something else
        ((SHARP, BLACK, BLURRED), 0),
    ],
)
def test_the_newest_good_frame_is_picked(shown: tuple[Pixels, ...], picked: int) -> None:
    chosen = camera(*shown).pick()
    assert chosen is not None
    assert chosen.pixels is shown[picked]


def test_what_shows_the_same_as_before_is_not_picked_again() -> None:
    assert camera(noisy(SHARP, 5)).pick(unlike=frame(90, SHARP)) is None
    assert camera(SHARP, BLACK).pick(unlike=frame(90, SHARP)) is None
    assert camera(SHARP, RED).pick(unlike=frame(90, SHARP)) is not None


def test_a_picture_of_another_size_shows_something_else() -> None:
    turned = np.ascontiguousarray(SHARP.transpose(1, 0, 2))
    assert camera(turned).pick(unlike=frame(90, SHARP)) is not None


@pytest.mark.parametrize("size", [(1, 1), (1, 700), (700, 1), (3, 5)])
def test_odd_sizes_are_picked_as_well(size: tuple[int, int]) -> None:
    pixels = np.full((*size, 3), 90, np.uint8)
    odd = camera(pixels, pixels)
    assert odd.pick() is not None
    assert odd.pick(unlike=frame(90, pixels)) is None


def test_the_process_that_moves_the_media_loads_no_opencv() -> None:
    program = "import sys, assistant.vision.camera; sys.exit('cv2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
