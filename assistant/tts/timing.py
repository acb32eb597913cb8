"""Which of a phrase's written words have been said at a moment of its sound.

The voice knows when each phoneme ends. Written words are laid over the phonemes in proportion to
how many phonemes each has when spoken by itself, so "1999" takes its real share of "in 1999".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\s\u3040-\u30ff\u3400-\u9fff]+")


class WordClock:
    """Follows one phrase while its sentences are spoken."""

    def __init__(self, phrase: str, *, n_ids: int, weigh: Callable[[str], int]) -> None:
        """`n_ids`: phoneme ids of all sentences; `weigh`: phonemes of one written word."""
        words = list(_WORD.finditer(phrase))
        weights = list(accumulate(weigh(word.group()) for word in words))
        total = weights[-1] if weights else 0
        self._shares = [weight / total if total else 1.0 for weight in weights]
        self._ends = [word.end() for word in words[:-1]] + [len(phrase)]
        self._n_ids = n_ids
        self._id_ends = np.zeros(0)

    def add_sentence(self, id_ends: NDArray[np.floating[Any]], *, begins_at: int) -> None:
        """`id_ends`: the sample, from the sentence's first, at which each id has been said."""
        self._id_ends = np.concatenate([self._id_ends, id_ends + begins_at])

    def said_characters(self, sample: float) -> int:
        """Characters of the phrase, to the word, that have been said before this sample."""
        said = np.searchsorted(self._id_ends, sample, side="right")
        n_words = bisect_right(self._shares, said / self._n_ids + 1e-9)
        return self._ends[n_words - 1] if n_words else 0
