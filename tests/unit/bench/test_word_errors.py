from __future__ import annotations

import pytest

from assistant.bench.word_errors import WordErrors, spoken_words, word_errors


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("and mister john dashwood", "And Mr. John Dashwood"),
        ("What colour is it?", "what color is it"),
        ("ten of clubs", "10 of clubs"),
        ("two nine three four zero", "29340"),
        ("twenty one", "21"),
        ("twenty", "20."),
        ("one thousand", "one thousand"),
        ("oh five", "oh 5"),
        ("zero five", "05"),
        ("re-entered", "re entered"),
        ("I’m sorry", "I'm sorry"),
    ],
)
def test_spelling_is_no_error(said: str, heard: str) -> None:
    assert word_errors(said, heard) == WordErrors(0, len(spoken_words(said)))


def test_numbers_are_written_in_the_language_that_is_spoken() -> None:
    assert word_errors("et la dictée numéro un", "Et la dictée numéro 1.", "fr").errors == 0
    assert word_errors("三十二", "32", "zh") == WordErrors(0, 3)


@pytest.mark.parametrize(
    ("said", "heard", "errors"),
    [
        ("the cat sat", "the cat sat", WordErrors(0, 3)),
        ("the cat sat", "a cat sat down", WordErrors(2, 3)),
        ("the cat sat", "", WordErrors(3, 3)),
        ("", "you", WordErrors(1, 0)),
        ("the cat sat", "cat", WordErrors(2, 3)),
        ("砸自己的脚", "砸自己脚", WordErrors(1, 5)),
    ],
)
def test_errors_are_counted_in_words_and_in_chinese_characters(
    said: str, heard: str, errors: WordErrors
) -> None:
    assert word_errors(said, heard) == errors


def test_errors_add_up_over_clips() -> None:
    assert sum([WordErrors(1, 4), WordErrors(0, 6)], WordErrors()).rate == 0.1
    assert WordErrors().rate is None
