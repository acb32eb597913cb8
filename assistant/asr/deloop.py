"""Short windows make Whisper say a sentence again and again; the first copy is what was said."""

from __future__ import annotations

from assistant.words import bare, split_words

_MIN_COPIES_OF_ONE_WORD = 4
"""People do say "no, no, no"."""

_MIN_SHARE_OF_A_COPY = 0.6
"""The last copy is often cut off."""


def deloop(text: str) -> str:
    """`text` up to the end of the first copy of the phrase that it repeats to its end."""
    words = split_words(text)
    keys = [bare(word) for word in words]
    for start in range(len(keys)):
        for length in range(1, len(keys) - start):
            phrase, rest = keys[start : start + length], keys[start + length :]
            if _is_loop(phrase, rest):
                return "".join(words[: start + length]).strip().rstrip(",;，、")
    return text.strip()


def _is_loop(phrase: list[str], rest: list[str]) -> bool:
    if all(key.isdigit() for key in phrase):
        return False  # a telephone number repeats itself
    if len(phrase) == 1:
        least = _MIN_COPIES_OF_ONE_WORD - 1
    else:
        least = max(2, int(_MIN_SHARE_OF_A_COPY * len(phrase)))
    return len(rest) >= least and all(key == phrase[i % len(phrase)] for i, key in enumerate(rest))
