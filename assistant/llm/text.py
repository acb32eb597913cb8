"""Pure: the bytes of tokens to text that may be spoken."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

THINK_TAGS = _OPEN, _CLOSE = "<think>", "</think>"


class SpokenText:
    """Turns token bytes into whole characters, without reasoning blocks and leading white space."""

    def __init__(self, *, stop_sequences: Sequence[str] = (), is_thinking: bool = False) -> None:
        """`is_thinking`: the prompt ended with the beginning of a reasoning block."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stop_sequences = [sequence for sequence in stop_sequences if sequence]
        self._held = ""
        """Text that may turn out to be a tag or a stop sequence."""

        self._is_thinking = is_thinking
        self._has_begun = False
        self.has_stopped = False
        """A stop sequence was written; nothing that follows is spoken."""

    def add(self, piece: bytes) -> str:
        """What may be said now; a character or a mark that is not yet whole is held back."""
        if self.has_stopped:
            return ""
        self._held += self._decoder.decode(piece)
        return self._trim(self._release())

    def end(self) -> str:
        """What was held back and turned out to be text."""
        if self.has_stopped:
            return ""
        self._held += self._decoder.decode(b"", final=True)
        spoken = self._release()
        if not self._is_thinking:
            spoken += self._held
        self._held = ""
        return self._trim(spoken)

    def _release(self) -> str:
        spoken = ""
        while (mark := _first(self._marks, self._held)) is not None:
            before, _, self._held = self._held.partition(mark)
            if not self._is_thinking:
                spoken += before
            if mark not in THINK_TAGS:
                self.has_stopped, self._held = True, ""
                break
            self._is_thinking = mark == _OPEN
        n_kept = max(_length_of_begun(mark, self._held) for mark in self._marks)
        n_released = len(self._held) - n_kept
        if not self._is_thinking:
            spoken += self._held[:n_released]
        self._held = self._held[n_released:]
        return spoken

    @property
    def _marks(self) -> list[str]:
        """What is looked for."""
        return [_CLOSE] if self._is_thinking else [_OPEN, *self._stop_sequences]

    def _trim(self, text: str) -> str:
        if not self._has_begun:
            text = text.lstrip()
        self._has_begun = self._has_begun or bool(text)
        return text


def _first(marks: Sequence[str], text: str) -> str | None:
    """The mark that comes first in `text`."""
    found = [mark for mark in marks if mark in text]
    return min(found, key=text.index, default=None)


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
