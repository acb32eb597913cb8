from __future__ import annotations

import numpy as np
import pytest

from assistant.vision.colours import colour_shares, conspicuous, standing_out

NAMED = {
    "black": ("000000", "202020"),
    "grey": ("808080", "696969", "708090"),
    "white": ("ffffff", "fffff0", "f0e6d8"),
    "brown": ("8b4513", "a0522d", "d2691e", "8d5524"),
    "beige": ("d2b48c", "f5deb3", "ffdbac"),
    "red": ("ff0000", "c81414", "dc143c", "b22222", "800000"),
    "pink": ("ffc0cb", "ff69b4", "ff1493"),
    "orange": ("ffa500", "ff8c00", "ff7f50"),
    "yellow": ("ffff00", "ffd700", "f0e68c"),
    "green": ("00ff00", "008000", "14a028", "006400", "98ff98", "9acd32"),
    "turquoise": ("40e0d0", "00ffff", "008080"),
    "blue": ("0000ff", "1428c8", "000080", "4682b4", "87ceeb", "add8e6"),
    "purple": ("800080", "4b0082", "ee82ee"),
}


@pytest.mark.parametrize(("word", "code"), [(word, code) for word in NAMED for code in NAMED[word]])
def test_people_would_use_this_word(word: str, code: str) -> None:
    pixel = np.frombuffer(bytes.fromhex(code), np.uint8).reshape(1, 1, 3)
    assert colour_shares(pixel) == {word: 1.0}


def test_shares_come_most_first_and_add_up() -> None:
    pixels = np.zeros((10, 10, 3), np.uint8)
    pixels[:7] = (255, 0, 0)
    assert list(colour_shares(pixels).items()) == [("red", 0.7), ("black", 0.3)]


@pytest.mark.parametrize(
    ("inside", "outside", "colours"),
    [
        ({"grey": 0.45, "black": 0.2, "red": 0.16}, {"grey": 0.5, "brown": 0.3}, ("red",)),
        ({"black": 0.54, "white": 0.44}, {"white": 1.0}, ("black",)),
        ({"orange": 0.4, "green": 0.3, "grey": 0.3}, {"grey": 1.0}, ("orange", "green")),
        ({"brown": 0.86, "black": 0.08}, {"brown": 0.97}, ("brown",)),
        ({"grey": 0.6, "black": 0.4}, {"grey": 0.6, "black": 0.4}, ()),
        ({"red": 0.4, "brown": 0.3}, {}, ()),
        ({"red": 0.9}, {}, ("red",)),
    ],
)
def test_a_thing_has_the_colours_that_its_surroundings_lack(
    inside: dict[str, float], outside: dict[str, float], colours: tuple[str, ...]
) -> None:
    assert standing_out(inside, outside) == colours


@pytest.mark.parametrize(
    ("inside", "outside", "colour"),
    [
        ({"green": 0.4, "grey": 0.6}, {"grey": 1.0}, "green"),
        ({"green": 0.1, "grey": 0.9}, {"grey": 1.0}, None),
        ({"green": 0.4, "grey": 0.6}, {"green": 0.4, "grey": 0.6}, None),
        ({"beige": 0.6, "black": 0.4}, {"grey": 1.0}, None),
    ],
)
def test_skin_and_shadow_are_not_conspicuous(
    inside: dict[str, float], outside: dict[str, float], colour: str | None
) -> None:
    assert conspicuous(inside, outside) == colour
