"""Pure: a token drawn from a distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """The tokens that may come next; all others have probability 0."""

    tokens: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    """Same shape, sums to 1."""

    @classmethod
    def of_logits(cls, tokens: NDArray[np.int32], logits: NDArray[np.float32]) -> Distribution:
        weights = np.exp(logits.astype(np.float64) - logits.max())
        return cls(tokens.copy(), weights / weights.sum())

    @classmethod
    def certain(cls, token: int) -> Distribution:
        return cls(np.array([token], np.int32), np.ones(1))

    def probability(self, token: int) -> float:
        return float(self.probabilities[self.tokens == token].sum())

    def draw(self, random: np.random.Generator) -> int:
        if len(self.tokens) == 1:
            return int(self.tokens[0])
        return int(random.choice(self.tokens, p=self.probabilities))
