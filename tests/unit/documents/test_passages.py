from __future__ import annotations

from assistant.documents.passages import Line, Passage, cut


def lines(*texts: str) -> list[Line]:
    return [Line(text, str(n)) for n, text in enumerate(texts, start=1)]


def test_a_passage_knows_its_headings_and_its_first_line() -> None:
    text = lines("# Guide", "", "Welcome.", "## Setup", "", "Plug it in.", "# Other", "Bye.")
    assert list(cut(text, has_headings=True)) == [
        Passage("Welcome.", "Guide", "3"),
        Passage("Plug it in.", "Guide > Setup", "6"),
        Passage("Bye.", "Other", "8"),
    ]


def test_a_remark_in_code_is_no_heading() -> None:
    (passage,) = cut(lines("# a remark", "x = 1"), has_headings=False)
    assert passage == Passage("# a remark\nx = 1", "", "1")


def test_long_texts_are_cut_at_paragraphs_and_lines_without_end_anywhere() -> None:
    paragraph = " ".join(["word"] * 70)
    assert len(list(cut(lines(paragraph, "", paragraph), has_headings=True))) == 2
    endless = list(cut(lines("word " * 1_000), has_headings=True))
    assert len(endless) > 5
    assert sum(len(passage.text.split()) for passage in endless) == 1_000


def test_nothing_gives_nothing() -> None:
    assert not list(cut(lines("", "  "), has_headings=True))
