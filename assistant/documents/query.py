"""Pure: words for SQLite's full-text search, and what two ways of searching found, put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assistant.recall.wording import meaningful_words

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")

_RANK_OFFSET = 20
"""Of reciprocal rank fusion (Cormack et al. 2009): how little the first places count for more."""


def searchable(text: str) -> str:
    """Chinese has no spaces: each character is a word of its own."""
    return _HAN_RUN.sub(lambda run: f" {' '.join(run[0])} ", text)


def match_expression(question: str) -> str:
    """Any of its meaningful words, for FTS5's MATCH; "" where there is none."""
    terms = list[str]()
    for word in meaningful_words(question):
        for run in _HAN_RUN.findall(word):
            terms += [" ".join(run[n : n + 2]) for n in range(max(1, len(run) - 1))]
        if rest := _HAN_RUN.sub("", word).replace("'", " ").strip():
            terms.append(rest)
    return " OR ".join(f'"{term}"' for term in dict.fromkeys(terms))


def fused(*rankings: Iterable[int]) -> list[int]:
    """Ids, best first: by the sum over the rankings of 1 / (offset + place)."""
    scores = dict[int, float]()
    for ranking in rankings:
        for place, found in enumerate(ranking):
            scores[found] = scores.get(found, 0.0) + 1 / (_RANK_OFFSET + place)
    return sorted(scores, key=lambda found: -scores[found])


def kept_or_new(kept: Sequence[int], found: Sequence[int], most: int) -> tuple[int, ...]:
    """What was chosen for the words so far stays while it holds the best of what is found now.

    Another choice would have to be read anew, and the words before it with it.
    """
    if found and found[0] in kept:
        return tuple(kept)
    return tuple(found[:most])
