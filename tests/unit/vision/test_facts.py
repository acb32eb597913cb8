from __future__ import annotations

import pytest

from assistant.vision.exposure import Focus, Light
from assistant.vision.facts import Seen, Thing, facts
from assistant.vision.objects import Box
from assistant.vision.subject import Guess
from assistant.vision.text import Line

LEFT = Box(left=0.0, top=0.3, right=0.3, bottom=0.7)
MIDDLE = Box(left=0.3, top=0.2, right=0.7, bottom=0.6)
RIGHT = Box(left=0.8, top=0.4, right=0.9, bottom=0.5)
WHOLE = Box(left=0.0, top=0.0, right=0.95, bottom=1.0)
GREY = {"grey": 0.6, "white": 0.3, "red": 0.1}


def thing(label: str, box: Box = MIDDLE, *colours: str, confidence: float = 0.9) -> Thing:
    return Thing(label=label, confidence=confidence, box=box, colours=colours)


def guesses(*pairs: tuple[str, float]) -> tuple[Guess, ...]:
    return tuple(Guess(label=label, probability=p) for label, p in (*pairs, ("tench", 0.0)))


def line(text: str, confidence: float = 0.97) -> Line:
    return Line(text=text, confidence=confidence)


@pytest.mark.parametrize(
    ("things", "told"),
    [
        ((thing("cat", WHOLE, "brown"),), ("a brown cat filling the picture",)),
        ((thing("cup", RIGHT),), ("a small cup on the right",)),
        ((thing("orange", LEFT),), ("an orange on the left",)),
        (
            (thing("cup", MIDDLE, "red", "white"), thing("spoon", RIGHT, confidence=0.5)),
            ("a red and white cup in the middle", "perhaps a small spoon on the right"),
        ),
        (
            (thing("person", LEFT, confidence=0.8), thing("bus", MIDDLE, "blue", confidence=0.95)),
            ("a blue bus in the middle", "a person on the left"),
        ),
        (
            (thing("person", LEFT), thing("person", RIGHT), thing("person", confidence=0.5)),
            ("two people, one on the left and one on the right",),
        ),
        (
            (
                thing("wine glass", LEFT, confidence=0.5),
                thing("wine glass", LEFT, confidence=0.5),
                thing("fork", RIGHT),
            ),
            ("a small fork on the right", "perhaps two wine glasses on the left"),
        ),
        (
            (thing("cup", LEFT), thing("cup", LEFT), thing("cup", RIGHT)),
            ("three cups on the left and on the right",),
        ),
        (tuple(thing("book") for _ in range(9)), ("many books in the middle",)),
        ((thing("person", MIDDLE, "red"),), ("a person in the middle, perhaps dressed in red",)),
    ],
)
def test_things_are_told_with_place_size_colour_and_doubt(
    things: tuple[Thing, ...], told: tuple[str, ...]
) -> None:
    assert facts(Seen(things=things, colour_shares=GREY)) == told


@pytest.mark.parametrize(
    ("clothes", "middle_colour", "told"),
    [
        (
            ("green", "orange"),
            "green",
            (
                "a person in the middle, perhaps dressed in orange",
                "something green in the middle",
            ),
        ),
        ((), "green", ("a person in the middle", "something green in the middle")),
        (("green",), "green", ("a person in the middle, perhaps dressed in green",)),
    ],
)
def test_what_somebody_holds_is_not_their_clothes(
    clothes: tuple[str, ...], middle_colour: str, told: tuple[str, ...]
) -> None:
    person = thing("person", MIDDLE, *clothes)
    seen = Seen(things=(person,), colour_shares=GREY, middle_colour=middle_colour)
    assert facts(seen) == told


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ((line("OPEN"), line("9 to 5")), 'text that reads "OPEN 9 to 5"'),
        ((line("OPEN"), line("9 to 5", 0.85)), 'perhaps text that reads "OPEN 9 to 5"'),
        ((line("OPEN"), line("grass", 0.6), line("D", 0.85)), 'text that reads "OPEN"'),
        ((line("word " * 30),), f'a page with this text: "{"word " * 30}"'),
        (
            (line("x", 0.3), line("y", 0.2), line("", 0)),
            "a page of text that is too unclear to read",
        ),
        ((line("x", 0.3),), "nothing that was recognised"),
    ],
)
def test_text_is_told_when_it_can_be_read(lines: tuple[Line, ...], told: str) -> None:
    assert facts(Seen(lines=lines, colour_shares=GREY))[0] == told


