"""Sampling through llama.cpp, from made-up logits."""

from contextlib import closing

import numpy as np
import pytest

from assistant.llm.context import Sampler

N_VOCAB = 20_000


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p", "repeat_penalty"),
    [(0.4, 40, 0.95, 1.1), (2.0, 40, 1.0, 2.0), (1.0, 1_000, 0.99, 1.0), (0.0, 40, 0.95, 1.1)],
)
def test_what_may_come_next_is_what_the_whole_vocabulary_allows(
    temperature: float, top_k: int, top_p: float, repeat_penalty: float
) -> None:
    logits = np.random.default_rng(3).normal(0, 4, N_VOCAB).astype(np.float32)
    said = [int(token) for token in np.argsort(-logits)[:20]]
    with closing(
        Sampler(
            N_VOCAB,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            repeat_penalty=repeat_penalty,
        )
    ) as sampler:
        for token in said:
            sampler.accept(token)
        distribution = sampler.distribution(logits)
    penalised = logits.astype(np.float64)
    for token in said:
        penalised[token] /= repeat_penalty if penalised[token] > 0 else 1 / repeat_penalty
    best = np.argsort(-penalised, kind="stable")[: 1 if temperature == 0 else top_k]
    before = np.exp(penalised[best] - penalised[best[0]])
    cumulated = np.cumsum(before / before.sum())
    kept = best[: int(np.searchsorted(cumulated, top_p)) + 1]
    wanted = np.exp((penalised[kept] - penalised[kept[0]]) / (temperature or 1))
    assert abs(len(distribution.tokens) - len(kept)) <= 1  # rounding at the edge of top-p
    for token, weight in list(zip(kept, wanted / wanted.sum(), strict=True))[:20]:
        assert distribution.probability(int(token)) == pytest.approx(weight, rel=0.02)
