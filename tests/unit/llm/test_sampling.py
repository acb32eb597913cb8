import numpy as np
import pytest

from assistant.llm.sampling import Distribution

TOKENS = np.array([3, 7, 9], np.int32)


def test_probabilities_are_the_softmax_of_the_logits() -> None:
    distribution = Distribution.of_logits(TOKENS, np.log([0.2, 0.5, 0.3]).astype(np.float32) + 100)
    assert distribution.probability(7) == pytest.approx(0.5)
    assert distribution.probability(4) == 0


def test_a_certain_token_is_drawn_without_chance() -> None:
    random = np.random.default_rng(0)
    before = random.bit_generator.state
    assert Distribution.certain(7).draw(random) == 7
    assert random.bit_generator.state == before


def test_draws_follow_the_probabilities() -> None:
    distribution = Distribution(TOKENS, np.array([0.2, 0.5, 0.3]))
    random = np.random.default_rng(0)
    drawn = [distribution.draw(random) for _ in range(4_000)]
    assert abs(drawn.count(7) / len(drawn) - 0.5) < 0.03
