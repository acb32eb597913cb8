"""Conversations as files."""

from __future__ import annotations

import itertools
import json
import re

import pytest

from assistant.memory.export import FORMATS, as_json, as_markdown, as_srt
from assistant.memory.line import KeptConversation, Line
from assistant.types import Role

CUE = re.compile(
    r"(\d+)\n(\d\d):(\d\d):(\d\d),(\d\d\d) --> (\d\d):(\d\d):(\d\d),(\d\d\d)\n((?:.+\n)+)(?:\n|\Z)"
)


def conversation(*lines: tuple[str, str, int, int | None]) -> KeptConversation:
    """Each: who ("you" or "it"), the words, since when, for how long."""
    roles = {"you": Role.USER, "it": Role.ASSISTANT}
    return KeptConversation(
        conversation_id="c",
        began_at_s=1_764_547_200.0,
        lines=tuple(
            Line(item_id=f"i{n}", role=roles[who], text=text, at_ms=at_ms, spoken_ms=spoken_ms)
            for n, (who, text, at_ms, spoken_ms) in enumerate(lines)
        ),
    )


def cues(srt: str) -> list[tuple[int, int, str]]:
    """Read as players do; fails on whatever is no cue."""
    found, end = list[tuple[int, int, str]](), 0
    for n, match in enumerate(CUE.finditer(srt), 1):
        assert match.start() == end
        end = match.end()
        number, *times, text = match.groups()
        assert int(number) == n
        start_ms, end_ms = (
            ((int(h) * 60 + int(m)) * 60 + int(s)) * 1_000 + int(ms)
            for h, m, s, ms in (times[:4], times[4:])
        )
        found.append((start_ms, end_ms, text.strip()))
    assert end == len(srt)
    return found


def test_subtitles_have_the_times_of_what_was_spoken() -> None:
    srt = as_srt(
        conversation(("you", "Hello.", 1_500, 2_000), ("it", "Hello, you.", 3_661_004, 1_250))
    )
    assert srt == (
        "1\n00:00:01,500 --> 00:00:03,500\nYou: Hello.\n\n"
        "2\n01:01:01,004 --> 01:01:02,254\nParley: Hello, you.\n"
    )


@pytest.mark.parametrize(
    ("lines", "times"),
    [
        pytest.param(
            [("it", "A long answer.", 1_000, 9_000), ("you", "Wait!", 4_000, 1_200)],
            [(1_000, 4_000), (4_000, 5_200)],
            id="spoken over",
        ),
        pytest.param(
            [("you", "Wait!", 4_000, 1_200), ("it", "A long answer.", 1_000, 9_000)],
            [(1_000, 4_000), (4_000, 5_200)],
            id="kept in another order",
        ),
        pytest.param(
            [("you", "One.", 0, 5_000), ("it", "Two.", 0, 5_000), ("you", "Three.", 100, 3_000)],
            [(0, 1_000), (1_000, 2_000), (2_000, 5_000)],
            id="all at once",
        ),
        pytest.param([("you", "Hm", 10, 40)], [(10, 1_010)], id="too short to be read"),
        pytest.param([("you", "x" * 50, 0, None)], [(0, 3_000)], id="typed"),
        pytest.param([("it", "字" * 25, 0, None)], [(0, 3_000)], id="shown, Chinese"),
        pytest.param([("it", "x" * 5_000, 0, None)], [(0, 7_000)], id="shown, very long"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_subtitles_come_one_at_a_time(
    lines: list[tuple[str, str, int, int | None]], times: list[tuple[int, int]]
) -> None:
    assert [(start, end) for start, end, _ in cues(as_srt(conversation(*lines)))] == times


@pytest.mark.parametrize(
    "text",
    [
        "one\n\n\ntwo",
        "one\r\n\r\ntwo",
        "one\u2028\u2028two",
        "\n\none\x0b\x0ctwo\n",
        "one\n2\n00:00:01,000 --> 00:00:02,000\ntwo",
        "a\x00one two",
    ],
)
def test_no_words_break_a_subtitle(text: str) -> None:
    read = cues(as_srt(conversation(("you", text, 0, 1_000), ("it", "Well.", 3_000, 500))))
    assert len(read) == 2
    assert "one" in read[0][2]
    assert "two" in read[0][2]
    assert "-->" not in read[0][2]


def test_what_has_no_words_is_no_subtitle() -> None:
    assert as_srt(conversation(("you", " \n\x00", 0, 1_000))) == ""


def test_subtitles_have_no_tags() -> None:
    (cue,) = cues(as_srt(conversation(("you", r"a < b, <i>x</i> {\an8}", 0, 1_000))))
    assert "<i" not in cue[2]
    assert r"{\an8" not in cue[2]
    assert cue[2].replace("\u2060", "") == r"You: a < b, <i>x</i> {\an8}"


def test_chinese_is_written_as_it_was_said() -> None:
    spoken = conversation(("you", "法国的首都是哪里？", 0, 1_500), ("it", "巴黎。", 2_000, 900))
    assert "你: 法国的首都是哪里？\n" in as_srt(spoken, "zh-CN")
    assert "**你** (0:00)\n\n法国的首都是哪里？\n" in as_markdown(spoken, "zh")
    assert as_markdown(spoken, "zh").startswith("# 与 Parley 的对话, ")
    assert "巴黎。" in as_json(spoken, "zh")


def test_markdown_says_who_and_when() -> None:
    written = as_markdown(conversation(("you", "Hello.", 1_500, 2_000), ("it", "Hi.", 61_000, 9)))
    title, rest = written.split("\n\n", 1)
    assert re.fullmatch(r"# Conversation with Parley, \d{4}-\d\d-\d\d \d\d:\d\d", title)
    assert rest == "**You** (0:01)\n\nHello.\n\n**Parley** (1:01)\n\nHi.\n"


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("# no title", r"\# no title"),
        ("2 * 3 * 4", r"2 \* 3 \* 4"),
        ("- one", r"\- one"),
        ("1. one", r"1\. one"),
        ("3.5 metres", r"3\.5 metres"),
        ("<script>", r"\<script\>"),
        ("[a](b)", r"\[a\](b)"),
        ("a_b `c`", r"a\_b \`c\`"),
        ("one\ntwo", "one  \ntwo"),
        ("one\n\ntwo", "one\n\ntwo"),
        ("```py\na_b = 1\n# x\n```", "```py\na_b = 1\n# x\n```"),
        ("so:\n```\na*b\n```\n*so*", "so:  \n```\na*b\n```  \n\\*so\\*"),
        ("```\nnever closed", "\\`\\`\\`  \nnever closed"),
    ],
)
def test_markdown_shows_the_words_themselves(said: str, written: str) -> None:
    assert as_markdown(conversation(("it", said, 0, 1))).endswith(f"\n\n{written}\n")


def test_json_has_everything() -> None:
    read = json.loads(as_json(conversation(("you", "Hi", 5, None), ("it", "Yes.", 100, 50))))
    assert read["conversation"] == "c"
    assert read["lines"] == [
        {"role": "user", "text": "Hi", "at_ms": 5, "spoken_ms": None},
        {"role": "assistant", "text": "Yes.", "at_ms": 100, "spoken_ms": 50},
    ]


def test_every_format_ends_what_it_writes() -> None:
    for form, language in itertools.product(FORMATS.values(), ("en", "zh", "")):
        assert form.write(conversation(("you", "Hi", 5, None)), language).endswith("\n")
