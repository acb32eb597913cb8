from collections import Counter

import numpy as np
import pytest

from assistant.llm.draft import (
    MAX_GUESSES,
    Drafting,
    DraftLength,
    Guess,
    NgramLookup,
    check,
)
from assistant.llm.sampling import Distribution

P = Distribution(np.array([1, 2, 3, 4], np.int32), np.array([0.5, 0.3, 0.15, 0.05]))
QS = {
    "alike": Distribution(np.array([1, 2, 3, 4], np.int32), np.array([0.4, 0.3, 0.2, 0.1])),
    "unlike": Distribution(np.array([4, 5], np.int32), np.array([0.7, 0.3])),
    "equal": P,
    "certain": Distribution.certain(2),
    "certain and wrong": Distribution.certain(9),
}


@pytest.mark.parametrize("q", QS.values(), ids=QS)
def test_what_is_said_has_the_brains_distribution(q: Distribution) -> None:
    random = np.random.default_rng(7)
    n = 8_000
    said = Counter(check(Guess(q.draw(random), q), P, random) for _ in range(n))
    assert set(said) <= {1, 2, 3, 4}
    chi_square = sum(
        (said[int(token)] - n * p) ** 2 / (n * p)
        for token, p in zip(P.tokens, P.probabilities, strict=True)
    )
    assert chi_square < 16.27, "0.1 % point of the chi-square distribution, 3 degrees of freedom"


def test_guesses_are_kept_as_often_as_the_distributions_overlap() -> None:
    random = np.random.default_rng(7)
    q = QS["alike"]
    guesses = [Guess(q.draw(random), q) for _ in range(8_000)]
    kept = sum(check(guess, P, random) == guess.token for guess in guesses)
    assert abs(kept / 8_000 - (0.4 + 0.3 + 0.15 + 0.05)) < 0.02


def test_greedy_guesses_are_kept_exactly_when_right() -> None:
    random = np.random.default_rng(0)
    for token, expected in ((7, 7), (8, 7)):
        guess = Guess(token, Distribution.certain(token))
        assert check(guess, Distribution.certain(7), random) == expected


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([], []),
        ([1], []),
        ([1, 2, 3], []),
        ([1, 2, 3, 4, 1, 2], [3, 4, 1]),
        ([1, 2, 3, 9, 1, 2, 4, 9, 1, 2], [4, 9, 1]),  # the latest place
        ([5, 1, 2, 3, 8, 7, 1, 2, 4, 9, 5, 1, 2], [3, 8, 7]),  # the longest match
        ([1, 1, 1], [1]),
    ],
)
def test_a_look_up_finds_what_followed_the_same_words(
    tokens: list[int], expected: list[int]
) -> None:
    assert [guess.token for guess in NgramLookup().guess(tokens, 3)] == expected


CPU = [10 * cost for cost in (1, 1.9, 2.7, 3.5, 4.2, 5.0, 5.8)]
"""What checking costs on a processor: nearly as much as decoding one by one."""

GPU = [10 * cost for cost in (1, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3)]


@pytest.mark.parametrize(
    ("check_ms", "guess_ms", "acceptance", "shortest", "longest"),
    [
        (CPU, 6.5, 0.5, 0, 0),
        (CPU, 6.5, 1.0, 0, 0),
        (CPU, 0.0, 0.5, 0, 0),
        (CPU, 0.0, 1.0, 4, MAX_GUESSES),
        (GPU, 1.0, 0.0, 0, 0),
        (GPU, 1.0, 0.5, 1, 3),
        (GPU, 1.0, 0.9, 5, MAX_GUESSES),
    ],
)
def test_the_number_of_guesses_is_what_pays_best(
    check_ms: list[float], guess_ms: float, acceptance: float, shortest: int, longest: int
) -> None:
    length = DraftLength(check_ms=check_ms, guess_ms=guess_ms)
    length.acceptance = acceptance
    assert shortest <= length.best <= longest


def test_a_draft_model_that_costs_too_much_can_never_pay() -> None:
    assert not DraftLength(check_ms=CPU, guess_ms=6.5).can_pay
    assert DraftLength(check_ms=CPU, guess_ms=0).can_pay


def test_without_guesses_the_speed_is_that_of_plain_decoding() -> None:
    assert DraftLength(check_ms=GPU, guess_ms=1).speed_ratio(0) == 1


def test_a_machine_on_which_guessing_stops_paying_is_noticed() -> None:
    length = DraftLength(check_ms=[30, *CPU[1:]], guess_ms=6.5)  # plain decoding was disturbed
    length.acceptance = 0.7
    assert length.best > 0
    for _ in range(2_000):
        n = length.choose()
        length.learn_cost(n_guesses=n, check_ms=CPU[n])
    assert length.best == 0


def test_acceptance_is_learned_from_what_was_accepted() -> None:
    length = DraftLength(check_ms=GPU, guess_ms=1)
    for _ in range(60):
        length.learn(n_guesses=4, n_accepted=4)
    assert length.acceptance > 0.95
    for _ in range(60):
        length.learn(n_guesses=4, n_accepted=0)
    assert length.acceptance < 0.05


def test_free_guesses_are_watched_while_they_do_not_pay() -> None:
    length = DraftLength(check_ms=CPU, guess_ms=0)
    drafting = Drafting(NgramLookup(), length)
    tokens = [1, 2, 3, 4, 5] * 3
    said = 0
    while not (guesses := drafting.guess(tokens, MAX_GUESSES)):
        drafting.learn(guesses, [tokens[-5]])
        tokens.append(tokens[-5])
        said += 1
        assert said < 60
    assert guesses[0].token == tokens[-5]
