from __future__ import annotations

import pytest

from assistant.completeness import sounds_complete


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", None),
        ("What is the capital of France?", None),
        ("Reset the panel.", None),
        ("Yes.", True),
        ("Thank you!", True),
        ("好的。", True),
        ("I want to.", False),
        ("I want to um", False),
        ("Tell me about the", False),
        ("What is the?", False),
        ("Which is heavier,", False),
        ("Well...", False),
        ("Who is it from?", None),
        ("It came from", False),
        ("我想", False),
        ("今天天气怎么样", None),
        ("2.", False),
        ("Two, nine", False),
        ("29", False),
        ("My number is 5 5", False),
        ("二九三", False),
        ("Call me at 10:30.", None),
        ("What is 2 + 2?", None),
        ("It is 3.5", None),
        ("Give me three", None),
    ],
)
def test_words_tell_whether_more_will_follow(text: str, verdict: bool | None) -> None:
    assert sounds_complete(text) is verdict
