"""A context without a model: its next token depends on every cell of the sequence, and on nothing
else, so that a cache that mixes up or loses cells writes something else than a fresh one.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from assistant.llm.context import Context, Decoded, Run, Sampler
from assistant.llm.prefix import Memory
from assistant.llm.sampling import Distribution

N_VOCAB = 50
END = 0


class FakeModel:
    path = Path("model.gguf")
    n_vocab = N_VOCAB

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.sliding_window = 8 if memory is Memory.SLIDING else 0

    def ends_reply(self, token: int) -> bool:
        return token == END


class FakeContext:
    """Sequences of tokens, whole micro-batches, a bound on cells."""

    def __init__(
        self,
        *,
        memory: Memory = Memory.FULL,
        batch_tokens: int = 8,
        ubatch_tokens: int = 4,
        max_cells: int = 10_000,
    ) -> None:
        self.model = FakeModel(memory)
        self.batch_tokens = batch_tokens
        self.ubatch_tokens = ubatch_tokens
        self.context_tokens = self.max_cells = max_cells
        self.sequences: dict[int, list[int]] = {}
        self.decoded: list[list[Run]] = []
        self.before_decode: Callable[[], None] = lambda: None
        """Called in every decode, before the first micro-batch: may wait, or abort."""

        self._abort = threading.Event()
        self._outputs: dict[int, list[int]] = {}

    def as_context(self) -> Context:
        return cast(Context, self)

    def decode(self, runs: Sequence[Run]) -> Decoded:
        self.decoded.append(list(runs))
        self.before_decode()
        tokens = [(run, offset, token) for run in runs for offset, token in enumerate(run.tokens)]
        assert 0 < len(tokens) <= self.batch_tokens
        if sum(map(len, self.sequences.values())) + len(tokens) > self.max_cells:
            return Decoded.NO_ROOM
        self._outputs = {}
        for i, (run, offset, token) in enumerate(tokens):
            if i % self.ubatch_tokens == 0 and self._abort.is_set():
                return Decoded.ABORTED
            sequence = self.sequences.setdefault(run.sequence, [])
            assert len(sequence) == run.position + offset, "positions are consecutive"
            sequence.append(token)
            if offset >= len(run.tokens) - run.n_outputs:
                self._outputs[i] = list(sequence)
        return Decoded.DONE

    def use_threads(self, n: int) -> None:
        pass

    def abort(self) -> None:
        self._abort.set()

    def clear_abort(self) -> None:
        self._abort.clear()

    def logits(self, place: int) -> NDArray[np.float32]:
        logits = np.zeros(N_VOCAB, np.float32)
        logits[next_token(self._outputs[place])] = 1
        return logits

    def remove(self, sequence: int, from_position: int = 0) -> None:
        cells = self.sequences.get(sequence, [])
        allowed = self.model.memory is not Memory.RECURRENT or from_position in (0, len(cells))
        assert allowed, "a recurrent state has no parts"
        del cells[from_position:]

    def copy(self, source: int, target: int, to_position: int) -> None:
        assert not self.sequences.get(target), "the target was cleared"
        self.sequences[target] = self.sequences.get(source, [])[:to_position]

    def first_position(self, sequence: int) -> int:
        return 0 if self.sequences.get(sequence) else -1

    def end_position(self, sequence: int) -> int:
        return len(self.sequences.get(sequence, []))


class Greedy:
    """A sampler that takes the most likely token."""

    def distribution(self, logits: NDArray[np.float32]) -> Distribution:
        return Distribution.certain(int(logits.argmax()))

    def accept(self, token: int) -> None:
        pass

    def as_sampler(self) -> Sampler:
        return cast(Sampler, self)


def next_token(cells: Sequence[int]) -> int:
    """1 to N_VOCAB - 1, rarely END."""
    digest = hashlib.blake2b(repr(list(cells)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % N_VOCAB


def expected_reply(prompt: Sequence[int], max_tokens: int) -> list[int]:
    """What a context that reads all of `prompt` afresh would write."""
    cells = list(prompt)
    while len(cells) < len(prompt) + max_tokens and (token := next_token(cells)) != END:
        cells.append(token)
    return cells[len(prompt) :]
