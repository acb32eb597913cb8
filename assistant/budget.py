"""Pure: the promise as deadlines, and which stage broke it.

A stage has a deadline, not a duration: who finishes early lends the rest to whoever comes next, and
who starts late is not blamed for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assistant.config import BudgetConfig
from assistant.timeline import Mark, TurnTimeline


class Stage(StrEnum):
    """The parts of the wait that the budget names."""

    ENDPOINTING = "endpointing"
    ASR = "asr"
    VISION = "vision"
    PREFILL = "prefill"
    FIRST_PHRASE = "first_phrase"
    TTS = "tts"
    NETWORK = "network"


_ENDS = (
    (Stage.ENDPOINTING, Mark.PAUSE_NOTICED),
    (Stage.ASR, Mark.TRANSCRIPT_FINAL),
    (Stage.VISION, Mark.SCENE_KNOWN),
    (Stage.PREFILL, Mark.FIRST_TOKEN),
    (Stage.FIRST_PHRASE, Mark.FIRST_PHRASE),
    (Stage.TTS, Mark.FIRST_AUDIO),
    (Stage.NETWORK, Mark.FIRST_HEARD),
)

_NOTICED_MS = 1.0
"""Less is rounding."""

_TO_BLAME = 0.2
"""Of all lateness, the share from which on giving less at a stage may help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrun:
    """A stage that made the turn later than it was."""

    stage: Stage
    late_ms: float
    """Beyond its deadline and the lateness that it was handed."""


def deadlines_ms(budget: BudgetConfig) -> dict[Stage, float]:
    """When each stage has to be done, in ms after the end of speech."""
    parts = {
        Stage.ENDPOINTING: budget.endpointing_ms,
        Stage.ASR: budget.asr_ms,
        Stage.VISION: 0,
        Stage.PREFILL: budget.prefill_ms,
        Stage.FIRST_PHRASE: budget.first_phrase_ms,
        Stage.TTS: budget.tts_ms,
        Stage.NETWORK: budget.network_ms,
    }
    reached_ms = 0.0
    deadlines = {}
    for stage, part_ms in parts.items():
        reached_ms += part_ms
        deadlines[stage] = reached_ms
    return deadlines


def overruns(timeline: TurnTimeline, budget: BudgetConfig) -> tuple[Overrun, ...]:
    """Who was late, in the order in which it happened. Others may have caught up again."""
    deadlines = deadlines_ms(budget)
    handed_ms = 0.0
    found = []
    for stage, mark in _ENDS:
        end_ms = timeline.between_ms(Mark.SPEECH_ENDED, mark)
        if end_ms is None:
            continue
        if stage is Stage.NETWORK:  # both ways
            end_ms += timeline.between_ms(Mark.SPEECH_CAPTURED, Mark.SPEECH_ENDED) or 0.0
        late_ms = max(0.0, end_ms - deadlines[stage])
        if late_ms > handed_ms + _NOTICED_MS:
            found.append(Overrun(stage=stage, late_ms=late_ms - handed_ms))
        handed_ms = late_ms
    return tuple(found)


def to_blame(
    late: tuple[Overrun, ...], waited_ms: float | None, budget: BudgetConfig
) -> tuple[Overrun, ...]:
    """Who of those that were `late` had a good share in a broken promise; nobody where it was kept.

    What is hardly late has nothing to give: a camera that is left out for two milliseconds is
    missed, and saves nothing. `waited_ms`: voice to voice; None where it never came to a sound.
    """
    if waited_ms is not None and waited_ms <= budget.voice_to_voice_ms:
        return ()
    whole_ms = sum(each.late_ms for each in late)
    return tuple(each for each in late if each.late_ms >= _TO_BLAME * whole_ms)
