"""Pure: where a turn stands, in four steps that anybody can follow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assistant.timeline import Mark, TurnTimeline


class Step(StrEnum):
    CAPTURE = "capture"
    """The person speaks, and may show something."""

    ANALYSE = "analyse"
    """What was said and shown is being understood."""

    DECIDE = "decide"
    """The answer is being thought of, up to its first phrase."""

    RESPOND = "respond"
    """The first phrase is on its way to the listener."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTaken:
    step: Step
    start_ms: float
    """Since the turn began."""

    duration_ms: float | None
    """None while it goes on."""


def steps(timeline: TurnTimeline) -> tuple[StepTaken, ...]:
    """The steps that have begun; the last one may go on.

    An answer is begun before it is certain that the person has finished: until that is known, what
    they said counts as over at the pause. The last three add up to the wait.
    """
    at_s = timeline.at_s
    if Mark.SPEECH_STARTED not in at_s:
        return ()
    ends = (
        (
            Step.CAPTURE,
            _first(timeline, Mark.SPEECH_ENDED, Mark.PAUSE_NOTICED, Mark.TRANSCRIPT_FINAL),
        ),
        (Step.ANALYSE, at_s.get(Mark.SCENE_KNOWN)),
        (Step.DECIDE, at_s.get(Mark.FIRST_PHRASE)),
        (Step.RESPOND, _first(timeline, Mark.FIRST_HEARD, Mark.FIRST_SENT)),
    )
    began_at_s = reached_at_s = at_s[Mark.SPEECH_STARTED]
    taken = list[StepTaken]()
    for step, end_at_s in ends:
        over_at_s = at_s.get(Mark.DONE) if end_at_s is None else max(end_at_s, reached_at_s)
        taken.append(
            StepTaken(
                step=step,
                start_ms=1_000 * (reached_at_s - began_at_s),
                duration_ms=None if over_at_s is None else 1_000 * (over_at_s - reached_at_s),
            )
        )
        if end_at_s is None or over_at_s is None:
            break
        reached_at_s = over_at_s
    return tuple(taken)


def _first(timeline: TurnTimeline, *marks: Mark) -> float | None:
    """When the first of these that happened did."""
    return next((timeline.at_s[mark] for mark in marks if mark in timeline.at_s), None)
