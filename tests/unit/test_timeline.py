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


@pytest.mark.parametrize(
    ("filler_heard_s", "first_sent_s", "later_s", "heard_s"),
    [
        (10.68, 10.79, None, 10.87),  # cut off by the answer: as long on its way as the filler was
        (10.68, 10.79, 12.5, 10.87),  # what begins later is another phrase
        (10.85, 10.79, None, 10.87),  # noticed only after the answer was on its way
        (None, 10.79, None, None),
        (None, 11.79, 11.85, 11.85),  # the filler went unnoticed
        (10.5, 10.79, None, None),  # that was before the filler
    ],
)
def test_a_filler_tells_how_long_the_answer_was_on_its_way(
    filler_heard_s: float | None,
    first_sent_s: float,
    later_s: float | None,
    heard_s: float | None,
) -> None:
    turn = timeline(first_sent=None)
    filler_sent_s = 10.6 if (filler_heard_s or 0) < 10.7 else 10.77
    turn.mark(Mark.FILLER_SENT, filler_sent_s)
    known = []
    for at_s, is_sent in sorted(
        (at_s, at_s == first_sent_s) for at_s in (filler_heard_s, first_sent_s, later_s) if at_s
    ):
        if is_sent:
            turn.mark(Mark.FIRST_SENT, at_s)
        else:
            known.append(turn.heard(at_s))
    assert turn.at_s.get(Mark.FIRST_HEARD) == (heard_s and pytest.approx(heard_s))
    waited_ms = 1_000 * ((heard_s or first_sent_s) - 10)
    assert turn.voice_to_voice_ms == pytest.approx(waited_ms)
    assert sum(line.duration_ms for line in turn.ledger() if not line.overlapped) == pytest.approx(
        waited_ms
    )


def test_the_way_from_the_microphone_is_a_line_of_its_own() -> None:
    turn = timeline(first_heard=10.88)
    before = turn.ledger()
    turn.came_by(40)
    uplink, *others = turn.ledger()
    assert (uplink.name, uplink.start_ms, round(uplink.duration_ms)) == (
        "capture and uplink",
        0,
        40,
    )
    assert [line.name for line in others] == [line.name for line in before]
    for now, then in zip(others, before, strict=True):
        assert now.start_ms == pytest.approx(then.start_ms + 40)
        assert now.duration_ms == pytest.approx(then.duration_ms)
    assert turn.voice_to_voice_ms == pytest.approx(920)


@pytest.mark.parametrize("uplink_ms", [-1, 5_001, float("nan")])
def test_a_way_that_cannot_be_is_none(uplink_ms: float) -> None:
    turn = timeline()
    turn.came_by(uplink_ms)
    assert Mark.SPEECH_CAPTURED not in turn.at_s


def test_typed_words_came_by_no_microphone() -> None:
    turn = timeline(speech_ended=None)
    turn.came_by(40)
    assert Mark.SPEECH_CAPTURED not in turn.at_s
