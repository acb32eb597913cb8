from __future__ import annotations

from typing import Any

import pytest

from assistant.barge_in import Meaning, Moment, is_echo, meaning
from assistant.config import BargeInConfig
from assistant.errors import RecognizerError
from assistant.events import State
from assistant.types import Heard, Phase, Transcript
from assistant.words import bare, split_words

SPEAKING, PAUSED, ENDED = Phase.SPEAKING, Phase.PAUSED, Phase.ENDED
TURN, UNCLEAR, ECHO, NOTHING = Meaning.TURN, Meaning.UNCLEAR, Meaning.ECHO, Meaning.NOTHING
ANSWER = "A rainbow forms when sunlight is bent in drops of rain. Is that clear, yes or no?"


def judge(
    words: str,
    speech_ms: float = 500,
    phase: Phase = SPEAKING,
    *,
    loudness_db: float | None = None,
    failure: Exception | None = None,
    state: State = State.SPEAKING,
    **moment: Any,
) -> Meaning:
    heard = Heard(
        phase=phase,
        transcript=Transcript(committed=words, is_final=phase is not SPEAKING),
        speech_ms=speech_ms,
        loudness_db=loudness_db,
        failure=failure,
    )
    usual: dict[str, Any] = {"said": "", "speech_age_ms": speech_ms, "session_age_ms": 10_000.0}
    return meaning(heard, Moment(state=state, **(usual | moment)), BargeInConfig())


@pytest.mark.parametrize(
    ("words", "speech_ms", "phase", "verdict"),
    [
        ("", 100, SPEAKING, NOTHING),
        ("", 250, SPEAKING, UNCLEAR),
        ("", 900, SPEAKING, UNCLEAR),
        ("", 250, PAUSED, NOTHING),
        ("", 250, ENDED, NOTHING),
        ("and", 300, SPEAKING, UNCLEAR),
        ("and", 600, SPEAKING, TURN),
        ("and what", 300, SPEAKING, TURN),
        ("Stop!", 200, SPEAKING, TURN),
        ("stopped", 200, ENDED, NOTHING),
        ("等等", 200, SPEAKING, TURN),
        ("请停一下", 200, SPEAKING, TURN),
        ("那个", 300, SPEAKING, TURN),
        ("Mm-hmm.", 400, SPEAKING, UNCLEAR),
        ("Mm-hmm.", 400, PAUSED, NOTHING),
        ("Mm-hmm.", 900, SPEAKING, UNCLEAR),
        ("Hmmm. M-hm.", 900, PAUSED, NOTHING),
        ("Yeah, I see. Okay.", 1_200, ENDED, NOTHING),
        ("Okay, stop.", 400, SPEAKING, TURN),
        ("Yeah, but", 400, SPEAKING, TURN),
        ("好的", 400, PAUSED, NOTHING),
    ],
)
def test_over_our_voice(words: str, speech_ms: float, phase: Phase, verdict: Meaning) -> None:
    assert judge(words, speech_ms, phase) is verdict


@pytest.mark.parametrize(
    ("words", "speech_ms", "phase", "verdict"),
    [
        ("", 64, SPEAKING, UNCLEAR),
        ("", 900, SPEAKING, UNCLEAR),
        ("", 300, PAUSED, NOTHING),
        ("and", 300, SPEAKING, TURN),
        ("Mm-hmm.", 400, PAUSED, NOTHING),
    ],
)
def test_while_we_think(words: str, speech_ms: float, phase: Phase, verdict: Meaning) -> None:
    assert judge(words, speech_ms, phase, state=State.THINKING) is verdict


@pytest.mark.parametrize(
    ("words", "phase", "verdict"),
    [
        ("", SPEAKING, UNCLEAR),
        ("", ENDED, NOTHING),
        ("Yes.", PAUSED, TURN),
        ("Mm-hmm.", PAUSED, TURN),
        ("Is that", SPEAKING, ECHO),
        ("No.", PAUSED, TURN),
        ("or no", PAUSED, ECHO),
    ],
)
def test_as_our_voice_ends(words: str, phase: Phase, verdict: Meaning) -> None:
    assert judge(words, phase=phase, state=State.LISTENING, said=ANSWER) is verdict


