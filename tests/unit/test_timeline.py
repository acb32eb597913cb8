from __future__ import annotations

import pytest

from assistant.timeline import Mark, TurnTimeline
from assistant.types import ReplyStats

TURN = {
    Mark.SPEECH_STARTED: 8.0,
    Mark.SPEECH_ENDED: 10.0,
    Mark.PAUSE_NOTICED: 10.14,
    Mark.TRANSCRIPT_FINAL: 10.30,
    Mark.FIRST_TOKEN: 10.45,
    Mark.FIRST_PHRASE: 10.70,
    Mark.FIRST_AUDIO: 10.78,
    Mark.TURN_CONFIRMED: 10.35,
    Mark.FIRST_SENT: 10.79,
}


STATS = ReplyStats(
    prompt_tokens=10,
    cached_tokens=8,
    reply_tokens=4,
    queue_ms=50.0,
    prefill_ms=100.0,
    ttft_ms=150.0,
    tpot_ms=1.0,
)


def timeline(**changes: float | None) -> TurnTimeline:
    at_s = {mark: changes.get(mark.value, at) for mark, at in TURN.items()}
    heard = changes.get("first_heard")
    return TurnTimeline(
        clock=lambda: 0.0,
        at_s={mark: at for mark, at in {**at_s, Mark.FIRST_HEARD: heard}.items() if at is not None},
    )


@pytest.mark.parametrize(
    ("changes", "path", "beside"),
    [
        (
            {},
            {"pause": 140, "asr": 160, "prefill": 150, "first phrase": 250, "tts": 80}
            | {"pacing": 10},
            {"end of turn": 350},
        ),
        (  # the end of turn was certain only after the reply was ready
            {"turn_confirmed": 10.9, "first_sent": 10.91},
            {"pause": 140, "asr": 160, "prefill": 150, "first phrase": 250, "tts": 80}
            | {"end of turn": 120, "pacing": 10},
            {},
        ),
        (  # heard at the listener
            {"first_heard": 10.88},
            {"pause": 140, "asr": 160, "prefill": 150, "first phrase": 250, "tts": 80}
            | {"pacing": 10, "network and playout": 90},
            {"end of turn": 350},
        ),
        (  # a cached answer has no token and no phrase
            {"first_token": None, "first_phrase": None},
            {"pause": 140, "asr": 160, "tts": 480, "pacing": 10},
            {"end of turn": 350},
        ),
        (  # work that was done before the person stopped costs nothing
            {"pause_noticed": 9.9, "transcript_final": 9.95},
            {"pause": 0, "asr": 0, "prefill": 450, "first phrase": 250, "tts": 80} | {"pacing": 10},
            {"end of turn": 350},
        ),
    ],
)
def test_ledger(
    changes: dict[str, float | None], path: dict[str, float], beside: dict[str, float]
) -> None:
    turn = timeline(**changes)
    lines = turn.ledger()
    assert {line.name: round(line.duration_ms) for line in lines if not line.overlapped} == path
    assert {line.name: round(line.duration_ms) for line in lines if line.overlapped} == beside
    assert turn.voice_to_voice_ms == pytest.approx(sum(path.values()))
    end_ms = 0.0
    for line in lines:
        if not line.overlapped:
            assert line.start_ms == pytest.approx(end_ms)
            end_ms = line.start_ms + line.duration_ms


def test_waiting_for_the_brain_is_told_apart_from_its_reading() -> None:
    turn = timeline()
    turn.stats = STATS
    shares = {line.name: round(line.duration_ms) for line in turn.ledger() if not line.overlapped}
    assert (shares["queue"], shares["prefill"]) == (50, 100)
    assert turn.voice_to_voice_ms == pytest.approx(sum(shares.values()))


def test_waiting_for_the_camera_is_a_line_of_its_own() -> None:
    lines = timeline(scene_known=None).ledger()
    assert "vision" not in {line.name for line in lines}
    turn = timeline()
    turn.at_s[Mark.SCENE_KNOWN] = 10.38
    assert {line.name: round(line.duration_ms) for line in turn.ledger()}["vision"] == 80


def test_a_typed_turn_has_no_ledger() -> None:
    assert timeline(speech_ended=None).ledger() == ()
    assert timeline(speech_ended=None).voice_to_voice_ms is None


def test_a_reply_that_is_thrown_away_leaves_no_marks() -> None:
    turn = timeline()
    turn.forget_reply()
    assert set(turn.at_s) == {
        Mark.SPEECH_STARTED,
        Mark.SPEECH_ENDED,
        Mark.TURN_CONFIRMED,
        Mark.FIRST_SENT,
    }


@pytest.mark.parametrize(("at_s", "counts"), [(10.88, True), (10.5, False), (17.0, False)])
def test_only_the_first_sample_of_this_turn_counts_as_heard(at_s: float, counts: bool) -> None:
    turn = timeline()
    assert turn.heard(at_s) is counts
    assert not turn.heard(10.9) or not counts


def test_after_a_filler_nobody_can_tell_when_the_answer_was_heard() -> None:
    turn = timeline()
    turn.at_s[Mark.FILLER_SENT] = 10.6
    assert not turn.heard(10.88)
    assert turn.voice_to_voice_ms == pytest.approx(790)
