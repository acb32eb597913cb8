"""Pure: what two questions say differently.

Sentence vectors alone cannot tell a question from its near miss: "when was Mozart born" and "where
was Mozart born" lie closer together than most paraphrases. So the words that carry meaning are
compared as well: what is asked for, the order of what is named, and what only one of them names.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from assistant.sentences import word_set

_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")

_KINDS = {
    "who": r"\b(who|whom|whose)\b",
    "when": r"\b(when|what time|at which time|which hours|what hours)\b",
    "where": r"\b(where|what place)\b",
    "why": r"\b(why|what causes?|what makes|cause of|reason)\b",
    "how much": r"\b(how (many|much)|price|cost|costs|number of)\b",
}
"""What is asked for, by the first that fits."""

_NEGATION = re.compile(r"\b(not|no|never|without|none|nothing|cannot)\b|n['’]t\b", re.IGNORECASE)

_EMPTY_WORDS = word_set(
    "a an the this that these those there here it its i you we they me us one any some and "
    "or of in at by to for with from about as into is are was were be been being am do does "
    "did doing done has have had having can could may might must shall should will would "
    "need needed what which who whom whose when where why how many much please tell say "
    "explain describe know mean means meaning like want find show give called call way "
    "possible long far kind sort exactly just"
)
"""Carry no meaning of their own in a question."""


_PREPOSITIONS = frozenset(("from", "to", "than", "in", "of", "into", "before", "after", "by"))

_PARTICULAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays weekend weekends holiday holidays january february "
    "march april june july august september october november december spring summer autumn "
    "winter morning afternoon evening night one two three four five six seven eight nine ten "
    "eleven twelve twenty thirty hundred thousand first second third fourth last half double "
    "north south east west left right red green blue yellow black white brown orange purple "
    "pink grey gray on off up down out over under before after less more most least"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """Words that only one of two questions has, as they stand there."""

    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def is_nothing(self) -> bool:
        return not self.only_first and not self.only_second


def normalised(text: str) -> str:
    """The same for questions that differ in case, punctuation and spacing only."""
    return " ".join(word.casefold().replace("’", "'") for word in _WORDS.findall(text))


def meaningful_words(text: str) -> list[str]:
    """In their order, each as often as it stands there."""
    return [word for word in normalised(text).split() if word not in _EMPTY_WORDS]


def difference(first: str, second: str) -> Difference | None:
    """What one of them says and the other does not; None where they surely ask different things."""
    if bool(_NEGATION.search(first)) != bool(_NEGATION.search(second)):
        return None
    if (kind := _kind(first)) != (other_kind := _kind(second)) and kind and other_kind:
        return None
    ours, theirs = _content(first), _content(second)
    common = ours.keys() & theirs.keys()
    if _swapped(_objects(first), _objects(second), common):
        return None
    only_first = tuple(word for stem, word in ours.items() if stem not in common)
    only_second = tuple(word for stem, word in theirs.items() if stem not in common)
    if any(map(_is_particular, (*only_first, *only_second))):
        return None
    return Difference(only_first, only_second)


def _kind(text: str) -> str:
    lower = text.lower()
    return next((kind for kind, pattern in _KINDS.items() if re.search(pattern, lower)), "")


def _content(text: str) -> dict[str, str]:
    """Stem to word, in the order of the text."""
    return {_stem(word): word for word in meaningful_words(text)}


def _stem(word: str) -> str:
    """Crude: only for telling whether two words are forms of one."""
    for ending in ("ing", "ies", "ied", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _objects(text: str) -> dict[str, str]:
    """Preposition to the stem of the next word that carries meaning: "from" to "london"."""
    objects, waiting = dict[str, str](), list[str]()
    for word in normalised(text).split():
        if word in _PREPOSITIONS:
            waiting.append(word)
        elif word not in _EMPTY_WORDS:
            objects.update(dict.fromkeys(waiting, _stem(word)))
            waiting.clear()
    return objects


def _swapped(ours: dict[str, str], theirs: dict[str, str], common: Set[str]) -> bool:
    """Whether what both name stands in another place: from here to there, or from there to here."""
    return any(
        ours[word] != theirs[word] and {ours[word], theirs[word]} <= common
        for word in ours.keys() & theirs.keys()
    )


def _is_particular(word: str) -> bool:
    """Numbers, days and colours lie close together and are never the same."""
    return word in _PARTICULAR or any(character.isdigit() for character in word)
