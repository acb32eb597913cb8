"""Pure: where clauses and sentences end in text that is still being written.

Western marks end something only before white space, which leaves decimals, times and addresses
whole; Chinese marks end something wherever they stand. English abbreviations are known by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto


def word_set(words: str) -> frozenset[str]:
    """Words, written one after the other."""
    return frozenset(words.split())


_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_IS_CJK = re.compile(f"[{_CJK}]")
_WORD = re.compile(f"[{_CJK}]|[^\\W{_CJK}](?:[^\\s{_CJK}，。！？；：、]*[^\\W{_CJK}])?")
_LONG_WORD_CHARACTERS = 16

_MARK = re.compile(r"\n|[.!?…]+|[。！？]+|[，；：、]|[,;:]|—+|\s[-–](?=\s)")
_CLOSERS = "\"')]}*_”’»」』）】》"

_NEVER_LAST = word_set(
    "mr mrs ms dr prof st mt gen sen rep gov capt sgt col rev hon vs approx e.g i.e cf dept est "
    "fig vol ed ave"
)
"""Abbreviations with which no sentence ends."""

_BEFORE_NUMBER = word_set("no nos p pp ch sec art jan feb mar apr jun jul aug sep sept oct nov dec")
"""Abbreviations when a number follows; otherwise words, or the end of a sentence."""

_SOMETIMES_LAST = word_set("etc inc ltd co corp jr sr ph.d al")
"""Abbreviations with which, as with initials, a sentence ends only if a starter follows."""

_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
"""One letter, or letters with dots between; the last dot left out."""

_STARTERS = word_set(
    "A After All Also An And Another Are As At Because Before But By Can Could Did Do Does Each "
    "Every For From Have He Her Here His How However I If In Is It Its Let Many Maybe More Most "
    "My No Not Now On One Or Our Please She Should So Some Sometimes Sorry Still Sure Thank "
    "Thanks That The Their Then There These They This Those Though To Today Tomorrow Was We Well "
    "Were What When Where Which While Who Why Will With Would Yes Yesterday You Your"
)
"""Words that, with a capital, rather begin a sentence than a name."""

_LAST_WORD = re.compile(f"[^\\s(\"'“‘\\[*_{_CJK}]+$")
_NEXT_WORD = re.compile(r"\s+[\"'(“‘*_]*([^\W\d_]+)(.?)", re.DOTALL)


class _Verdict(Enum):
    NOTHING = auto()
    CLAUSE = auto()
    SENTENCE = auto()
    UNDECIDED = auto()
    """The next few characters will tell."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A place where a clause certainly ends."""

    end: int
    """Characters up to and with the marks that end it; white space belongs to what follows."""

    ends_sentence: bool


def boundaries(text: str) -> Iterator[Boundary]:
    """Those that nothing written after `text` can change, in order."""
    for mark in _MARK.finditer(text):
        if mark.group() == "\n":
            yield Boundary(len(text[: mark.start()].rstrip()), ends_sentence=True)
            continue
        end = mark.end()
        while end < len(text) and text[end] in _CLOSERS:
            end += 1
        verdict = _judge(text, mark, end)
        if verdict is _Verdict.UNDECIDED:
            return
        if verdict is not _Verdict.NOTHING:
            yield Boundary(end, ends_sentence=verdict is _Verdict.SENTENCE)


def count_words(text: str) -> int:
    """Words as a voice counts them: two Chinese characters are one, a very long word is several."""
    characters = words = 0
    for word in _WORD.findall(text):
        if _IS_CJK.match(word):
            characters += 1
        else:
            words += 1 + len(word) // _LONG_WORD_CHARACTERS
    return words + (characters + 1) // 2


def _judge(text: str, mark: re.Match[str], end: int) -> _Verdict:
    """What ends at `end`, with the marks and the closing quotes before it."""
    marks, after = mark.group(), text[end : end + 1]
    before = text[mark.start() - 1] if mark.start() else ""
    if marks in "，；：、" or marks[0].isspace():
        return _Verdict.CLAUSE
    if marks in ",;" and not after and _word_before(text, mark.start()).isalpha():
        return _Verdict.CLAUSE  # nobody writes "word,word": no need to wait
    if not after:
        return _Verdict.UNDECIDED
    if marks[0] in "。！？":
        return _Verdict.SENTENCE
    if marks[0] == "—":
        return _Verdict.CLAUSE
    if _IS_CJK.match(after):
        return _Verdict.CLAUSE if marks in ",;:" else _Verdict.SENTENCE
    if not after.isspace():
        return _Verdict.NOTHING
    following = _following(text, end)
    if marks in ",;:":
        return _judge_comma(before, following)
    if marks == ".":
        return _judge_full_stop(text, mark.start(), end, following)
    if following == "":
        return _Verdict.UNDECIDED
    return _Verdict.CLAUSE if following.islower() else _Verdict.SENTENCE


def _word_before(text: str, end: int) -> str:
    found = _LAST_WORD.search(text, 0, end)
    return found.group() if found else ""


def _following(text: str, end: int) -> str:
    """The next character that is not white space, or the line's end; empty if not yet written."""
    gap = text[end:]
    rest = gap.lstrip()
    if "\n" in gap[: len(gap) - len(rest)]:
        return "\n"
    return rest[:1]


def _judge_comma(before: str, following: str) -> _Verdict:
    """March 3, 2025 is one thing."""
    if not before.isdigit():
        return _Verdict.CLAUSE
    if not following:
        return _Verdict.UNDECIDED
    return _Verdict.NOTHING if following.isdigit() else _Verdict.CLAUSE


def _judge_full_stop(text: str, dot: int, end: int, following: str) -> _Verdict:
    word = _word_before(text, dot)
    lowered = word.lower()
    is_numbering = (
        word.isdigit() and not text[text.rfind("\n", 0, dot) + 1 : dot - len(word)].strip()
    )
    if is_numbering or lowered in _NEVER_LAST:
        return _Verdict.NOTHING
    if lowered in _BEFORE_NUMBER:
        if not following:
            return _Verdict.UNDECIDED
        return _Verdict.NOTHING if following.isdigit() else _Verdict.SENTENCE
    if (lowered in _SOMETIMES_LAST or _INITIALS.fullmatch(word)) and following != "\n":
        return _judge_by_next_word(text, end, following)
    if end > dot + 1:  # a closing quote: "Stop." she said
        if not following:
            return _Verdict.UNDECIDED
        return _Verdict.CLAUSE if following.islower() else _Verdict.SENTENCE
    return _Verdict.SENTENCE


def _judge_by_next_word(text: str, end: int, following: str) -> _Verdict:
    if following and not following.isupper() and following not in "\"'(“‘*_":
        return _Verdict.SENTENCE if _IS_CJK.match(following) else _Verdict.NOTHING
    word = _NEXT_WORD.match(text, end)
    if word is None or not word[2]:
        return _Verdict.UNDECIDED
    return _Verdict.SENTENCE if word[1] in _STARTERS else _Verdict.NOTHING
