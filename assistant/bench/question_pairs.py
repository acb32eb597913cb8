"""Pairs of questions, and how many of them are taken for one."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.bench.table import table
from assistant.recall.encoder import SentenceEncoder
from assistant.recall.sameness import are_the_same


@dataclass(frozen=True, slots=True)
class Pair:
    first: str
    second: str
    is_same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    hit_rate: float
    """Of the paraphrases, how many are recognised."""

    wrong_hit_rate: float
    """Of the near misses, how many are taken for the same."""

    wrong: tuple[Pair, ...]


def read_pairs() -> tuple[Pair, ...]:
    """100 paraphrases and 100 near misses."""
    return tuple(
        Pair(first, second, kind == "same") for kind, first, second in table("question_pairs")
    )


def judge(pairs: tuple[Pair, ...], encoder: SentenceEncoder, *, similarity: float) -> Judged:
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
            encode=encoder.encode,
        )
    ]
    n_same = sum(pair.is_same for pair in pairs)
    wrong = tuple(pair for pair in taken if not pair.is_same)
    return Judged(
        hit_rate=(len(taken) - len(wrong)) / n_same,
        wrong_hit_rate=len(wrong) / (len(pairs) - n_same),
        wrong=wrong,
    )
