"""KV cache, decoding and sampling of one model, through ctypes. Source: include/llama.h.

Only one thread may use a `Context`; `Context.abort` alone may be called from any.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import llama_cpp.llama_cpp as llama
import numpy as np
from numpy.typing import NDArray

from assistant.errors import BrainError
from assistant.llm.model import Model, first_error, forget_errors
from assistant.llm.sampling import Distribution

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""llama_token_data."""

_PENALISED_TOKENS = 64
"""How far back a repetition is one."""


_BLOCK_TOKENS = 64
"""Of the vocabulary, which are looked through together."""


class Decoded(IntEnum):
    """How a decode ended. Source: llama_decode in llama.h."""

    DONE = 0
    NO_ROOM = 1
    """Nothing was read; the memory is as it was."""

    ABORTED = 2
    """Whole micro-batches before the abort are in the memory."""

    FAILED = 3
    """The same, and llama.cpp does not know how to go on."""


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive tokens of one sequence, as a part of a batch."""

    sequence: int
    position: int
    """Of the first token."""

    tokens: Sequence[int]
    n_outputs: int = 0
    """How many tokens at the end want their logits."""


class Context:
    """KV cache and compute buffers of one model, for one thread."""

    def __init__(
        self,
        model: Model,
        *,
        context_tokens: int,
        batch_tokens: int,
        ubatch_tokens: int,
        n_sequences: int,
        threads: int,
    ) -> None:
        parameters = llama.llama_context_default_params()
        parameters.n_ctx = context_tokens
        parameters.n_batch = batch_tokens
        parameters.n_ubatch = ubatch_tokens
        parameters.n_seq_max = n_sequences
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.kv_unified = True
        parameters.swa_full = True  # a sliding-window cache that forgets cannot be rolled back
        parameters.no_perf = True
        forget_errors()
        handle = llama.llama_init_from_model(model.handle, parameters)
        if not handle:
            raise BrainError(
                f"{model.path} does not fit: lower brain.context_tokens ({first_error()})"
            )
        self.kv_types = f"{parameters.type_k} {parameters.type_v}"
        """Numbers of ggml_type."""

        self.model = model
        self.handle = handle
        self.batch_tokens = batch_tokens
        self._threads = threads
        self.context_tokens = int(llama.llama_n_ctx(handle))
        self._memory: Any = llama.llama_get_memory(handle)
        self._batch = llama.llama_batch_init(batch_tokens, 0, 1)
        # The abort callback is libc's strlen over two bytes: no Python, hence no wait for the GIL.
        self._abort = (ctypes.c_uint8 * 2)(0, 0)
        libc = ctypes.CDLL("msvcrt" if os.name == "nt" else None)
        self._abort_callback = ctypes.cast(libc.strlen, llama.ggml_abort_callback)
        llama.llama_set_abort_callback(
            handle, self._abort_callback, ctypes.cast(self._abort, ctypes.c_void_p)
        )

    def decode(self, runs: Sequence[Run]) -> Decoded:
        """Read a batch. Outputs are numbered by their token's place in it: see `logits`."""
        batch = self._batch
        i = 0
        for run in runs:
            first_output = len(run.tokens) - run.n_outputs
            for offset, token in enumerate(run.tokens):
                batch.token[i] = token
                batch.pos[i] = run.position + offset
                batch.n_seq_id[i] = 1
                batch.seq_id[i][0] = run.sequence
                batch.logits[i] = offset >= first_output
                i += 1
        batch.n_tokens = i
        code = int(llama.llama_decode(self.handle, batch))
        return Decoded(code) if code in (0, 1, 2) else Decoded.FAILED

    def use_threads(self, n: int) -> None:
        """From the next decode on."""
        if n != self._threads:
            self._threads = n
            llama.llama_set_n_threads(self.handle, n, n)

    def abort(self) -> None:
        """End the decode that is running, in milliseconds. From any thread."""
        self._abort[0] = 1

    def clear_abort(self) -> None:
        self._abort[0] = 0

    @property
    def is_aborting(self) -> bool:
        return bool(self._abort[0])

    def logits(self, place: int) -> NDArray[np.float32]:
        """Shape (n_vocab,); valid until the next decode."""
        pointer = llama.llama_get_logits_ith(self.handle, place)
        return np.ctypeslib.as_array(pointer, shape=(self.model.n_vocab,))

    def remove(self, sequence: int, from_position: int = 0) -> None:
        """Take cells back, to the end. What may be removed is prefix.py's to say."""
        llama.llama_memory_seq_rm(self._memory, sequence, from_position, -1)

    def copy(self, source: int, target: int, to_position: int) -> None:
        """Have `target` share the cells of `source` before `to_position`."""
        llama.llama_memory_seq_cp(self._memory, source, target, -1, to_position)

    def first_position(self, sequence: int) -> int:
        return int(llama.llama_memory_seq_pos_min(self._memory, sequence))

    def end_position(self, sequence: int) -> int:
        """One after the last; 0 when the sequence is empty."""
        return int(llama.llama_memory_seq_pos_max(self._memory, sequence)) + 1

    def state(self, sequence: int) -> bytes:
        """A sequence's cells, to be restored into another context of the same shape."""
        size = llama.llama_state_seq_get_size(self.handle, sequence)
        buffer = (ctypes.c_uint8 * size)()
        n = llama.llama_state_seq_get_data(self.handle, buffer, size, sequence)
        return bytes(memoryview(buffer)[:n])

    def restore(self, sequence: int, state: bytes) -> bool:
        """Whether llama.cpp took it."""
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        return bool(llama.llama_state_seq_set_data(self.handle, buffer, len(state), sequence))

    def close(self) -> None:
        llama.llama_batch_free(self._batch)
        llama.llama_free(self.handle)


