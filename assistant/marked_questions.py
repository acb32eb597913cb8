"""Whether a question is hard, learned from questions that people marked.

Kernel ridge regression: two questions are alike by their meaning, as the sentence encoder tells it,
and by the words and pairs of words that they share, which tell turns of phrase, and Chinese. There
is nothing to learn from but `marked_questions.tsv`: a line more there is learned at the next start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.router import Tier

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Shape (n_texts, width), each row of length 1."""

_TOLERANCE = 1.0
"""How little a single question decides (ridge)."""

_WORDS_WEIGHT = 2.0
"""Of the words that two questions share, where their meaning has 1. Both were chosen by leaving out
each marked question in turn."""

_TOKENS = re.compile(r"[a-z']+|[\u4e00-\u9fff]|\d+")
_LENGTHS = (3, 4, 5, 6, 8, 10, 13, 17, 22)


@dataclass(frozen=True, slots=True)
class Marked:
    """A question, and the tier that a person would send it to."""

    tier: Tier
    language: str
    question: str


def read_marked(text: str) -> tuple[Marked, ...]:
    """`text`: a table with tabs between its columns, and headings."""
    _, *rows = (line.split("\t") for line in text.splitlines())
    return tuple(Marked(Tier(tier), language, question) for tier, language, question in rows)


def marked_questions() -> tuple[Marked, ...]:
    """Those that come with the program."""
    return read_marked(Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8"))


class MarkedQuestions:
    """Blocks while it learns, for a second or two."""

    def __init__(self, marked: Sequence[Marked], encode: Encode) -> None:
        self._encode = encode
        features = [_features(each.question) for each in marked]
        self._columns = {each: n for n, each in enumerate(sorted(set().union(*features)))}
        words = np.stack([self._words(each) for each in features])
        meanings = encode([each.question for each in marked])
        targets = np.array([1.0 if each.tier is Tier.STRONG else -1.0 for each in marked])
        alike = meanings @ meanings.T + _WORDS_WEIGHT * words @ words.T
        inverse = np.linalg.inv(alike + _TOLERANCE * np.eye(len(marked)))
        weights = inverse @ targets
        self._of_meaning = meanings.T @ weights
        self._of_words = _WORDS_WEIGHT * words.T @ weights
        self._without = targets - weights / np.diag(inverse)

    def is_hard(self, question: str) -> bool:
        """Takes some milliseconds."""
        (meaning,) = self._encode([question])
        score = meaning @ self._of_meaning + self._words(_features(question)) @ self._of_words
        return bool(score > 0)

    def left_out(self) -> list[bool]:
        """Of each marked question, whether it is hard as all the others tell it."""
        return [bool(score > 0) for score in self._without]

    def _words(self, features: frozenset[str]) -> NDArray[np.float32]:
        row = np.zeros(len(self._columns), np.float32)
        row[[self._columns[each] for each in features if each in self._columns]] = 1
        return row / np.float32(len(features) ** 0.5)


def _features(question: str) -> frozenset[str]:
    """Its words and pairs of words, and how long it is. A Chinese character is a word."""
    tokens = _TOKENS.findall(question.lower())
    marked = ["^", *tokens, "$"]
    pairs = (" ".join(pair) for pair in pairwise(marked))
    lengths = (f">{length}" for length in _LENGTHS if len(tokens) > length)
    return frozenset((*marked, *pairs, *lengths))
