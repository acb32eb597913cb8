from __future__ import annotations

import pytest

from assistant.sentences import boundaries, count_words


def sentences(text: str) -> list[str]:
    """`text` as it stands when a new line follows."""
    cuts = [0, *(boundary.end for boundary in boundaries(text + "\n") if boundary.ends_sentence)]
    parts = [text[start:end].strip() for start, end in zip(cuts, [*cuts[1:], None], strict=True)]
    return [part for part in parts if part]


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Wu owes $3.50 at 9 a.m. in the U.S. today.", "Pi is 3.14."],
        ["今天是2025年3月1日，温度是-3.5℃，请打开GPS。", "好吗？"],
        ["J. K. Rowling wrote it.", "So did I.", "Then we left at 5 p.m.", "The end."],
        ["It is No. 5, on p. 12.", "No.", "It is not."],
        ["Visit https://example.com/a.b?c=d.e now!", "Or mail a.b@c.org."],
        ["He lives in the U.S.", "The weather is fine.", "The U.S. Army is not."],
        ['He asked, "Why?" and left.', '"Stop." she cried.', '"Go!"', "He went."],
        ["Well... maybe.", "Wait…", "What?!", "Yes."],
        ["On Jan. 5 we met Mrs. Li, of Smith Inc. and others, e.g. Bob."],
        ["Take version 3.11.7 at 10:30.", "It costs 1,000.50 dollars."],
        ["他说：“好的。”", "然后他走了！", "为什么？", "OK."],
        ["你好!", "Hello 世界。", "This is mixed, 对吧？"],
        ["**Bold.**", "(Really.)", "*Yes.*"],
        ["No mark at the end"],
    ],
)
def test_text_is_cut_into_its_sentences(expected: list[str]) -> None:
    text = " ".join(expected).replace("。 ", "。").replace("！ ", "！").replace("” ", "”")
    assert sentences(text) == expected


def test_a_line_is_a_sentence_and_its_number_is_not() -> None:
    assert sentences("1. Apples\n2. Pears\n\n- Plums") == ["1. Apples", "2. Pears", "- Plums"]


@pytest.mark.parametrize(
    "text",
    ["It is 3.", "In the U.S.", "In the U.S. ", "In the U.S. The", "Yes.", "See No. ", "March 3, "],
)
def test_nothing_ends_while_what_follows_may_change_it(text: str) -> None:
    assert list(boundaries(text)) == []


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Yes. ", 4),
        ("Well, ", 5),
        ("Well,", 5),
        ("Yes\n", 3),
        ("好，", 2),
        ("好。他", 2),
        ("a — ", 3),
    ],
)
def test_what_is_certain_is_told_at_once(text: str, end: int) -> None:
    assert [boundary.end for boundary in boundaries(text)] == [end]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" … — !", 0),
        ("😀", 0),
        ("One two, three.", 3),
        ("It's 3.50 at a.b@c.org", 4),
        ("今天天气", 2),
        ("请打开GPS", 3),
        ("x" * 160, 11),
    ],
)
def test_words_are_counted_as_a_voice_counts_them(text: str, words: int) -> None:
    assert count_words(text) == words
