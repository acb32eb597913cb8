"""Every way of giving less, by the code that clients, metrics and logs know it by."""

from __future__ import annotations

from enum import StrEnum


class Shortfall(StrEnum):
    """Stays the same when the sentence beside it is worded anew."""

    # Steps of a ladder: they last until the stage has been in time again for a while.
    SMALL_PICTURE = "small_picture"
    PICTURE_WAIT = "picture_wait"
    KEPT_PICTURE = "kept_picture"
    NO_PICTURE = "no_picture"
    HALF_HISTORY = "half_history"
    SHORT_HISTORY = "short_history"
    NO_DRAFT = "no_draft"
    SHORT_FIRST_PHRASE = "short_first_phrase"
    SHORT_ANSWERS = "short_answers"
    SMALLER_BRAIN = "smaller_brain"
    NEAR_ANSWERS = "near_answers"
    FAST_VOICE = "fast_voice"
    TEXT_ONLY = "text_only"
    IMPATIENT_EARS = "impatient_ears"

    # Within one turn.
    PARTIAL_WORDS = "partial_words"
    PICTURE_LATE = "picture_late"
    ACKNOWLEDGED = "acknowledged"
    CUT_SHORT = "cut_short"
    OTHER_BRAIN = "other_brain"
    KEPT_ANSWER = "kept_answer"
    PLAIN_VOICE = "plain_voice"

    # A stage failed.
    SILENT = "silent"
    DIED = "died"
    AWAY = "away"
    TOO_LONG = "too_long"
    ERROR = "error"
    """Whatever else an engine had to say of itself."""
