"""Looks during one turn, with eyes and a camera that do as the test says."""

from __future__ import annotations

import asyncio

from assistant.errors import EyesError
from assistant.gaze import Gaze
from assistant.types import ImageFrame, Scene, Sighting
from tests.fakes import picture, settle


class Camera:
    """Shows `frame`; everything that is another frame is another picture."""

    def __init__(self, frame: ImageFrame | None) -> None:
        self.frame = frame
        self.next: asyncio.Future[ImageFrame] | None = None
        """What comes soon, where `frame` is old."""

    def pick(self, *, unlike: ImageFrame | None = None) -> ImageFrame | None:
        return None if unlike is self.frame else self.frame

    async def refreshed(self) -> bool:
        if self.next is None:
            return False
        self.frame = await self.next
        return True


class Eyes:
    """Name the grey of each picture, when they are let."""

    def __init__(self) -> None:
        self.may_look = asyncio.Event()
        self.may_look.set()
        self.sides_px: list[int] = []

    async def look(self, frame: ImageFrame, *, image_side_px: int = 0) -> Scene:
        self.sides_px.append(image_side_px)
        await self.may_look.wait()
        level = int(frame.pixels[0, 0, 0])
        if level == 255:
            raise EyesError("blinded")
        thing = Sighting(label=f"grey {level}", confidence=0.9, x=0.5, y=0.5)
        return Scene(facts=(f"grey {level}",), things=(thing,))


class Watcher:
    """A gaze, and all that it told."""

    def __init__(
        self, frame: ImageFrame | None, *, before: Scene | None = None, looks_anew: bool = True
    ) -> None:
        self.camera = Camera(frame)
        self.eyes = Eyes()
        self.seen: list[Scene] = []
        self.failures: list[EyesError] = []
        self.gaze = Gaze(
            camera=self.camera,
            eyes=self.eyes,
            image_side_px=448,
            before=before,
            looks_anew=looks_anew,
            on_seen=self.seen.append,
            on_failure=self.failures.append,
        )

    async def facts(self) -> tuple[str, ...]:
        self.gaze.look()
        assert await self.gaze.settled()
        return self.gaze.scene.facts if self.gaze.scene else ()


async def test_without_a_picture_there_is_no_scene_and_nothing_to_wait_for() -> None:
    watcher = Watcher(None)
    assert await watcher.facts() == ()
    assert watcher.seen == []


async def test_a_picture_is_looked_at_once() -> None:
    watcher = Watcher(picture(7))
    assert await watcher.facts() == await watcher.facts() == ("grey 7",)
    assert len(watcher.seen) == 1
    assert watcher.eyes.sides_px == [448]


async def test_what_has_changed_is_looked_at_again() -> None:
    watcher = Watcher(picture(7))
    await watcher.facts()
    watcher.camera.frame = picture(8)
    assert await watcher.facts() == ("grey 8",)
    assert [scene.facts for scene in watcher.seen] == [("grey 7",), ("grey 8",)]


async def test_an_old_picture_is_not_what_is_looked_at() -> None:
    watcher = Watcher(picture(7))
    watcher.camera.next = asyncio.get_running_loop().create_future()
    watcher.gaze.look()
    await settle()
    assert watcher.eyes.sides_px == []
    watcher.camera.next.set_result(picture(8))
    assert await watcher.facts() == ("grey 8",)
    assert len(watcher.seen) == 1


async def test_what_changes_during_a_look_is_looked_at_after_it() -> None:
    watcher = Watcher(picture(7))
    watcher.eyes.may_look.clear()
    watcher.gaze.look()
    await settle()
    watcher.camera.frame = picture(8)
    watcher.gaze.look()
    watcher.eyes.may_look.set()
    assert await watcher.gaze.settled()
    assert [scene.facts for scene in watcher.seen] == [("grey 7",), ("grey 8",)]


async def test_a_second_look_that_is_late_leaves_the_first_scene() -> None:
    watcher = Watcher(picture(7))
    await watcher.facts()
    watcher.camera.frame = picture(8)
    watcher.eyes.may_look.clear()
    watcher.gaze.look()
    assert not await watcher.gaze.settled(within_ms=1)
    assert watcher.gaze.scene is watcher.seen[0]
    watcher.gaze.end()


async def test_one_picture_is_looked_at_at_a_time() -> None:
    watcher = Watcher(picture(7))
    watcher.eyes.may_look.clear()
    watcher.gaze.look()
    watcher.camera.frame = picture(8)
    watcher.gaze.look()
    await settle()
    assert len(watcher.eyes.sides_px) == 1
    watcher.gaze.end()


async def test_blinded_eyes_tell_and_see_again_when_the_picture_changes() -> None:
    watcher = Watcher(picture(255))
    assert await watcher.facts() == ()
    assert [str(failure) for failure in watcher.failures] == ["blinded"]
    watcher.camera.frame = picture(7)
    assert await watcher.facts() == ("grey 7",)


async def test_changes_since_the_turn_before_are_facts() -> None:
    watcher = Watcher(picture(7), before=Scene())
    assert await watcher.facts() == ("grey 7", "since the last look a grey 7 has come")


async def test_at_the_end_nobody_looks_any_more() -> None:
    watcher = Watcher(picture(7))
    watcher.eyes.may_look.clear()
    watcher.gaze.look()
    await settle()
    watcher.gaze.end()
    assert await watcher.gaze.settled()
    assert watcher.seen == []


async def test_what_was_seen_before_may_stand_in_for_a_look() -> None:
    watcher = Watcher(picture(1), before=Scene(facts=("a cat",)), looks_anew=False)
    assert await watcher.facts() == ("a cat", "all this as it was a while ago")
    again = Watcher(picture(1), before=watcher.gaze.scene, looks_anew=False)
    assert await again.facts() == ("a cat", "all this as it was a while ago")
    assert not watcher.eyes.sides_px
    assert not watcher.seen


async def test_a_picture_that_was_seen_before_is_not_shown_again() -> None:
    """It stands in the conversation."""
    watcher = Watcher(picture(1), before=Scene(image=picture(2)), looks_anew=False)
    assert watcher.gaze.scene == Scene()


async def test_who_has_seen_nothing_yet_looks() -> None:
    watcher = Watcher(picture(1), looks_anew=False)
    assert await watcher.facts() == ("grey 1",)
