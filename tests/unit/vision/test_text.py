from __future__ import annotations

import pytest

from assistant.vision.text import joined


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ((), ""),
        (("OPEN DAILY", "9 AM TO 6 PM"), "OPEN DAILY 9 AM TO 6 PM"),
        (("今天天气", "很好。"), "今天天气很好。"),
        (("今天天气", "is fine"), "今天天气 is fine"),
    ],
)
def test_lines_become_one_text(lines: tuple[str, ...], text: str) -> None:
    assert joined(lines, max_characters=400) == text


def test_long_text_ends_with_an_ellipsis() -> None:
    text = joined(["many words"] * 100, max_characters=50)
    assert len(text) <= 50
    assert text.endswith("…")
    assert text.startswith("many words many words")