class Sampler:
    """What one reply may say next: repeat penalty, top-k, top-p, temperature, in this order."""

    def __init__(
        self,
        n_vocab: int,
        *,
        temperature: float,
        top_k: int,
        top_p: float,
        repeat_penalty: float,
    ) -> None:
        if temperature == 0:
            top_k = 1
        self._chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        for part in (
            llama.llama_sampler_init_penalties(n_vocab, _PENALISED_TOKENS, repeat_penalty, 0, 0),
            llama.llama_sampler_init_top_k(top_k),
            llama.llama_sampler_init_top_p(top_p, 1),
            llama.llama_sampler_init_temp(temperature or 1),
        ):
            llama.llama_sampler_chain_add(self._chain, part)
        self._candidates = np.zeros(n_vocab, _CANDIDATE)
        self._n_needed = top_k + _PENALISED_TOKENS
        self._blocks = np.arange(0, n_vocab, _BLOCK_TOKENS)

    def distribution(self, logits: NDArray[np.float32]) -> Distribution:
        """`logits`: shape (n_vocab,)."""
        ids = self._top(logits)
        self._candidates["id"][: len(ids)] = ids
        self._candidates["logit"][: len(ids)] = logits[ids]
        pointer = self._candidates.ctypes.data_as(ctypes.POINTER(llama.llama_token_data))
        candidates = llama.llama_token_data_array(pointer, len(ids), -1, False)
        llama.llama_sampler_apply(self._chain, ctypes.byref(candidates))
        kept = np.ctypeslib.as_array(candidates.data, shape=(candidates.size,))
        return Distribution.of_logits(kept["id"], kept["logit"])

    def _top(self, logits: NDArray[np.float32]) -> NDArray[np.intp]:
        """All tokens that can be among the first k, and few others: penalties only lower a logit.

        The n-th highest of the blocks' peaks has at least n logits that are as high. llama.cpp
        takes a millisecond a token to go through a whole vocabulary, NumPy 0.5 to sort one out.
        """
        if len(self._blocks) <= self._n_needed:
            return np.arange(len(logits))
        peaks = np.maximum.reduceat(logits, self._blocks)
        lowest = np.partition(peaks, -self._n_needed)[-self._n_needed]
        return np.flatnonzero(logits >= lowest)

    def accept(self, token: int) -> None:
        """The reply goes on with `token`: it is less likely to be repeated."""
        llama.llama_sampler_accept(self._chain, token)

    def close(self) -> None:
        llama.llama_sampler_free(self._chain)
