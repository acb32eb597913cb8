"""Pure: why something was given in a lesser form, as a short code that stays the same.

People read the reason; metrics and logs are told the code, of which there are only so many.
"""

from __future__ import annotations

import re

from assistant.events import Degraded
from assistant.fallback import LADDERS

_WHOLE_SENTENCES = {
    **{rung.reason: rung.code for ladder in LADDERS.values() for rung in ladder},
    "the picture came too late": "picture_late",
    "the answer was cut short": "cut_short",
    "the answer takes a moment": "acknowledged",
}
_PARTS = {
    "answers instead": "other_brain",
    "has not said anything for too long": "silent",
    "engine died": "died",
    "engine is not running": "away",
    "so espeak-ng speaks": "plain_voice",
}

CODES = frozenset({*_WHOLE_SENTENCES.values(), *_PARTS.values()})
OTHER = "error"

_UNFORESEEN = re.compile(r"(\w+(?:Error|Exception)): ")
"""An exception that nobody thought of; its text may hold what was being worked on."""


def reason_code(degraded: Degraded) -> str:
    """Such as "short_answers"; OTHER for whatever else an engine had to say of itself."""
    if degraded.reason in _WHOLE_SENTENCES:
        return _WHOLE_SENTENCES[degraded.reason]
    return next((code for part, code in _PARTS.items() if part in degraded.reason), OTHER)


def safe_reason(degraded: Degraded) -> str:
    """The sentence itself, or no more than the kind of an unforeseen exception."""
    unforeseen = _UNFORESEEN.match(degraded.reason)
    return unforeseen[1] if unforeseen else degraded.reason
