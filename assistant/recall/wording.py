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

_FRAMES = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), plain)
    for pattern, plain in (
        (r"(what|where|who|how|when|that|it|there)'s", r"\1 is"),
        (r"please|is it true that|do you know|show me|tell me|(?:can|could|would) you explain", ""),
        (r"(?:can|could|would) you(?= (?:what|where|who|how|when|why)\b)", ""),
        (r"(?:for )?(?:what|which) reason|how come|what (?:makes|causes)", "why"),
        (r"what is the (?:reason|cause)(?: for| of| that| why)?", "why"),
        (r"what is the (?:price|cost) of (.*)", r"how much is \1"),
        (r"(?:what|how much) (?:does|do) (.*) cost", r"how much is \1"),
        (r"how many years old", "how old"),
        (r"wi fi|wireless internet", "wifi"),
        (r"e mail", "email"),
        (r"check (in|out)", r"check\1"),
        (r"(?:at |on |in )?(?:what|which) (?:time|date|year)", "when"),
        (r"in (?:what|which) (?:country|city|place|part of the world)", "where"),
        (r"(?:what|which) person", "who"),
        (r"what number of|what is the number of", "how many"),
        (r"what is the population of", "how many people live in"),
        (
            r"what is the (?:\w+ )?way to|how (?:can|could|should|must|may) (?:i|we|you|one)",
            "how do i",
        ),
        (r"how far away", "how far"),
        (r"what is the job of (.*)", r"what does \1 do"),
        (r"what is the purpose of (.*)", r"what is \1 for"),
    )
)
"""Turns of phrase that ask the same, and the plainest of them; each is looked for in turn."""

_SYNONYMS = {
    word: words.split()[0]
    for words in (
        "tall high height",
        "big large size",
        "heavy weight",
        "wide width",
        "long length",
        "deep depth",
        "old age",
        "fast speed quick quickly",
        "far distance",
        "largest biggest",
        "nearest closest",
        "keep kept",
        "forget forgot forgotten",
        "begin start",
        "repair fix",
        "booking reservation book reserve",
        "bathroom toilet toilets restroom",
        "tap faucet",
        "bicycle bike",
        "movie film",
        "author wrote writer written",
        "speak spoken",
        "sell sold",
        "make made",
        "teach taught",
        "build built",
    )
    for word in words.split()
}
"""Words that stand for one another in a question, of which there are few."""

_KINDS = {
    "who": r"\b(who|whom|whose)\b",
    "when": r"\bwhen\b|\bhours\b",
    "where": r"\bwhere\b",
    "why": r"\bwhy\b",
    "how much": r"\bhow (many|much)\b",
}
"""What is asked for, by the first that fits."""

_NEGATION = re.compile(r"\b(not|no|never|without|none|nothing|cannot)\b|n['’]t\b", re.IGNORECASE)

_EMPTY_WORDS = word_set(
    "a an the this that these those there here it its i you we they me us one any some and "
    "or of in at by to for with from about as into is are was were be been being am do does "
    "did doing done has have had having can could may might must shall should will would "
    "need needed what which who whom whose when where why how many much please tell say "
    "explain describe know mean means meaning like want find show give called call way "
    "possible able allowed required kind sort exactly just offer serve happen happens get go "
    "along people on"
)
"""Carry no meaning of their own in a question."""


_PREPOSITIONS = word_set(
    "from to than in of into before after by with without for against over under inside outside"
)
_OPPOSITES = frozenset(
    frozenset(pair.split())
    for pair in [
        "from to",
        "from into",
        "before after",
        "with without",
        "for against",
        "over under",
        "inside outside",
        "in outside",
    ]
)
_OPPOSING = re.compile(r"^(?:un|dis|in|im|ir|non|de|en|mis|ex|out|over|under|up|down|max|min)")
"""Beginnings that turn a word into its opposite."""

