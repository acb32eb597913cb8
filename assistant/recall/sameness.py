"""Whether two questions are one: by the distance of their meanings, and by their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.recall.encoder import Vectors
from assistant.recall.wording import difference

_DIFFERING_AT = 0.86
"""Cosine of questions in which some words stand for others."""

_WORDS_AT = 0.8
"""Cosine of those words. "Gym" and "fitness room" lie at 0.63, "sell" and "buy" at 0.76, "niger"
and "nigeria" at 0.83: no number tells them apart, so this is for where much the same will do."""


def are_the_same(
    first: str,
    second: str,
    cosine: float,
    *,
    similarity: float,
    encode: Callable[[Sequence[str]], Vectors] | None = None,
) -> bool:
    """`cosine`: of the two vectors; `similarity`: what it has to be. Their words have to agree, but
    with `encode` they may be others of much the same meaning."""
    differing = difference(first, second)
    if differing is None or cosine < similarity:
        return False
    if differing.is_nothing:
        return True
    if encode is None or cosine < _DIFFERING_AT:
        return False
    if not (differing.only_first and differing.only_second):
        return False  # what only adds words asks for something particular
    ours, theirs = encode([" ".join(differing.only_first), " ".join(differing.only_second)])
    return float(ours @ theirs) >= _WORDS_AT
