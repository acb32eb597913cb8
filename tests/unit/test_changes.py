from __future__ import annotations

import pytest

from assistant.changes import changes
from assistant.types import Scene, Sighting


def thing(label: str, x: float = 0.5, y: float = 0.5, confidence: float = 0.9) -> Sighting:
    return Sighting(label=label, confidence=confidence, x=x, y=y)


CUP, CAT, PERSON = thing("cup"), thing("cat"), thing("person")


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ((CUP,), (CUP,), None),
        ((), (CUP,), "a cup has come"),
        ((CUP,), (), "a cup has gone"),
        ((PERSON,), (PERSON, thing("apple")), "an apple has come"),
        ((CUP,), (CUP, thing("cup", 0.2)), "a cup has come"),
        ((CUP, PERSON), (CUP, CAT), "a cat has come, a person has gone"),
        ((CAT,), (thing("cat", 0.8),), "the cat has moved right"),
        ((CAT,), (thing("cat", 0.3, 0.45),), "the cat has moved left"),
        ((CAT,), (thing("cat", 0.5, 0.8),), "the cat has moved down"),
        ((CAT,), (thing("cat", 0.45, 0.2),), "the cat has moved up"),
        ((CAT,), (thing("cat", 0.6),), None),
        ((CUP, thing("cup", 0.1)), (thing("cup", 0.9), thing("cup", 0.1)), None),
    ],
)
def test_what_came_went_and_moved_is_told(
    before: tuple[Sighting, ...], now: tuple[Sighting, ...], told: str | None
) -> None:
    expected = () if told is None else (f"since the last look {told}",)
    assert changes(Scene(things=before), Scene(things=now)) == expected


@pytest.mark.parametrize("confidence", [0.45, 0.55])
def test_what_is_only_less_certain_now_has_not_gone(confidence: float) -> None:
    unsure = Scene(things=(thing("cup", confidence=confidence),))
    assert changes(Scene(things=(CUP,)), unsure) == ()
    assert changes(unsure, Scene(things=(CUP,))) == ()
    assert changes(Scene(), unsure) == ()


def test_the_first_look_of_a_conversation_has_nothing_to_compare_with() -> None:
    assert changes(None, Scene(things=(CUP,))) == ()
