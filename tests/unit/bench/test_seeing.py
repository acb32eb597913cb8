from __future__ import annotations

import pytest

from assistant.bench.seeing import questions, text_error


@pytest.mark.parametrize(
    ("facts", "n", "asks"),
    [
        (("a brown cat filling the picture",), 1, "see"),
        (("the whole picture is red and shows nothing else",), 2, "colour"),
        (('a white sign with this text: "OPEN"',), 2, "read"),
        (("a page of text that is too unclear to read",), 1, "see"),
    ],
)
def test_the_questions_fit_the_picture(facts: tuple[str, ...], n: int, asks: str) -> None:
    asked = questions(facts)
    assert len(asked) == n
    assert asks in asked[-1]


@pytest.mark.parametrize(
    ("facts", "written", "error"),
    [
        (('a white sign with this text: "OPEN 9 to 5"',), "Open 9 to 5", 0),
        (('text that reads "OPEN 9 to S"',), "Open 9 to 5", 0.25),
        (('a page with this text: "One two three…"',), "One two three four five", 0),
        (("a cup in the middle",), "One two", 1),
        (('text that reads "OPEN"',), None, None),
    ],
)
def test_what_was_read_is_compared_with_what_is_written(
    facts: tuple[str, ...], written: str | None, error: float | None
) -> None:
    assert text_error(facts, written) == error
