"""One person's own way of taking turns: how much silence, how loud, and what is taken back."""

from __future__ import annotations

import pytest

from assistant.config import EarsConfig, EndpointingConfig
from assistant.endpointing import adapted
from assistant.events import TurnDetection
from assistant.hearing import Listener
from assistant.types import Phase
from tests.hearing_fakes import (
    NOISE,
    LoudnessDetector,
    Microphone,
    ScriptedRecognizer,
    hypothesis,
    quiet,
    voice,
)

SETTINGS = EndpointingConfig(min_silence_ms=250, max_silence_ms=800, leading_on_silence_ms=1_200)


@pytest.mark.parametrize(
    ("wanted", "silences_ms"),
    [
        (TurnDetection(), (250, 800, 1_200)),
        (TurnDetection(silence_ms=500), (500, 500, 500)),
        (TurnDetection(silence_ms=0), (0, 0, 0)),
        (TurnDetection(patience=2), (250, 1_600, 2_400)),
        (TurnDetection(patience=0.1), (80, 80, 120)),
    ],
)
def test_how_much_silence_ends_a_turn(
    wanted: TurnDetection, silences_ms: tuple[int, int, int]
) -> None:
    config = adapted(SETTINGS, wanted)
    silences = config.min_silence_ms, config.max_silence_ms, config.leading_on_silence_ms
    assert silences == silences_ms


def test_a_low_threshold_pauses_no_earlier_than_it_starts() -> None:
    config = adapted(SETTINGS, TurnDetection(speech_starts_at=0.2, preroll_ms=100))
    assert (config.speech_starts_at, config.speech_stops_at) == (0.2, 0.2)
    assert config.preroll_ms == 100
    high = adapted(SETTINGS, TurnDetection(speech_starts_at=0.9))
    assert high.speech_stops_at == SETTINGS.speech_stops_at


def new_listener(recognizer: ScriptedRecognizer) -> Listener:
    return Listener(
        detector=LoudnessDetector(),
        recognizer=recognizer,
        ears=EarsConfig(),
        endpointing=SETTINGS,
    )


async def test_a_person_s_wish_counts_from_then_on() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, complete=[0.1])
    listener = new_listener(recognizer)
    listener.detect_turns(TurnDetection(silence_ms=300))
    sounds = (voice(600), quiet(480), voice(600), quiet(480))
    async with listener.listening(microphone.frames(*sounds)) as utterances:
        assert len([utterance async for utterance in utterances]) == 2


async def test_speech_that_is_taken_back_ends_without_words() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, final_ms=[10_000])
    listener = new_listener(recognizer)
    sounds = (voice(600), quiet(2_000))
    async with listener.listening(microphone.frames(*sounds)) as utterances:
        utterance = await anext(utterances)
        async for heard in utterance.follow():
            if heard.phase is Phase.PAUSED:
                break
        listener.forget()
        assert utterance.heard.transcript.text == ""
        assert utterance.heard.transcript.is_final
        assert [u async for u in utterances] == []
    assert recognizer.running == 0


@pytest.mark.parametrize(("answer", "text"), [(hypothesis("Hello."), "Hello."), (NOISE, "")])
async def test_a_recording_is_written_down(answer: object, text: str) -> None:
    recognizer = ScriptedRecognizer(finals=[answer])  # type: ignore[list-item]
    assert await new_listener(recognizer).write_down(voice(1_000)) == text
