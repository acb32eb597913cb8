"""Pure: passages as the note that stands before the person's words, and the words without it."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.documents.passages import FoundPassage

_BEGINS, _ENDS = "[From the documents:\n", "\n]\n"


def with_passages(passages: Iterable[FoundPassage], words: str) -> str:
    return f"{_BEGINS}{chr(10).join(map(as_told, passages))}{_ENDS}{words}"


def without_passages(told: str) -> str:
    return told.partition(_ENDS)[2] if told.startswith(_BEGINS) else told


def as_told(passage: FoundPassage) -> str:
    """With where it stands."""
    heading = f" ({passage.heading})" if passage.heading else ""
    text = passage.text.replace("\n]", "\n ]")  # or it would end the note
    return f"{passage.source}{heading}: {text}"
