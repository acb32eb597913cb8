"""Whether two questions are one: by the distance of their meanings, and by their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.recall.encoder import Vectors
from assistant.recall.wording import difference

LEAST = 0.75
"""Cosine below which nothing is the same. Questions whose meaningful words agree all lie above."""

_MORE_FOR_ADDED_WORDS = 0.02
"""For a question that only adds words: "... on Sunday" changes a long one by little."""

_WORDS_AT = 0.65
"""Cosine of the words in which two questions differ. "Author" and "wrote" lie at 0.66; so do "dog"
and "cat", but their sentences lie further apart."""


def are_the_same(
    first: str,
    second: str,
    cosine: float,
    *,
    similarity: float,
    encode: Callable[[Sequence[str]], Vectors],
) -> bool:
    """`cosine`: of the two vectors; `similarity`: what it has to be where the words differ."""
    differing = difference(first, second)
    if differing is None or cosine < LEAST:
        return False
    if differing.is_nothing:
        return True
    if not (differing.only_first and differing.only_second):
        return cosine >= similarity + _MORE_FOR_ADDED_WORDS
    if cosine < similarity:
        return False
    ours, theirs = encode([" ".join(differing.only_first), " ".join(differing.only_second)])
    return float(ours @ theirs) >= _WORDS_AT