_BE = re.compile(r"\b(?:is|are|was|were|be|been|being|am)\b")
_MODAL = re.compile(r"\b(?:can|could|may|must|shall|should|will|would|has|have|had)\b")
_DO_SUPPORT = re.compile(r"\b(?:who|whom|what|which)\b.*\b(?:do|does|did)\b")
_ASKS_FOR_A_PART = re.compile(r"\b(?:who|whom|what|which)\b")

_PARTICULAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays weekend weekends holiday holidays january february "
    "march april june july august september october november december spring summer autumn "
    "winter morning afternoon evening night one two three four five six seven eight nine ten "
    "eleven twelve twenty thirty hundred thousand first second third fourth last half double "
    "north south east west left right red green blue yellow black white brown orange purple "
    "pink grey gray off up down out over under before after less more most least both "
    "man woman men women boy girl boys girls male female king queen husband wife father mother son "
    "daughter brother sister uncle aunt"
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
    first, second = _plainly(first), _plainly(second)
    if bool(_NEGATION.search(first)) != bool(_NEGATION.search(second)):
        return None
    if (kind := _kind(first)) != (other_kind := _kind(second)) and kind and other_kind:
        return None
    ours, theirs = _content(first), _content(second)
    common = ours.keys() & theirs.keys()
    if _swapped(_objects(first), _objects(second), common) or _changes_roles(first, second):
        return None
    if kind == "how much" and other_kind and _first_of(ours, common) != _first_of(theirs, common):
        return None
    only_first = tuple(word for stem, word in ours.items() if stem not in common)
    only_second = tuple(word for stem, word in theirs.items() if stem not in common)
    if any(map(_is_particular, (*only_first, *only_second))):
        return None
    if any(_are_opposed(word, other) for word in only_first for other in only_second):
        return None
    return Difference(only_first, only_second)


def _plainly(text: str) -> str:
    plain = normalised(text)
    for pattern, plainer in _FRAMES:
        plain = pattern.sub(plainer, plain)
    return normalised(plain)


def _kind(text: str) -> str:
    lower = text.lower()
    return next((kind for kind, pattern in _KINDS.items() if re.search(pattern, lower)), "")


def _content(text: str) -> dict[str, str]:
    """Stem to word, in the order of the text."""
    return {_stem(_SYNONYMS.get(word, word)): word for word in meaningful_words(text)}


def _first_of(content: dict[str, str], common: Set[str]) -> str:
    return next((stem for stem in content if stem in common), "")


def _stem(word: str) -> str:
    """Crude: only for telling whether two words are forms of one."""
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word.removesuffix("s")
    for ending in ("ing", "ied", "ity", "ie", "ed", "er", "or", "e", "y"):
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
    ) or any(
        object_ == other and frozenset((word, opposite)) in _OPPOSITES
        for word, object_ in ours.items()
        for opposite, other in theirs.items()
    )


def _changes_roles(first: str, second: str) -> bool:
    """Whether who does it and to whom it is done change places: "what do frogs eat", "what eats
    frogs"; "can a cat hunt a dog", "can a dog hunt a cat". In the passive voice they may."""
    if bool(_BE.search(first)) or bool(_BE.search(second)):
        return False
    if all(map(_ASKS_FOR_A_PART.search, (first, second))) and not (
        _MODAL.search(first) or _MODAL.search(second)
    ):
        return bool(_DO_SUPPORT.search(first)) != bool(_DO_SUPPORT.search(second))
    ours, theirs = list(_content(first)), list(_content(second))
    return len(ours) > 2 and ours != theirs and sorted(ours) == sorted(theirs)


def _is_particular(word: str) -> bool:
    """Numbers, days and colours lie close together and are never the same."""
    return word in _PARTICULAR or any(character.isdigit() for character in word)


def _are_opposed(word: str, other: str) -> bool:
    """Such as valid and invalid, import and export: what follows the beginning is the same."""
    return word != other and _OPPOSING.sub("", word) == _OPPOSING.sub("", other)
