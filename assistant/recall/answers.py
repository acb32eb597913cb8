"""Where an answer is looked for before a brain is asked: templates, then what was answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.recall.answer_store import AnswerStore, KnownAnswer
from assistant.recall.cacheable import depends_on
from assistant.recall.encoder import SentenceEncoder, Vectors
from assistant.recall.sameness import are_the_same
from assistant.recall.wording import normalised
from assistant.types import Recalled

_LOOKED_AT = 3
"""The nearest questions whose words are compared."""


@dataclass(frozen=True, slots=True)
class Found:
    answer: str
    how: Recalled


class KnownAnswers:
    """Every method blocks for some milliseconds, and may be called from any thread."""

    def __init__(
        self,
        templates: Sequence[KnownAnswer],
        store: AnswerStore | None,
        encoder: SentenceEncoder | None,
        *,
        similarity: float,
    ) -> None:
        """`store`: None where nothing is learned; `encoder`: None for the same words only."""
        self._templates = templates
        self._by_words = {normalised(known.question): known for known in templates}
        self._store = store
        self._encoder = encoder
        self._similarity = similarity
        self._vectors = encoder.encode([known.question for known in templates]) if encoder else None

    @property
    def learns(self) -> bool:
        return self._store is not None

    def find(self, asked_of: str, question: str, *, surely: bool = True) -> Found | None:
        """A template's own words are answered whatever they are: that is its owner's choice.

        `surely`: the words agree; or else others of much the same meaning will do.
        """
        if (known := self._by_words.get(normalised(question))) is not None:
            return Found(known.answer, Recalled.TEMPLATE)
        if depends_on(question) is not None:
            return None
        if self._store is not None and (known := self._store.exact(asked_of, question)) is not None:
            return Found(known.answer, Recalled.EXACT)
        if self._encoder is None or not _is_english(question):
            return None
        vector = self._encoder.encode([question])[0]
        if self._vectors is not None:
            known = self._nearest(question, vector, self._templates, self._vectors, surely)
            if known is not None:
                return Found(known.answer, Recalled.TEMPLATE)
        if self._store is not None:
            learned = self._store.with_vectors(asked_of)
            known = self._nearest(question, vector, *learned, surely)
            if known is not None:
                return Found(known.answer, Recalled.SIMILAR)
        return None

    def keep(self, asked_of: str, question: str, answer: str) -> None:
        """Nothing happens where nothing is learned, or the answer depends on more than words."""
        if self._store is None or depends_on(question) is not None:
            return
        vector = None
        if self._encoder is not None and _is_english(question):
            vector = self._encoder.encode([question])[0]
        self._store.keep(asked_of, KnownAnswer(question, answer), vector)

    def _nearest(
        self,
        question: str,
        vector: Vectors,
        known: Sequence[KnownAnswer],
        vectors: Vectors,
        surely: bool,
    ) -> KnownAnswer | None:
        """The nearest that asks the same."""
        assert self._encoder is not None
        if not len(known):
            return None
        cosines = vectors @ vector
        for place in map(int, np.argsort(-cosines)[:_LOOKED_AT]):
            if cosines[place] < self._similarity:
                break
            if are_the_same(
                question,
                known[place].question,
                float(cosines[place]),
                similarity=self._similarity,
                encode=None if surely else self._encoder.encode,
            ):
                return known[place]
        return None


def _is_english(text: str) -> bool:
    """As far as letters tell: what the encoder can read."""
    return text.replace("’", "'").isascii()
