"""Pure: how far a transcript is from what was said, however either is spelled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from unicode_rbnf import RbnfEngine

from assistant.words import split_words

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


def word_errors(said: str, heard: str, language: str = "en") -> WordErrors:
    """Chinese and Japanese count by characters."""
    reference, hypothesis = spoken_words(said, language), spoken_words(heard, language)
    return WordErrors(_distance(reference, hypothesis), len(reference))


def spoken_words(text: str, language: str = "en") -> list[str]:
    """Lower case without punctuation, numbers in words, one spelling for each word."""
    text = text.casefold().replace("’", "'")
    text = re.sub(r"(?<=\d)[,.](?=\d{3}\b)", "", text)
    text = re.sub(r"\d+", lambda digits: f" {_in_words(digits[0], language)} ", text)
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text)
    return [
        _SPELLINGS.get(spoken, spoken)
        for word in words
        for spoken in map(str.strip, split_words(word))
    ]


def _in_words(digits: str, language: str) -> str:
    """To ninety-nine as one number, longer ones digit by digit."""
    is_one_number = len(digits) <= 2 and digits[0] != "0"
    numbers = [digits] if is_one_number else digits
    return " ".join(_engine(language).format_number(int(number)).text for number in numbers)


@lru_cache
def _engine(language: str) -> RbnfEngine:
    return RbnfEngine.for_language(language)


def _distance(one: list[str], other: list[str]) -> int:
    """Levenshtein (1966), a row at a time."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]
