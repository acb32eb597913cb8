"""Pure: the lines of a file are cut into passages, each short enough to be read in a second."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assistant.sentences import count_words

_FULL_WORDS = 40
"""A passage of this length ends with its paragraph, or with its row of a table."""

_MOST_WORDS = 80
"""It ends here in any case: some 110 tokens."""

_HEADING = re.compile(r"^(#{1,6})\s+(.+)$")


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    place: str
    """Such as "12" or "page 3"."""


@dataclass(frozen=True, slots=True)
class Passage:
    text: str
    heading: str
    """The headings that it stands under; "" where there are none."""

    place: str
    """Of its first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    id: int
    source: str
    """Such as "README.md:12" or "guide.pdf, page 3"."""

    heading: str
    text: str


def cut(lines: Iterable[Line], *, has_headings: bool) -> Iterator[Passage]:
    """`has_headings`: whether lines that begin with # are headings."""
    headings = list[str]()
    held = list[Line]()
    n_words = 0
    for line in lines:
        heading = _HEADING.match(line.text) if has_headings else None
        row_ends = not line.text.strip() or line.text.lstrip().startswith(("|", "- ", "* "))
        if heading or n_words >= _MOST_WORDS or (row_ends and n_words >= _FULL_WORDS):
            yield from _passage(held, headings)
            held, n_words = [], 0
        if heading:
            headings = [*headings[: len(heading[1]) - 1], heading[2].strip()]
        else:
            for piece in _short(line):
                if n_words >= _MOST_WORDS:
                    yield from _passage(held, headings)
                    held, n_words = [], 0
                held.append(piece)
                n_words += count_words(piece.text)
    yield from _passage(held, headings)


def _short(line: Line) -> Iterator[Line]:
    """A line without breaks may be a whole chapter."""
    words = line.text.split(" ")
    if len(words) <= _MOST_WORDS:
        yield line
        return
    for start in range(0, len(words), _FULL_WORDS):
        yield Line(" ".join(words[start : start + _FULL_WORDS]), line.place)


def _passage(lines: list[Line], headings: list[str]) -> Iterator[Passage]:
    told = [line for line in lines if line.text.strip()]
    if told:
        text = "\n".join(line.text.rstrip() for line in told)
        yield Passage(text, " > ".join(headings), told[0].place)
