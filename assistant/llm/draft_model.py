"""A small model that guesses what the brain will say. Source of the idea: see draft.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assistant.errors import BrainError, ModelFileError
from assistant.llm.context import Context, Decoded, Run, Sampler
from assistant.llm.draft import Guess
from assistant.llm.model import Model
from assistant.llm.prefix import common_cells

_BATCH_TOKENS = 64
"""Read at once before looking whether the reply is still wanted."""


class DraftModel:
    """Follows one reply at a time. For the scheduler's thread only."""

    is_free = False

    def __init__(
        self,
        path: Path,
        brain: Model,
        *,
        sampler: Sampler,
        context_tokens: int,
        threads: int,
        gpu_layers: int,
        seed: int,
    ) -> None:
        """`sampler` is closed with this. Raises ModelFileError."""
        self._model = Model(path, gpu_layers=gpu_layers)
        if self._model.vocabulary_hash() != brain.vocabulary_hash():
            raise ModelFileError(
                f"{path} cannot draft for {brain.path}: their vocabularies differ; "
                "set brain.draft_model to a smaller model of the same family, or to nothing"
            )
        self._context = Context(
            self._model,
            context_tokens=context_tokens,
            batch_tokens=_BATCH_TOKENS,
            ubatch_tokens=_BATCH_TOKENS,
            n_sequences=1,
            threads=threads,
        )
        self._sampler = sampler
        self._random = np.random.default_rng(seed)
        self._read: list[int] = []

    def guess(self, tokens: Sequence[int], n: int) -> list[Guess]:
        keep = min(common_cells(self._read, tokens), len(tokens) - 1)
        self._context.remove(0, keep)
        del self._read[keep:]
        guesses: list[Guess] = []
        unread = list(tokens[keep:])
        while len(guesses) < n:
            distribution = self._sampler.distribution(self._context.logits(self._go_on(unread)))
            token = distribution.draw(self._random)
            guesses.append(Guess(token, distribution))
            if self._model.ends_reply(token):
                break
            unread = [token]
        return guesses

    def _go_on(self, tokens: list[int]) -> int:
        """Read `tokens`; where the logits of the last one are."""
        for i in range(0, len(tokens), _BATCH_TOKENS):
            batch = tokens[i : i + _BATCH_TOKENS]
            if self._context.decode([Run(0, len(self._read), batch, 1)]) is not Decoded.DONE:
                raise BrainError("the draft model could not decode")
            self._read += batch
        return len(batch) - 1

    def close(self) -> None:
        self._sampler.close()
        self._context.close()
        self._model.close()
