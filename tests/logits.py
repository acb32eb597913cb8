"""What a brain thought of its next words, for comparing two of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.llm.context import Sampler
from assistant.llm.engine import Engine
from assistant.llm.sampling import Distribution
from assistant.types import Prompt
from assistant.worker_host import Leaving

MARGIN = 0.7
"""The same tokens read in other batches differ by up to 0.6."""


def watch_logits(engine: Engine, prompt: Prompt, *, max_tokens: int) -> list[NDArray[np.float32]]:
    """Reply, and return the logits of each token of it."""
    seen: list[NDArray[np.float32]] = []
    distribution = Sampler.distribution

    def watch(sampler: Sampler, logits: NDArray[np.float32]) -> Distribution:
        seen.append(logits.copy())
        return distribution(sampler, logits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sampler, "distribution", watch)
        for _ in engine.reply(prompt, max_tokens, Leaving()):
            pass
    return seen


def assert_agree(one: Engine, other: Engine, prompt: Prompt, *, max_tokens: int = 20) -> None:
    """Greedy replies agree token for token, up to a first difference between two as likely."""
    mine = watch_logits(one, prompt, max_tokens=max_tokens)
    theirs = watch_logits(other, prompt, max_tokens=max_tokens)
    for a, b in zip(mine, theirs, strict=False):
        if a.argmax() != b.argmax():
            second, first = np.sort(a)[-2:]
            assert first - second <= MARGIN
            return
