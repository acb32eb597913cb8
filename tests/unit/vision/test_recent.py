from __future__ import annotations

from assistant.types import Scene
from assistant.vision.framing import Pixels, thumbnail
from assistant.vision.recent import RecentScenes
from tests.unit.vision.pictures import noisy, plain

GREYS = [thumbnail(plain((level, level, level))) for level in (0, 60, 120, 180)]


def scene(i: int) -> Scene:
    return Scene(facts=(f"picture {i}",))


def recent(pictures: list[Pixels], most: int) -> RecentScenes:
    scenes = RecentScenes(most=most)
    for i, picture in enumerate(pictures):
        scenes.keep(picture, scene(i))
    return scenes


def test_finds_the_scene_of_nearly_the_same_picture() -> None:
    scenes = recent(GREYS, most=8)
    again = thumbnail(noisy(plain((120, 120, 120)), 5))
    assert scenes.find(again) == scene(2)


def test_finds_nothing_for_another_picture() -> None:
    assert recent(GREYS, most=8).find(thumbnail(plain((250, 0, 0)))) is None


def test_forgets_what_was_not_shown_for_longest() -> None:
    scenes = recent(GREYS[:3], most=3)
    assert scenes.find(GREYS[0]) == scene(0)
    scenes.keep(GREYS[3], scene(3))
    assert scenes.find(GREYS[0]) == scene(0)
    assert scenes.find(GREYS[1]) is None


def test_slow_change_is_noticed() -> None:
    scenes = recent([thumbnail(plain((100, 100, 100)))], most=8)
    found = [scenes.find(thumbnail(plain((i, i, i)))) for i in range(100, 140, 5)]
    assert found[0] == scene(0)
    assert found[-1] is None
