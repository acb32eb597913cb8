"""Pure: the ladders of giving less, and which of them a late turn goes down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assistant.budget import Stage
from assistant.router import Tier
from assistant.shortfalls import Shortfall
from assistant.types import ReplyStats

_MUCH_TOKENS = 100
"""Read while somebody waited; fewer are read in passing."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of giving less. Where it would change nothing it is passed over."""

    code: Shortfall
    reason: str
    changes: Mapping[str, Any]


LADDERS: Mapping[Stage, tuple[Rung, ...]] = {
    Stage.ASR: (
        Rung(
            Shortfall.IMPATIENT_EARS,
            "the end of what is said is waited for less long",
            {"final_wait_ms": 300},
        ),
    ),
    Stage.VISION: (
        Rung(
            Shortfall.SMALL_PICTURE,
            "the picture is looked at in less detail",
            {"image_side_px": 224},
        ),
        Rung(Shortfall.PICTURE_WAIT, "the picture is waited for less long", {"scene_wait_ms": 100}),
        Rung(
            Shortfall.KEPT_PICTURE,
            "what the camera showed before is used again",
            {"looks_anew": False},
        ),
        Rung(Shortfall.NO_PICTURE, "answers do without the camera", {"use_vision": False}),
    ),
    Stage.PREFILL: (
        Rung(
            Shortfall.HALF_HISTORY,
            "less of the earlier conversation is kept in mind",
            {"history_share": 0.5},
        ),
        Rung(
            Shortfall.SHORT_HISTORY, "only the last turns are kept in mind", {"history_share": 0.2}
        ),
    ),
    Stage.FIRST_PHRASE: (
        Rung(Shortfall.NO_DRAFT, "drafting is off", {"use_draft": False}),
        Rung(
            Shortfall.SHORT_FIRST_PHRASE,
            "the first words come in a shorter phrase",
            {"first_phrase_max_words": 3},
        ),
        Rung(Shortfall.SHORT_ANSWERS, "answers are shorter", {"max_reply_tokens": 60}),
        Rung(Shortfall.SMALLER_BRAIN, "a smaller brain answers", {"use_strong": False}),
        Rung(
            Shortfall.NEAR_ANSWERS,
            "answers to much the same questions are given again",
            {"recall_surely": False},
        ),
    ),
    Stage.TTS: (
        Rung(
            Shortfall.SHORT_FIRST_PHRASE,
            "the first words come in a shorter phrase",
            {"first_phrase_max_words": 3},
        ),
        Rung(Shortfall.FAST_VOICE, "a plainer, faster voice speaks", {"natural_voice": False}),
        Rung(Shortfall.TEXT_ONLY, "answers are shown and not spoken", {"speak": False}),
    ),
}


def helped(late: Iterable[Stage], stats: ReplyStats | None, *, saw_picture: bool) -> set[Stage]:
    """Of the stages that made a turn late, those where giving less would have made it sooner.

    A first token is late for several reasons. Earlier turns that are kept in the cache cost
    nothing, and to shorten them would cost their reading; only where they had to be read again is
    there something to save. A picture that was read can be smaller, and a strong brain that is slow
    to begin a smaller one. A slow machine alone is no reason.
    `stats`: of the reply; None where it never came to an end. `saw_picture`: so did the brain.
    """
    stages = set(late)
    if Stage.PREFILL not in stages:
        return stages
    stages.remove(Stage.PREFILL)
    if stats is not None:
        n_read = stats.prompt_tokens - stats.cached_tokens
        if stats.reread_tokens >= _MUCH_TOKENS:
            stages.add(Stage.PREFILL)
        elif saw_picture and n_read >= _MUCH_TOKENS:
            stages.add(Stage.VISION)
        elif stats.by is not None and stats.by.tier == Tier.STRONG:
            stages.add(Stage.FIRST_PHRASE)  # whose ladder ends in a smaller brain
    return stages