def test_a_yes_just_before_our_voice_ends_is_an_answer() -> None:
    assert judge("Yes.", phase=PAUSED, ends_in_ms=700.0, said=ANSWER) is TURN
    assert judge("Yes.", phase=PAUSED, ends_in_ms=3_000.0) is NOTHING
    assert judge("Yes.", phase=PAUSED, ends_in_ms=None) is NOTHING


def test_a_recognizer_that_failed_is_apologised_for_unless_we_speak() -> None:
    assert (
        judge("", phase=ENDED, failure=RecognizerError("it fell over"), state=State.LISTENING)
        is TURN
    )
    assert judge("", phase=ENDED, failure=RecognizerError("it fell over")) is NOTHING


def test_with_nothing_recognised_for_long_the_voice_comes_back() -> None:
    assert judge("", 900, speech_age_ms=1_400) is UNCLEAR
    assert judge("", 900, speech_age_ms=1_600) is NOTHING


def test_in_the_first_seconds_of_a_session_only_a_stop_word_interrupts() -> None:
    assert judge("and what about", 900, session_age_ms=500) is UNCLEAR
    assert judge("stop", 900, session_age_ms=500) is TURN


@pytest.mark.parametrize("state", State)
def test_a_voice_much_quieter_than_the_persons_is_nothing(state: State) -> None:
    words = "and now the weather"
    assert judge(words, loudness_db=-45, usual_db=-20, state=state) is NOTHING
    assert judge(words, loudness_db=-32, usual_db=-20, state=state) is TURN
    assert judge(words, loudness_db=-45, usual_db=None, state=state) is TURN
    assert judge(words, loudness_db=None, usual_db=-20, state=state) is TURN


def test_our_own_words_are_an_echo() -> None:
    assert judge("A rainbow forms", said="A rainbow forms when sunlight is") is ECHO
    assert judge("No.", said="No.") is ECHO
    assert judge("Why a rainbow of all things?", said="A rainbow forms when sunlight is") is TURN


def test_once_an_echo_was_heard_sound_alone_does_not_silence_us() -> None:
    assert judge("", 400, hears_echo=True) is NOTHING
    assert judge("and", 400, hears_echo=True) is UNCLEAR


@pytest.mark.parametrize(
    ("heard", "said", "verdict"),
    [
        ("", ANSWER, False),
        ("when sunlight is bent", "A rainbow forms when sunlight is bent in drops", True),
        ("rainbow forms when some light", "A rainbow forms when sunlight is", True),
        ("the capital of Italy", "The capital of France is Paris", True),
        ("what about Italy", "The capital of France is Paris", False),
        ("the capital", f"The capital of France is Paris. {ANSWER}", False),
        ("首都是", "法国的首都是巴黎", True),
    ],
)
def test_an_echo_is_what_we_said_just_now(heard: str, said: str, verdict: bool) -> None:
    words = [bare(word) for word in split_words(heard)]
    assert is_echo(words, said, 0.6) is verdict


@pytest.mark.parametrize(
    ("words", "phase", "loudness_db", "hears_echo", "verdict"),
    [
        ("The capital of Italy", PAUSED, -30, False, ECHO),
        ("The capital of Italy", PAUSED, -20, False, TURN),
        ("The capital of Italy", PAUSED, -20, True, TURN),
        ("The capital of Italy please", SPEAKING, -20, True, ECHO),
        ("The captain on France", SPEAKING, -20, False, TURN),
    ],
)
def test_somebody_as_loud_as_the_person_is_believed(
    words: str, phase: Phase, loudness_db: float, hears_echo: bool, verdict: Meaning
) -> None:
    said = "The capital of France is Paris."
    moment: dict[str, Any] = {"said": said, "hears_echo": hears_echo, "usual_db": -20.0}
    assert judge(words, phase=phase, loudness_db=loudness_db, **moment) is verdict