def test_a_plain_background_is_the_sign_s_colour_and_not_told_twice() -> None:
    white = {"white": 0.9, "black": 0.1}
    assert facts(Seen(lines=(line("OPEN"),), colour_shares=white)) == (
        'a white sign with this text: "OPEN"',
    )
    assert facts(Seen(lines=(line("word " * 30),), colour_shares=white)) == (
        f'a white page with this text: "{"word " * 30}"',
    )
    with_cup = Seen(things=(thing("cup"),), lines=(line("TEA"),), colour_shares=white)
    assert facts(with_cup) == ("a cup in the middle", 'text that reads "TEA"')


@pytest.mark.parametrize(
    ("things", "likely", "told"),
    [
        ((), guesses(("lion", 0.9)), ["it looks like a lion"]),
        ((), guesses(("lion", 0.6)), ["perhaps a lion"]),
        (
            (),
            guesses(("missile", 0.41), ("projectile", 0.35)),
            ["perhaps a missile or a projectile"],
        ),
        ((), guesses(("bubble", 0.4), ("shield", 0.1)), []),
        ((thing("cup"),), guesses(("espresso", 0.85)), ["it looks like an espresso"]),
        ((thing("cup"),), guesses(("espresso", 0.6)), []),
        ((thing("cup"),), guesses(("cup", 0.9)), []),
        ((thing("person"),), guesses(("tripod", 0.6)), ["perhaps a tripod"]),
    ],
)
def test_a_guess_is_told_where_no_detector_knows_better(
    things: tuple[Thing, ...], likely: tuple[Guess, ...], told: list[str]
) -> None:
    told_facts = facts(Seen(things=things, guesses=likely, colour_shares=GREY))
    assert [fact for fact in told_facts if "looks" in fact or "perhaps" in fact] == told


@pytest.mark.parametrize(
    ("focus", "shares", "told"),
    [
        (Focus.PLAIN, {"red": 1.0}, ("the whole picture is red and shows nothing else",)),
        (
            Focus.SHARP,
            {"red": 1.0},
            ("nothing that was recognised", "the whole picture is red"),
        ),
        (
            Focus.SHARP,
            {"red": 0.8, "blue": 0.2},
            ("nothing that was recognised", "most of the picture is red"),
        ),
        (
            Focus.BLURRED,
            {"red": 0.5, "blue": 0.3, "grey": 0.2},
            (
                "nothing that was recognised",
                "the main colours are red, blue and grey",
                "the picture is blurred",
            ),
        ),
        (
            Focus.SHARP,
            {"red": 0.65, "blue": 0.1},
            ("nothing that was recognised", "the main colour is red"),
        ),
    ],
)
def test_colours_of_the_whole_picture(
    focus: Focus, shares: dict[str, float], told: tuple[str, ...]
) -> None:
    assert facts(Seen(focus=focus, colour_shares=shares)) == told


def test_a_dark_picture_says_so_and_no_colour() -> None:
    seen = Seen(
        light=Light.DARK, things=(thing("cat", confidence=0.5),), colour_shares={"black": 1}
    )
    assert facts(seen) == ("perhaps a cat in the middle", "the picture is dark")


def test_a_black_picture_says_why() -> None:
    seen = Seen(light=Light.BLACK, colour_shares={"black": 1})
    assert facts(seen) == ("the picture is black: the camera is covered or the room is dark",)
