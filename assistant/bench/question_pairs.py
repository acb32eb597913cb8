"""Pairs of questions, and how many of them are taken for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.bench.table import HELD_OUT, table
from assistant.recall.encoder import SentenceEncoder
from assistant.recall.sameness import are_the_same


@dataclass(frozen=True, slots=True)
class Pair:
    first: str
    second: str
    is_same: bool
    is_held_out: bool
    """Neither the threshold nor the rules were made with it in view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    n: int
    hit_rate: float
    """Of the paraphrases, how many are recognised."""

    wrong_hit_rate: float
    """Of the near misses, how many are taken for the same."""

    wrong: tuple[Pair, ...]


def read_pairs() -> tuple[Pair, ...]:
    """Paraphrases and near misses, about as many of each."""
    _, *rows = table("question_pairs")
    return tuple(
        Pair(first, second, kind == "same", used == HELD_OUT) for kind, used, first, second in rows
    )


def judge(
    pairs: Sequence[Pair], encoder: SentenceEncoder, *, similarity: float, surely: bool = True
) -> Judged:
    """`surely`: as it is while there is time to ask a brain."""
    firsts = encoder.encode([pair.first for pair in pairs])
    seconds = encoder.encode([pair.second for pair in pairs])
    taken = [
        pair
        for pair, cosine in zip(pairs, (firsts * seconds).sum(axis=1), strict=True)
        if are_the_same(
            pair.first,
            pair.second,
            float(cosine),
            similarity=similarity,
            encode=None if surely else encoder.encode,
        )
    ]
    n_same = sum(pair.is_same for pair in pairs)
    wrong = tuple(pair for pair in taken if not pair.is_same)
    return Judged(
        n=len(pairs),
        hit_rate=(len(taken) - len(wrong)) / n_same,
        wrong_hit_rate=len(wrong) / (len(pairs) - n_same),
        wrong=wrong,
    )
