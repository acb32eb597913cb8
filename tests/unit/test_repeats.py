from __future__ import annotations

import pytest

from assistant.repeats import is_repeat

FRANCE = "What is the capital of France?"


@pytest.mark.parametrize(
    ("said", "before", "expected"),
    [
        (FRANCE, "what is the capital of France", True),
        (f"I said, {FRANCE}", FRANCE, True),
        (FRANCE, f"Please, {FRANCE}", True),
        ("What is capital of France?", FRANCE, True),
        ("What is the capital of Italy?", FRANCE, False),
        ("Is Paris the capital of France?", FRANCE, False),
        ("And how many people live there?", FRANCE, False),
        (f"Tell me once more, {FRANCE}", FRANCE, False),
        ("Go on.", "Go on.", False),
        ("", "", False),
        ("法国的首都是哪里？", "法国的首都是哪里", True),
        ("法国的首都是哪里？", "德国的首都是哪里？", False),
    ],
)
def test_the_same_words_again(said: str, before: str, expected: bool) -> None:
    assert is_repeat(said, before) == expected
