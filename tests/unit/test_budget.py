from __future__ import annotations

import pytest

from assistant.budget import Stage, deadlines_ms, overruns, to_blame
from assistant.config import BudgetConfig
from assistant.timeline import Mark, TurnTimeline

IN_TIME = {
    Mark.SPEECH_ENDED: 10.0,
    Mark.PAUSE_NOTICED: 10.13,
    Mark.TRANSCRIPT_FINAL: 10.25,
    Mark.FIRST_TOKEN: 10.40,
    Mark.FIRST_PHRASE: 10.75,
    Mark.FIRST_AUDIO: 10.85,
    Mark.FIRST_HEARD: 11.0,
}


def test_deadlines_add_up_to_the_promise() -> None:
    assert deadlines_ms(BudgetConfig()) == {
        Stage.ENDPOINTING: 150,
        Stage.ASR: 300,
        Stage.VISION: 300,
        Stage.PREFILL: 400,
        Stage.FIRST_PHRASE: 750,
        Stage.TTS: 850,
        Stage.NETWORK: 1_000,
    }


@pytest.mark.parametrize(
    ("later", "late"),
    [
        ({}, {}),
        # What one stage saved is lent to the next.
        ({Mark.FIRST_TOKEN: 10.30, Mark.FIRST_PHRASE: 10.74}, {}),
        # Only the stage that lost the time is blamed.
        (
            {
                Mark.TRANSCRIPT_FINAL: 10.50,
                Mark.FIRST_TOKEN: 10.60,
                Mark.FIRST_PHRASE: 10.95,
                Mark.FIRST_AUDIO: 11.05,
                Mark.FIRST_HEARD: 11.2,
            },
            {Stage.ASR: 200},
        ),
        # A late turn that was caught up again is in time.
        ({Mark.TRANSCRIPT_FINAL: 10.40}, {Stage.ASR: 100}),
        # Two are blamed, each for its own part.
        (
            {Mark.FIRST_TOKEN: 10.50, Mark.FIRST_PHRASE: 11.0, Mark.FIRST_AUDIO: 11.05},
            {Stage.PREFILL: 100, Stage.FIRST_PHRASE: 150},
        ),
        ({Mark.SCENE_KNOWN: 10.60}, {Stage.VISION: 300}),
        # The way from the microphone is the network's.
        ({Mark.SPEECH_CAPTURED: 9.9}, {Stage.NETWORK: 100}),
    ],
)
def test_who_made_a_turn_late(later: dict[Mark, float], late: dict[Stage, float]) -> None:
    timeline = TurnTimeline(at_s={**IN_TIME, **later})
    found = {o.stage: round(o.late_ms) for o in overruns(timeline, BudgetConfig())}
    assert found == late


def test_a_typed_turn_overruns_nothing() -> None:
    timeline = TurnTimeline(at_s={Mark.FIRST_TOKEN: 99.0})
    assert overruns(timeline, BudgetConfig()) == ()


@pytest.mark.parametrize(("heard_at_s", "broken"), [(11.0, False), (11.01, True), (None, True)])
def test_a_promise_is_broken_by_the_whole_turn(heard_at_s: float | None, broken: bool) -> None:
    at_s = {**IN_TIME, Mark.TRANSCRIPT_FINAL: 10.5}
    del at_s[Mark.FIRST_HEARD]
    if heard_at_s is not None:
        at_s[Mark.FIRST_SENT] = heard_at_s
    timeline = TurnTimeline(at_s=at_s)
    late = overruns(timeline, BudgetConfig())
    blamed = to_blame(late, timeline.voice_to_voice_ms, BudgetConfig())
    assert {each.stage for each in blamed} == ({Stage.ASR} if broken else set())


def test_who_is_hardly_late_is_not_to_blame() -> None:
    late = {
        Mark.TRANSCRIPT_FINAL: 10.32,
        Mark.SCENE_KNOWN: 10.325,
        Mark.FIRST_TOKEN: 10.70,
        Mark.FIRST_PHRASE: 11.4,
        Mark.FIRST_AUDIO: 11.51,
        Mark.FIRST_HEARD: 11.66,
    }
    timeline = TurnTimeline(at_s={**IN_TIME, **late})
    overrun = overruns(timeline, BudgetConfig())
    assert [each.stage for each in overrun][:2] == [Stage.ASR, Stage.VISION]
    blamed = to_blame(overrun, timeline.voice_to_voice_ms, BudgetConfig())
    assert [each.stage for each in blamed] == [Stage.PREFILL, Stage.FIRST_PHRASE]
