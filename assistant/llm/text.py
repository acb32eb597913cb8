"""Pure: the bytes of tokens to text that may be spoken."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

_OPEN, _CLOSE = "<think>", "</think>"


class SpokenText:
    """Turns token bytes into whole characters, without reasoning blocks and leading white space."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        """Text that may turn out to be a tag."""

        self._is_thinking = False
        self._has_begun = False

    def add(self, piece: bytes) -> str:
        """What may be said now; a character or a tag that is not yet whole is held back."""
        self._held += self._decoder.decode(piece)
        return self._trim(self._release())

    def end(self) -> str:
        """What was held back and turned out to be text."""
        self._held += self._decoder.decode(b"", final=True)
        spoken = self._release()
        if not self._is_thinking:
            spoken += self._held
        self._held = ""
        return self._trim(spoken)

    def _release(self) -> str:
        spoken = ""
        while True:
            tag = _CLOSE if self._is_thinking else _OPEN
            before, found, after = self._held.partition(tag)
            if not found:
                break
            if not self._is_thinking:
                spoken += before
            self._held, self._is_thinking = after, not self._is_thinking
        held = _length_of_begun(tag, self._held)
        if not self._is_thinking:
            spoken += self._held[: len(self._held) - held]
        self._held = self._held[len(self._held) - held :]
        return spoken

    def _trim(self, text: str) -> str:
        if not self._has_begun:
            text = text.lstrip()
        self._has_begun = self._has_begun or bool(text)
        return text


def _length_of_begun(tag: str, text: str) -> int:
    """How many characters at the end of `text` begin `tag`."""
    for n in range(min(len(tag) - 1, len(text)), 0, -1):
        if tag.startswith(text[-n:]):
            return n
    return 0


def is_looping(tokens: Sequence[int], *, times: int = 4, at_least: int = 24) -> bool:
    """Whether the end of `tokens` is one run of words over and over.

    `times` repetitions and `at_least` tokens in all: a refrain or "ha ha ha" is not yet a loop.
    """
    for period in range(1, len(tokens) // times + 1):
        length = max(times * period, at_least)
        if length > len(tokens):
            continue
        tail = tokens[-length:]
        if tail[period:] == tail[:-period]:
            return True
    return False
