"""Pure: how far a transcript is from what was said, however either is spelled."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.words import split_words

_NUMBERS = re.findall(
    r"\w+",
    """
    zero one two three four five six seven eight nine
    ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
    """,
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")

_SPELLINGS = {
    "mr": "mister",
    "mrs": "missus",
    "dr": "doctor",
    "ok": "okay",
    "colour": "color",
    "colours": "colors",
    "favourite": "favorite",
    "grey": "gray",
    "centre": "center",
    "metres": "meters",
    "metre": "meter",
    "kilogramme": "kilogram",
}


@dataclass(frozen=True, slots=True)
class WordErrors:
    """Substitutions, insertions and deletions among so many words; they add up over clips."""

    errors: int = 0
    words: int = 0

    def __add__(self, other: WordErrors) -> WordErrors:
        return WordErrors(self.errors + other.errors, self.words + other.words)

    @property
    def rate(self) -> float | None:
        """None of no words."""
        return self.errors / self.words if self.words else None


def word_errors(said: str, heard: str) -> WordErrors:
    """Chinese and Japanese count by characters."""
    reference, hypothesis = spoken_words(said), spoken_words(heard)
    return WordErrors(_distance(reference, hypothesis), len(reference))


def spoken_words(text: str) -> list[str]:
    """Lower case without punctuation, numbers in words, one spelling for each word."""
    text = text.casefold().replace("’", "'")
    text = re.sub(r"(?<=\d)[,.](?=\d{3}\b)", "", text)
    words = re.findall(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)?", text)
    return [
        _SPELLINGS.get(spoken, spoken)
        for word in words
        for spoken in (_number(word) if word.isdecimal() else map(str.strip, split_words(word)))
    ]


def _number(digits: str) -> list[str]:
    """To ninety-nine as one number, longer ones digit by digit."""
    value = int(digits)
    if len(digits) > 2 or digits[0] == "0":
        return [_NUMBERS[int(digit)] for digit in digits]
    if value < 20:
        return [_NUMBERS[value]]
    tens = _TENS[value // 10 - 2]
    return [tens, _NUMBERS[value % 10]] if value % 10 else [tens]


def _distance(one: list[str], other: list[str]) -> int:
    """Levenshtein (1966), a row at a time."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]
