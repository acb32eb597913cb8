from __future__ import annotations

import pytest

from assistant.words import bare, is_repetitive, spliced, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" What  is it? ", ["What", "  is", " it?"]),
        ("砸自己的脚。", ["砸", "自", "己", "的", "脚。"]),
        ("我想 reset 它", ["我", "想", " reset", " 它"]),
        ("ok好", ["ok", "好"]),
    ],
)
def test_words_join_to_the_text_again(text: str, words: list[str]) -> None:
    assert split_words(text) == words
    assert "".join(words) == text.strip()


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (" France?", "france", True),
        ("don't", "Dont", True),
        ("re-entered", "reentered", True),
        ("脚。", "脚", True),
        ("two", "to", False),
    ],
)
def test_bare_words_differ_in_letters_only(one: str, other: str, is_same: bool) -> None:
    assert (bare(one) == bare(other)) is is_same


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((), ""),
        (("", "go"), "go"),
        (("Which is heavier,", "a", "kilogram?"), "Which is heavier, a kilogram?"),
        (("今天天气", "怎么样"), "今天天气怎么样"),
        (("你好，", "世界"), "你好，世界"),
        (("我要一个", "iPhone"), "我要一个iPhone"),
        (("play", "音乐"), "play音乐"),
        (("안녕하세요", "여러분"), "안녕하세요 여러분"),
    ],
)
def test_parts_are_joined_as_their_language_is_written(parts: tuple[str, ...], text: str) -> None:
    assert spliced(*parts) == text


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", False),
        ("no, no, no", False),
        ("7 1 9 4 1 7", False),
        ("7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7", True),
        ("you know " * 40, True),
    ],
)
def test_text_that_goes_round_in_circles_is_repetitive(text: str, verdict: bool) -> None:
    assert is_repetitive(text) is verdict
