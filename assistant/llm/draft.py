"""Pure: speculative decoding. Somebody cheap guesses a few tokens, the brain checks them at once.

What is said has exactly the distribution that the brain alone would give it (Leviathan et al.
2023, arXiv:2211.17192): a guess x drawn from q is kept with probability min(1, p(x) / q(x)), else
replaced by a draw from max(0, p - q). How many tokens to guess is decided by what it costs and how
often it is right, none included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assistant.llm.sampling import Distribution

MAX_GUESSES = 6
"""Longer guesses are seldom right to the end: acceptance was 0.44 at six."""

_PRIOR_ACCEPTANCE = 0.5
_MEMORY = 0.9
"""Weight of what was known at each new trial: about ten of them count."""

_MIN_GAIN = 1.03
"""Predicted speed below this is within the error of the calibration."""

_PLAIN_EVERY = 16
"""Steps; the gain is measured against plain decoding, whose cost changes with the load."""


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    token: int
    distribution: Distribution
    """What it was drawn from; certain for a look-up."""


class Guesser(Protocol):
    is_free: bool
    """Whether guessing costs next to nothing, so that it may be done only to see if it is right."""

    def guess(self, tokens: Sequence[int], n: int) -> list[Guess]:
        """At most `n` tokens that may follow."""
        ...


def check(guess: Guess, wanted: Distribution, random: np.random.Generator) -> int:
    """The guessed token when it is kept, else another one."""
    p, q = wanted.probability(guess.token), guess.distribution.probability(guess.token)
    if p >= q or random.random() < p / q:
        return guess.token
    return _without(wanted, guess.distribution).draw(random)


def _without(wanted: Distribution, guessed: Distribution) -> Distribution:
    """max(0, p - q), normalised."""
    rest = np.array(
        [
            max(0.0, p - guessed.probability(int(token)))
            for token, p in zip(wanted.tokens, wanted.probabilities, strict=True)
        ]
    )
    return Distribution(wanted.tokens, rest / rest.sum())


class NgramLookup:
    """Guesses that the conversation goes on as it did after the same words before."""

    is_free = True

    def __init__(self, longest: int = 4, shortest: int = 2) -> None:
        self._lengths = range(longest, shortest - 1, -1)

    def guess(self, tokens: Sequence[int], n: int) -> list[Guess]:
        text = np.asarray(tokens)
        for length in self._lengths:
            if len(text) <= length:
                continue
            windows = np.lib.stride_tricks.sliding_window_view(text[:-1], length)
            (places,) = np.nonzero((windows == text[-length:]).all(axis=1))
            if len(places):
                begin = int(places[-1]) + length
                following = tokens[begin : begin + n]
                return [Guess(token, Distribution.certain(token)) for token in following]
        return []


class DraftLength:
    """Chooses how many tokens to guess: whatever promises most tokens per second."""

    def __init__(self, *, check_ms: Sequence[float], guess_ms: float) -> None:
        """`check_ms[n]`: a decode of n + 1 tokens, the newest and n guesses; `guess_ms`: one."""
        self._check_ms = list(check_ms)
        self._guess_ms = guess_ms
        self._n_choices = 0
        self.acceptance = _PRIOR_ACCEPTANCE

    @property
    def plain_ms(self) -> float:
        """A token without guessing."""
        return self._check_ms[0]

    def choose(self) -> int:
        """How many to guess now: the best number, and now and then none, to see what that costs."""
        self._n_choices += 1
        return 0 if self._n_choices % _PLAIN_EVERY == 0 else self.best

    @property
    def best(self) -> int:
        """0 when guessing does not pay."""
        best = max(range(len(self._check_ms)), key=self.speed_ratio)
        return best if self.speed_ratio(best) >= _MIN_GAIN else 0

    def speed_ratio(self, n_guesses: int, acceptance: float | None = None) -> float:
        """Predicted tokens per second with `n_guesses`, by those without."""
        if acceptance is None:
            acceptance = self.acceptance
        n_tokens = sum(acceptance**i for i in range(n_guesses + 1))
        cost_ms = self._check_ms[n_guesses] + n_guesses * self._guess_ms
        return n_tokens * self.plain_ms / cost_ms

    @property
    def can_pay(self) -> bool:
        """Whether guessing would pay if every guess were right."""
        n_choices = range(len(self._check_ms))
        return max(self.speed_ratio(n, acceptance=1.0) for n in n_choices) >= _MIN_GAIN

    def learn_cost(self, *, n_guesses: int, check_ms: float) -> None:
        """The machine may have become busier than it was at the calibration."""
        old_ms = self._check_ms[n_guesses]
        self._check_ms[n_guesses] = _MEMORY * old_ms + (1 - _MEMORY) * check_ms

    def learn(self, *, n_guesses: int, n_accepted: int) -> None:
        """Each accepted guess is a success; the first refused one ends the trial."""
        for is_right in [True] * n_accepted + [False] * (n_accepted < n_guesses):
            self.acceptance = _MEMORY * self.acceptance + (1 - _MEMORY) * is_right


class Drafting:
    """Guesses while it pays, and looks on while it does not."""

    def __init__(self, guesser: Guesser, length: DraftLength) -> None:
        self._guesser = guesser
        self.length = length
        self._shadow: list[Guess] = []
        """A guess that is not checked but compared with what is said, which costs nothing."""

    def guess(self, tokens: Sequence[int], at_most: int) -> list[Guess]:
        self._shadow = []
        n = min(self.length.choose(), at_most)
        if n > 0:
            return self._guesser.guess(tokens, n)
        if self._guesser.is_free and self.length.can_pay:
            self._shadow = self._guesser.guess(tokens, 1)
        return []

    def learn(self, guesses: Sequence[Guess], said: Sequence[int]) -> None:
        """`said`: the tokens that the guesses led to, the last one not guessed."""
        for guessed in (guesses, self._shadow):
            if guessed:
                hits = [guess.token == token for guess, token in zip(guessed, said, strict=False)]
                n_accepted = hits.index(False) if False in hits else len(hits)
                self.length.learn(n_guesses=len(guessed), n_accepted=n_accepted)
        self._shadow = []
