"""Sentences to vectors: what means the same lies close together."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

from assistant.errors import ModelFileError
from assistant.recall.bert_graph import build_graph, read_safetensors

Vectors = NDArray[np.float32]
"""Shape (n_texts, width), each of length 1: the product of two is the cosine of their angle."""

_MAX_TOKENS = 256
"""What the model was trained for; what follows is not looked at."""

_AT_ONCE = 16


class SentenceEncoder:
    """A sentence-transformers model of the BERT kind. For English only."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Load the model, some hundred milliseconds. Raises ModelFileError."""
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            weights = read_safetensors(folder / "model.safetensors")
            graph = build_graph(weights, n_heads=config["num_attention_heads"])
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except (OSError, ValueError, KeyError) as error:
            raise ModelFileError(f"{folder} holds no sentence encoder: {error}") from error
        tokenizer.enable_truncation(_MAX_TOKENS)
        tokenizer.enable_padding()
        options = SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._tokenizer = tokenizer
        self._lock = threading.Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Blocks: a question costs a few milliseconds, a long passage some fifty."""
        batches = []
        # Of like length together, so that little is computed for padding.
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        for start in range(0, len(texts), _AT_ONCE):
            some = [texts[n] for n in order[start : start + _AT_ONCE]]
            with self._lock:
                tokens = self._tokenizer.encode_batch(some)
                ids = np.array([each.ids for each in tokens], np.int64)
                mask = np.array([each.attention_mask for each in tokens], np.int64)
                (vectors,) = self._session.run(["vectors"], {"ids": ids, "mask": mask})
            batches.append(vectors)
        encoded = np.zeros((len(texts), batches[0].shape[1] if batches else 0), np.float32)
        encoded[order] = np.concatenate(batches) if batches else encoded
        return encoded

    async def encode_one(self, text: str) -> Vectors:
        """Shape (width,). Beside the event loop."""
        vectors: Vectors = (await asyncio.to_thread(self.encode, [text]))[0]
        return vectors


@cache
def shared_encoder(folder: Path) -> SentenceEncoder:
    """One for all that is found by its meaning: each takes half a second and some 200 MB."""
    return SentenceEncoder(folder)
