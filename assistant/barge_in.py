"""Pure: what does somebody mean who speaks while it is our turn?

    while we think      they go on with their question, once there are words; a cough is nothing
    over our voice      some words or a stop word interrupt us; a backchannel ("mm-hmm") does not
    as our voice ends   they answer, be it with "yes"

Never meant are our own words that come back as an echo, and a voice that is much quieter than the
person's was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from assistant.config import BargeInConfig
from assistant.events import State
from assistant.types import Heard, Phase
from assistant.words import bare, split_words

ECHO_TAIL_MS = 500
"""Speech that begins so soon after our voice may be its echo: the network, a loudspeaker's buffer
and the microphone take their time."""

_NEARLY_OVER_MS = 1_000
"""With so little left to say, a "yes" is no backchannel but an answer."""

_STRAY_WORDS = 8
"""Said by us after, or just before, what an echo is recognised from."""

_ECHO_SHARE, _LOUD_ECHO_SHARE, _KNOWN_ECHO_SHARE = 0.6, 0.8, 0.5
"""Of the words, in their order, that are ours in an echo, for echoes are misheard: of any, of one
as loud as the person, and of a partial where our voice did come back before (falling silent, we
cut a word of it off)."""


_MURMUR = re.compile("[mh]+")
"""However it is spelled."""


class Meaning(StrEnum):
    TURN = "turn"
    """It is the person's turn."""

    UNCLEAR = "unclear"
    """We are silent until it is clear."""

    ECHO = "echo"
    """It was ourselves: we go on."""

    NOTHING = "nothing"
    """We go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What we are doing meanwhile."""

    state: State
    """`LISTENING` once our voice has ended."""

    said: str
    """All that we have said aloud in this turn, and what is just coming."""

    ends_in_ms: float | None = None
    """How long our voice goes on; None where that is not known yet."""

    hears_echo: bool = False
    """Our voice did come back before: sound alone no longer silences us."""

    usual_db: float | None = None
    """How loud the person was before; None where that is not known."""

    speech_age_ms: float
    """Since the speech began that is judged."""

    session_age_ms: float

    @property
    def is_nearly_over(self) -> bool:
        """Whether our voice has ended, or is just about to."""
        is_ending = self.ends_in_ms is not None and self.ends_in_ms <= _NEARLY_OVER_MS
        return self.state is State.LISTENING or is_ending


def meaning(heard: Heard, moment: Moment, config: BargeInConfig) -> Meaning:
    """What `heard` means, as far as it is known by now."""
    louder_db = _louder_db(heard, moment)
    if louder_db is not None and louder_db < -config.quieter_db:
        return Meaning.NOTHING
    words = [bare(word) for word in split_words(heard.transcript.text)]
    is_ours = _comes_back(heard, words, louder_db, moment, config)
    if is_ours and not _is_answer(words, moment, config):
        return Meaning.ECHO
    if _is_turn(heard, words, moment, config):
        return Meaning.TURN
    is_over = heard.phase is Phase.ENDED or heard.transcript.is_final
    is_mute = not words and moment.speech_age_ms > config.resume_after_ms
    if is_over or is_mute:
        return Meaning.NOTHING
    is_long = heard.speech_ms >= config.pause_after_ms and (words or not moment.hears_echo)
    return Meaning.UNCLEAR if is_long or moment.state is State.THINKING else Meaning.NOTHING


def _comes_back(
    heard: Heard, words: list[str], louder_db: float | None, moment: Moment, config: BargeInConfig
) -> bool:
    is_as_loud = louder_db is not None and louder_db > -config.quieter_db / 2
    share = _LOUD_ECHO_SHARE if is_as_loud else _ECHO_SHARE
    if heard.transcript.is_final:
        return is_echo(words, moment.said, share)
    certain = words[:-1] or words  # the last word of a partial is often cut off, and misheard
    return is_echo(certain, moment.said, _KNOWN_ECHO_SHARE if moment.hears_echo else share)


def is_echo(words: list[str], said: str, share: float) -> bool:
    """Whether so many of these (bare) words are what we have said just now."""
    if not words:
        return False
    ours = [bare(word) for word in split_words(said)][-len(words) - _STRAY_WORDS :]
    return _n_common(words, ours) >= share * len(words)


def _louder_db(heard: Heard, moment: Moment) -> float | None:
    if heard.loudness_db is None or moment.usual_db is None:
        return None
    return heard.loudness_db - moment.usual_db


def _is_answer(words: list[str], moment: Moment, config: BargeInConfig) -> bool:
    """Asked "yes or no?" people do say one of our own words."""
    short = _bare_words(config.backchannels) | _bare_words(config.stop_words)
    return moment.is_nearly_over and short.issuperset(words)


def _is_turn(heard: Heard, words: list[str], moment: Moment, config: BargeInConfig) -> bool:
    if moment.state is State.LISTENING:
        return bool(words or heard.failure)
    if not words:
        return False
    if _has_stop_word(words, config):
        return True
    backchannels = _bare_words(config.backchannels)
    meant = [word for word in words if word not in backchannels and not _MURMUR.fullmatch(word)]
    if moment.state is State.THINKING:
        return len(words) >= config.thinking_words and bool(meant)
    if moment.session_age_ms < config.warm_up_ms:
        return False
    if moment.is_nearly_over:
        return True
    is_long = heard.speech_ms >= config.speech_ms
    return bool(meant) and (len(words) >= config.words or is_long)


def _has_stop_word(words: list[str], config: BargeInConfig) -> bool:
    text = "".join(words)
    return any(
        # Written without spaces, a stop word may be part of a longer run.
        bare(stop) in words if stop.isascii() else stop in text
        for stop in config.stop_words
    )


def _bare_words(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(bare(word) for phrase in phrases for word in split_words(phrase))


def _n_common(one: list[str], other: list[str]) -> int:
    """The longest common subsequence of both."""
    row = [0] * (len(other) + 1)
    for a in one:
        diagonal = 0
        for j, b in enumerate(other, 1):
            above = row[j]
            row[j] = diagonal + 1 if a == b else max(above, row[j - 1])
            diagonal = above
    return row[-1]
