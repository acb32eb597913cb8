"""Pure: which words of a growing utterance are certain?

Words on which two hypotheses in a row agree are committed and never change afterwards
(LocalAgreement-2: Liu, Spanakis and Niehues 2020; Machacek, Dabre and Bojar 2023). The last word of
a hypothesis is never certain: it may be cut off, and carries a full stop that is not meant.
"""

from __future__ import annotations

from assistant.types import Transcript
from assistant.words import bare, split_words


class Agreement:
    """The transcript of one utterance while it grows."""

    def __init__(self) -> None:
        self._committed: list[str] = []
        self._newest: list[str] = []

    @property
    def transcript(self) -> Transcript:
        return Transcript(
            committed=_join(self._committed),
            tentative=_join(self._newest[len(self._committed) :]),
        )

    def add(self, hypothesis: str) -> Transcript:
        """Take the next hypothesis about the utterance so far."""
        previous, self._newest = self._newest, split_words(hypothesis)
        agreed = _common(previous, self._newest[:-1])
        self._committed += self._newest[len(self._committed) : agreed]
        return self.transcript

    def finish(self, text: str) -> Transcript:
        """The final transcript `text`.

        Where it begins with the committed words they keep their spelling, so that what was shown
        only grows; where it contradicts them it is right, having heard the whole utterance.
        """
        words = split_words(text)
        n = len(self._committed)
        if _common(self._committed, words) == n:
            words[:n] = self._committed
        return Transcript(committed=_join(words), is_final=True)


def _common(one: list[str], other: list[str]) -> int:
    """How many words at the start of both are the same but for case and punctuation."""
    n = 0
    for a, b in zip(one, other, strict=False):
        if bare(a) != bare(b):
            break
        n += 1
    return n


def _join(words: list[str]) -> str:
    return "".join(words).strip()
