from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assistant.recall.encoder import Vectors


class FakeEncoder:
    """Texts that the test calls alike lie close together; all others at right angles."""

    def __init__(self, alike: Mapping[str, str]) -> None:
        self._alike = alike
        self._places: dict[str, int] = {}
        self.n_encoded = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.n_encoded += len(texts)
        vectors = np.zeros((len(texts), 64), np.float32)
        for n, text in enumerate(texts):
            meaning = self._alike.get(text, text)
            vectors[n, self._places.setdefault(meaning, len(self._places))] = 1
        return vectors
