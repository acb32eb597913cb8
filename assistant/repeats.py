"""Pure: did somebody have to say the same thing again?"""

from __future__ import annotations

from assistant.words import bare, split_words

_FEWEST_WORDS = 3
"""Shorter ones come again by themselves: "yes", "go on"."""

_MOST_ADDED = 2
"""Words such as "I said" or "please"."""


def is_repeat(said: str, before: str) -> bool:
    """Whether one of the two is the other over again, give or take a word or two.

    A word in place of another makes a new question: the capital of Italy is not that of France.
    """
    short, long = sorted([_bare_words(said), _bare_words(before)], key=len)
    if len(short) < _FEWEST_WORDS or len(long) - len(short) > _MOST_ADDED:
        return False
    rest = iter(long)
    return all(word in rest for word in short)


def _bare_words(text: str) -> list[str]:
    return [word for word in map(bare, split_words(text)) if word]
