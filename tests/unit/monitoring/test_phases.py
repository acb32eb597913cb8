from __future__ import annotations

import pytest

from assistant.monitoring.phases import Step, steps
from assistant.timeline import Mark, TurnTimeline

WHOLE = {
    Mark.SPEECH_STARTED: 10.0,
    Mark.SPEECH_ENDED: 12.0,
    Mark.PAUSE_NOTICED: 12.13,
    Mark.TRANSCRIPT_FINAL: 12.25,
    Mark.SCENE_KNOWN: 12.26,
    Mark.FIRST_TOKEN: 12.40,
    Mark.FIRST_PHRASE: 12.65,
    Mark.FIRST_AUDIO: 12.75,
    Mark.FIRST_SENT: 12.76,
    Mark.FIRST_HEARD: 12.85,
}


def taken(at_s: dict[Mark, float]) -> dict[Step, int | None]:
    return {
        step.step: None if step.duration_ms is None else round(step.duration_ms)
        for step in steps(TurnTimeline(at_s=at_s))
    }


def until(last: Mark, **changes: float) -> dict[Mark, float]:
    """The marks up to this one."""
    marks = list(Mark)
    return {
        mark: at_s for mark, at_s in WHOLE.items() if marks.index(mark) <= marks.index(last)
    } | {Mark(name): at_s for name, at_s in changes.items()}


@pytest.mark.parametrize(
    ("at_s", "expected"),
    [
        ({}, {}),
        ({Mark.SPEECH_STARTED: 10.0}, {Step.CAPTURE: None}),
        (
            until(Mark.TRANSCRIPT_FINAL),
            {Step.CAPTURE: 2_000, Step.ANALYSE: None},
        ),
        (
            until(Mark.FIRST_TOKEN),
            {Step.CAPTURE: 2_000, Step.ANALYSE: 260, Step.DECIDE: None},
        ),
        (
            WHOLE,
            {Step.CAPTURE: 2_000, Step.ANALYSE: 260, Step.DECIDE: 390, Step.RESPOND: 200},
        ),
        # Broken off: the step that was under way ends there.
        (
            until(Mark.FIRST_TOKEN, done=12.5),
            {Step.CAPTURE: 2_000, Step.ANALYSE: 260, Step.DECIDE: 240},
        ),
        # Noise: nothing was ever understood.
        (
            {Mark.SPEECH_STARTED: 10.0, Mark.DONE: 10.8},
            {Step.CAPTURE: 800},
        ),
        # Typed words are there at once.
        (
            {Mark.SPEECH_STARTED: 10.0, Mark.TRANSCRIPT_FINAL: 10.0, Mark.SCENE_KNOWN: 10.1},
            {Step.CAPTURE: 0, Step.ANALYSE: 100, Step.DECIDE: None},
        ),
    ],
)
def test_the_steps_of_a_turn(at_s: dict[Mark, float], expected: dict[Step, int | None]) -> None:
    assert taken(at_s) == expected


def test_at_a_pause_the_person_counts_as_silent_until_they_go_on() -> None:
    at_s = until(Mark.FIRST_TOKEN)
    del at_s[Mark.SPEECH_ENDED]
    timeline = TurnTimeline(at_s=at_s)
    assert [step.step for step in steps(timeline)] == [Step.CAPTURE, Step.ANALYSE, Step.DECIDE]
    timeline.forget_reply()
    (capture,) = steps(timeline)
    assert (capture.step, capture.duration_ms) == (Step.CAPTURE, None)


def test_the_last_three_steps_are_the_wait() -> None:
    timeline = TurnTimeline(at_s=WHOLE)
    waits_ms = [step.duration_ms for step in steps(timeline)][1:]
    assert sum(ms or 0.0 for ms in waits_ms) == pytest.approx(timeline.voice_to_voice_ms)
    starts_ms = [step.start_ms for step in steps(timeline)]
    assert starts_ms == pytest.approx([0, 2_000, 2_260, 2_650])
