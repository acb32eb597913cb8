"""Pure: a reply, while it is written, is cut into phrases worth speaking.

The first phrase is short, because the wait for its last word is a wait for the voice; later ones
are whole clauses, as long as the speech before them leaves time to write them. The phrases of a
text, joined, are the text without the white space at its end, and they are the same however the
text arrives.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import pairwise

from assistant.config import VoiceConfig
from assistant.sentences import boundaries, count_words, word_set

_GROWTH = 2
"""How much longer a phrase may be than the one before. A slow brain (12 tokens a second) writes
about three times as fast as a voice speaks; the rest is for the voice's own start."""

_LEAST_GROWTH = 2
"""Words by which a clause is longer than a short first phrase, to be spoken by itself: it lasts
until the next one is written, and is there before the first one is over."""

_SLACK = 2
"""Words that a full phrase waits for, in case they end the clause."""

_FENCE = "```"

_CLINGING = word_set(
    "a an the this that these those my your his her its our their some any no every each of to "
    "in on at by for from with into onto over under about as than and or but nor so because if "
    "when while which who whose is are was were be been am do does did has have had can could "
    "will would shall should may might must not very too more most less quite really just also "
    "only i you he she it we they there mr mrs ms dr prof st no next"
)
"""A voice does not pause after these."""

_LEADING = word_set(
    "and or but nor so because if when while where that which who whose although though unless "
    "until before after since as than of to in on at by for from with without into onto over "
    "under about between through during near behind beside around against"
)
"""A voice may pause before these."""

_CHUNK = re.compile(r"\S+")
_EDGES = "\"'()[]*_“”‘’,;:.!?"
_NO_SPACES = re.compile("(?<=[\u3040-\u30ff\u3400-\u9fff])(?=[\u3040-\u30ff\u3400-\u9fff])")


async def phrases(pieces: AsyncIterator[str], config: VoiceConfig) -> AsyncIterator[str]:
    """Cut a stream of text."""
    cutter = PhraseCutter(config)
    async for piece in pieces:
        for phrase in cutter.push(piece):
            yield phrase
    for phrase in cutter.finish():
        yield phrase


class PhraseCutter:
    """Holds what has been written and is not yet a phrase."""

    def __init__(self, config: VoiceConfig) -> None:
        self._config = config
        self._held = ""
        self._cut_words = 0
        self._last_words = 0

    def push(self, piece: str) -> list[str]:
        """The phrases that `piece` completes."""
        cut: list[str] = []
        for character in piece:
            self._held += character
            if (end := self._end_of_phrase()) is not None:
                cut.append(self._held[:end])
                self._held = self._held[end:]
                self._last_words = count_words(cut[-1])
                self._cut_words += self._last_words
        return cut

    def finish(self) -> list[str]:
        """The phrases that are left when no more text comes."""
        cut = self.push("\n")
        rest, self._held = self._held.rstrip(), ""
        return [*cut, rest] if rest else cut

    def _end_of_phrase(self) -> int | None:
        text = self._held
        fence = text.find(_FENCE)
        if fence >= 0:  # code is a phrase of its own, and nothing in it ends one
            if before := text[:fence].rstrip():
                return len(before)
            closing = text.find(_FENCE, fence + len(_FENCE))
            return closing + len(_FENCE) if closing >= 0 else None
        is_first = self._cut_words < self._config.first_phrase_min_words
        least, most = self._limits(is_first)
        for boundary in boundaries(text):
            words = count_words(text[: boundary.end])
            if words >= (1 if boundary.ends_sentence else least):
                return boundary.end
        return _pause(text, least, most, is_first=is_first)

    def _limits(self, is_first: bool) -> tuple[int, int]:
        """The fewest words of a phrase that is no sentence, and the most of one without marks."""
        config = self._config
        if is_first:
            return config.first_phrase_min_words, config.first_phrase_max_words
        least = min(config.first_phrase_max_words, self._last_words + _LEAST_GROWTH)
        most = min(config.phrase_max_words, _GROWTH * self._last_words)
        return least, max(config.first_phrase_max_words, most)


@dataclass(frozen=True, slots=True)
class _Gap:
    """White space between two words, as a place to pause."""

    start: int
    words_before: int
    is_good: bool
    is_bad: bool


def _pause(text: str, least: int, most: int, *, is_first: bool) -> int | None:
    """Where to cut a clause that goes on too long; None while it does not.

    The first phrase is cut at the first good place, a later one when it is full.
    """
    gaps = [gap for gap in _gaps(text) if gap.words_before >= least]
    good = [gap for gap in gaps if gap.is_good and gap.words_before <= most]
    if good and is_first:
        return good[0].start
    full = most if is_first else most + _SLACK
    if gaps and gaps[-1].words_before >= full:
        fair = [gap for gap in gaps if not gap.is_bad]
        fitting = [gap for gap in fair if gap.words_before <= most]
        if best := good[-1:] or fitting[-1:] or fair[:1]:
            return best[0].start
    if count_words(text) <= 2 * most:
        return None
    if gaps:
        return gaps[-1].start
    between = [place.start() for place in _NO_SPACES.finditer(text)]
    return between[-1] if between else len(text)


def _gaps(text: str) -> Iterator[_Gap]:
    """Those with the next word's beginning in sight."""
    for chunk, following in pairwise(_CHUNK.finditer(text)):
        last = chunk.group().strip(_EDGES).lower()
        next_ = following.group().strip(_EDGES).lower()
        is_whole = following.end() < len(text)
        is_bad = last in _CLINGING or last[-1:].isdigit() or next_[:1].isdigit()
        yield _Gap(
            start=chunk.end(),
            words_before=count_words(text[: chunk.end()]),
            is_good=is_whole and next_ in _LEADING and not is_bad,
            is_bad=is_bad,
        )
