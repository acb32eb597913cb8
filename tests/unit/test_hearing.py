from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from assistant import hearing
from assistant.config import EarsConfig, EndpointingConfig
from assistant.errors import RecognizerError
from assistant.hearing import Listener, Windows
from assistant.types import AudioFrame, Heard, Pcm, Phase
from assistant.utterance import LiveUtterance
from tests.hearing_fakes import (
    NOISE,
    LoudnessDetector,
    Microphone,
    ScriptedRecognizer,
    hypothesis,
    quiet,
    voice,
)

FAILURE = RecognizerError("it fell over")


def new_listener(
    recognizer: ScriptedRecognizer,
    detector: LoudnessDetector | None = None,
    *,
    final_wait_ms: float = 60_000,
) -> Listener:
    return Listener(
        detector=detector or LoudnessDetector(),
        recognizer=recognizer,
        ears=EarsConfig(),
        endpointing=EndpointingConfig(),
        final_wait_ms=lambda: final_wait_ms,
    )


async def follow(utterance: LiveUtterance) -> list[Heard]:
    return [heard async for heard in utterance.follow()]


async def states(listener: Listener, frames: AsyncIterator[AudioFrame]) -> list[list[Heard]]:
    """All that a follower of each utterance sees."""
    async with asyncio.TaskGroup() as tasks, listener.listening(frames) as utterances:
        following = [tasks.create_task(follow(utterance)) async for utterance in utterances]
    return [task.result() for task in following]


async def ends(listener: Listener, frames: AsyncIterator[AudioFrame]) -> list[Heard]:
    return [seen[-1] for seen in await states(listener, frames)]


def phases(seen: list[Heard]) -> list[Phase]:
    """Without repetitions."""
    return [
        b.phase for a, b in zip([None, *seen], seen, strict=False) if not a or a.phase != b.phase
    ]


async def test_an_utterance_has_its_words_and_the_times_of_its_sound() -> None:
    microphone = Microphone(started_at_s=100.0)
    recognizer = ScriptedRecognizer(microphone, finals=["What time is it?"])
    sounds = (quiet(512), voice(1_024), quiet(1_000))
    (seen,) = await states(new_listener(recognizer), microphone.frames(*sounds))
    end = seen[-1]
    assert phases(seen) == [Phase.SPEAKING, Phase.PAUSED, Phase.ENDED]
    assert end.transcript.text == "What time is it?"
    assert end.transcript.is_final
    assert end.failure is None
    assert end.speech_ms == 1_024
    assert end.started_at_s == pytest.approx(100.512)
    assert end.voice_stopped_at_s == pytest.approx(101.536)
    assert end.paused_at_s == pytest.approx(101.664)


async def test_the_final_begins_300_ms_before_the_voice_was_noticed() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone)
    await ends(new_listener(recognizer), microphone.frames(quiet(2_048), voice(512), quiet(500)))
    (samples,) = [
        s for s, asked in zip(recognizer.samples, recognizer.asked, strict=True) if asked.is_final
    ]
    assert 16_000 * 0.25 <= int(np.argmax(samples > 0)) <= 16_000 * 0.3


@pytest.mark.parametrize(
    ("finals", "complete", "silence_ms"),
    [
        (["Go home."], [0.9], 256),
        (["Go home."], [0.1], 800),
        (["Go home."], [FAILURE], 800),
        (["I want to"], [0.9], 1_200),
        ([NOISE], [0.1], 256),
        ([FAILURE, FAILURE], [0.9], 256),
        ([FAILURE, "Go home."], [0.9], 256),
    ],
)
async def test_words_and_melody_decide_how_long_the_end_takes(
    finals: list[str], complete: list[float], silence_ms: int
) -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, finals=finals, complete=complete)
    ended_at_ms: list[float] = []
    frames = microphone.frames(voice(640), quiet(3_000))
    async with new_listener(recognizer).listening(frames) as utterances:
        async for utterance in utterances:
            await follow(utterance)
            ended_at_ms.append(microphone.now_ms - 640)
    assert ended_at_ms == [pytest.approx(silence_ms, abs=40)]


async def test_noise_ends_without_words() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, partials=[NOISE], finals=[NOISE])
    (end,) = await ends(new_listener(recognizer), microphone.frames(voice(600), quiet(500)))
    assert end.transcript.text == ""
    assert end.failure is None


async def test_a_recognizer_that_fails_twice_is_said_to_have_failed() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(
        microphone, partials=[FAILURE], finals=[FAILURE, FAILURE, "Hello there."]
    )
    sounds = (voice(600), quiet(500), voice(600), quiet(500))
    first, second = await ends(new_listener(recognizer), microphone.frames(*sounds))
    assert (first.transcript.text, str(first.failure)) == ("", "it fell over")
    assert (second.transcript.text, second.failure) == ("Hello there.", None)


async def test_partials_come_while_somebody_speaks_and_never_in_silence() -> None:
    microphone = Microphone()
    partial = hypothesis("so far", compute_ms=280.0)
    recognizer = ScriptedRecognizer(microphone, partials=[partial], partial_ms=280)
    sounds = (voice(2_000), quiet(3_000))
    await ends(new_listener(recognizer), microphone.frames(*sounds))
    asked_at_ms = [asked.at_ms for asked in recognizer.partials]
    assert asked_at_ms[0] == pytest.approx(352, abs=20)
    assert np.diff(asked_at_ms) == pytest.approx(1.5 * 280, abs=52)
    assert asked_at_ms[-1] < 2_000


async def test_at_most_one_partial_is_outstanding() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, partial_ms=1_000)
    await ends(new_listener(recognizer), microphone.frames(voice(2_500), quiet(500)))
    assert [asked.at_ms for asked in recognizer.partials] == pytest.approx(
        [360, 1380, 2400], abs=52
    )


async def test_speech_ms_is_kept_current() -> None:
    microphone = Microphone()
    frames = microphone.frames(voice(960), quiet(500))
    (seen,) = await states(new_listener(ScriptedRecognizer(microphone)), frames)
    spoken_ms = [heard.speech_ms for heard in seen if heard.phase is Phase.SPEAKING]
    assert sorted(set(spoken_ms)) == [*range(64, 961, 32)]


async def test_loudness_is_that_of_the_voice_without_the_silence() -> None:
    microphone = Microphone()
    frames = microphone.frames(quiet(512), voice(1_024), quiet(500))
    (end,) = await ends(new_listener(ScriptedRecognizer(microphone)), frames)
    assert end.loudness_db == pytest.approx(20 * np.log10(8_000 / 32_768), abs=0.1)


async def test_speech_that_goes_on_joins_the_words() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(
        microphone,
        partials=["I want to"],
        finals=["I want to.", "I want to um.", "I want to um reset the panel."],
    )
    sounds = (voice(500), quiet(900), voice(300), quiet(700), voice(900), quiet(1_000))
    (seen,) = await states(new_listener(recognizer), microphone.frames(*sounds))
    assert phases(seen) == [Phase.SPEAKING, Phase.PAUSED] * 3 + [Phase.ENDED]
    assert seen[-1].transcript.text == "I want to um reset the panel."
    assert recognizer.finals[-1].seconds == pytest.approx(3.3, abs=0.4)
    assert all(not heard.transcript.is_final for heard in seen if heard.phase is Phase.SPEAKING)
    assert all(heard.voice_stopped_at_s is None for heard in seen if heard.phase is Phase.SPEAKING)


async def test_a_late_final_of_a_pause_is_nobodys_words() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(
        microphone, finals=["Late.", "What was said."], final_ms=[1_500.0, 50.0]
    )
    sounds = (voice(500), quiet(300), voice(500), quiet(3_000))
    (seen,) = await states(new_listener(recognizer), microphone.frames(*sounds))
    assert all("Late" not in heard.transcript.text for heard in seen)
    assert seen[-1].transcript.text == "What was said."


async def spoken_to_slow_ears(microphone: Microphone) -> AsyncIterator[AudioFrame]:
    """A pause in which a little time passes, and no end to the microphone."""
    async for frame in microphone.frames(voice(800), quiet(1_500)):
        yield frame
        if microphone.now_ms > 1_000:
            await asyncio.sleep(0.002)


async def test_the_last_partial_stands_in_for_a_late_final_until_that_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hearing, "_GIVEN_UP_AFTER", 60_000)
    microphone = Microphone()
    recognizer = ScriptedRecognizer(
        microphone, partials=["What time is"], finals=["What time is it?"], final_ms=[400.0]
    )
    listener = new_listener(recognizer, final_wait_ms=1)
    (seen,) = await states(listener, spoken_to_slow_ears(microphone))
    stood_in = [heard.transcript for heard in seen if heard.transcript.is_stand_in]
    assert {words.text for words in stood_in} == {"What time is"}
    assert not any(words.is_final for words in stood_in)
    assert seen[-1].transcript.text == "What time is it?"
    assert not seen[-1].transcript.is_stand_in
    assert recognizer.running == 0


async def test_a_final_that_does_not_come_is_given_up_for_the_last_partial() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, partials=["What time is"], final_ms=[60_000.0])
    listener = new_listener(recognizer, final_wait_ms=1)
    (seen,) = await states(listener, spoken_to_slow_ears(microphone))
    words = seen[-1].transcript
    assert (words.text, words.is_final, words.is_stand_in) == ("What time is", True, True)
    assert recognizer.running == 0


async def test_without_a_partial_the_final_is_waited_for() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, partials=[NOISE], final_ms=[400.0])
    listener = new_listener(recognizer, final_wait_ms=1)
    (seen,) = await states(listener, spoken_to_slow_ears(microphone))
    words = seen[-1].transcript
    assert (words.text, words.is_stand_in) == ("all the words", False)


async def test_a_late_partial_of_the_turn_before_is_nobodys_words() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(
        microphone, partials=["Late.", "what"], finals=["First.", "Second."], partial_ms=1_500
    )
    sounds = (voice(500), quiet(500), voice(500), quiet(3_000))
    first, second = await states(new_listener(recognizer), microphone.frames(*sounds))
    assert {heard.transcript.text for heard in first} == {"", "First."}
    assert {heard.transcript.text for heard in second} == {"", "Second."}


async def test_short_answers_in_a_row_are_all_delivered() -> None:
    microphone = Microphone()
    answers = ["No.", "Yes.", "No.", "Yes.", "Okay."]
    recognizer = ScriptedRecognizer(microphone, finals=answers, complete=[0.1])
    frames = microphone.frames(*[voice(200), quiet(400)] * 5)
    heard = await ends(new_listener(recognizer), frames)
    assert [end.transcript.text for end in heard] == answers
    assert recognizer.partials == []


@pytest.mark.parametrize(
    ("frame_samples", "burst"), [(320, 10), (320, 10_000), (37, 1), (5_000, 1)]
)
async def test_frames_may_have_any_length_and_come_in_bursts(
    frame_samples: int, burst: int
) -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, finals=["All of it."])
    frames = microphone.frames(
        quiet(320), voice(1_000), quiet(150), frame_samples=frame_samples, burst=burst
    )
    (end,) = await ends(new_listener(recognizer), frames)
    assert end.transcript.text == "All of it."
    assert end.started_at_s == pytest.approx(100.32, abs=0.032)
    assert end.speech_ms == pytest.approx(1_000, abs=32)


async def test_missing_sound_moves_the_times_and_nothing_else() -> None:
    microphone = Microphone()

    async def frames() -> AsyncIterator[AudioFrame]:
        async for frame in microphone.frames(voice(960), quiet(1_000)):
            yield frame
            if microphone.now_ms == 480:
                microphone.now_ms += 700  # a gap in the network

    (end,) = await ends(new_listener(ScriptedRecognizer(microphone)), frames())
    assert end.speech_ms == 960
    assert end.voice_stopped_at_s == pytest.approx(101.66)


async def test_the_end_of_the_microphone_ends_what_was_being_said() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, finals=["Cut off"])
    (end,) = await ends(new_listener(recognizer), microphone.frames(voice(500)))
    assert (end.phase, end.transcript.text) == (Phase.ENDED, "Cut off")


async def test_a_microphone_that_falls_silent_altogether_ends_what_was_being_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hearing, "_MISSING_SOUND_S", 0.01)
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, finals=["The network went away."])

    async def frames() -> AsyncIterator[AudioFrame]:
        async for frame in microphone.frames(voice(500)):
            yield frame
            if microphone.now_ms == 480:
                await asyncio.Event().wait()

    async with new_listener(recognizer).listening(frames()) as utterances:
        end = (await follow(await anext(utterances)))[-1]
    assert end.transcript.text == "The network went away."


class Button:
    """Calls the listener at given milliseconds of sound."""

    def __init__(self, microphone: Microphone, **at_ms: float) -> None:
        self._microphone = microphone
        self._at_ms = at_ms
        self.listener: Listener

    async def frames(self, *sounds: Pcm) -> AsyncIterator[AudioFrame]:
        async for frame in self._microphone.frames(*sounds):
            for action, at_ms in self._at_ms.items():
                if self._microphone.now_ms == at_ms:
                    self._act(action)
            yield frame

    def _act(self, action: str) -> None:
        match action:
            case "mute" | "unmute":
                self.listener.mute(action == "mute")
            case _:
                self.listener.push_to_talk(action == "press")


async def test_muting_ends_the_turn_and_nothing_muted_is_heard() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, finals=["Before.", "After."])
    button = Button(microphone, mute=600, unmute=60_000)
    button.listener = new_listener(recognizer)
    sounds = (voice(1_200), quiet(58_640), voice(1_000), quiet(500))
    first, second = await ends(button.listener, button.frames(*sounds))
    assert (first.transcript.text, second.transcript.text) == ("Before.", "After.")
    assert first.speech_ms == pytest.approx(600, abs=32)
    assert second.started_at_s == pytest.approx(160.0, abs=0.032)
    assert recognizer.finals[-1].seconds == pytest.approx(0.84 + 0.13, abs=0.05)


async def test_who_joins_muted_is_heard_after_unmuting() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, finals=["Here I am."])
    button = Button(microphone, mute=0, unmute=60_000)
    button.listener = new_listener(recognizer)
    sounds = (voice(58_000), quiet(2_000), voice(1_000), quiet(500))
    (end,) = await ends(button.listener, button.frames(*sounds))
    assert end.transcript.text == "Here I am."
    assert end.started_at_s == pytest.approx(160.0, abs=0.032)


async def test_soft_first_sounds_after_unmuting_are_heard_but_nothing_from_before() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone)
    button = Button(microphone, mute=0, unmute=60_000)
    button.listener = new_listener(recognizer)
    hiss, breath = quiet(60_000) + 20, quiet(480) + 10
    await ends(button.listener, button.frames(hiss, breath, voice(1_000), quiet(500)))
    samples = recognizer.samples[-1]
    assert 16_000 * 0.25 <= int(np.argmax(samples > 10)) <= 16_000 * 0.3
    assert samples[0] == 10


async def test_what_was_kept_from_before_muting_is_no_part_of_what_is_said_after() -> None:
    microphone = Microphone()
    recognizer, detector = ScriptedRecognizer(microphone), LoudnessDetector()
    button = Button(microphone, mute=400, unmute=60_000)
    button.listener = new_listener(recognizer, detector)
    before, after = quiet(60_000) + 20, quiet(96) + 10
    await ends(button.listener, button.frames(before, after, voice(1_000), quiet(500)))
    assert 20 not in recognizer.samples[-1]
    assert detector.resets


async def test_the_talk_button_holds_the_turn_and_ends_it_at_once() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, finals=["One.", "One. Two."])
    button = Button(microphone, press=0, release=20_600)
    button.listener = new_listener(recognizer)
    sounds = (voice(600), quiet(19_400), voice(600), quiet(2_000))
    ended_at_ms = []
    async with button.listener.listening(button.frames(*sounds)) as utterances:
        async for utterance in utterances:
            seen = await follow(utterance)
            ended_at_ms.append(microphone.now_ms)
    assert seen[-1].transcript.text == "One. Two."
    assert ended_at_ms == [pytest.approx(20_600, abs=40)]
    assert recognizer.finals[-1].seconds < 3  # the long silence was left out


async def test_the_talk_button_is_heard_though_muted() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, finals=["Over."])
    button = Button(microphone, mute=0, press=1_000, release=1_600)
    button.listener = new_listener(recognizer)
    (end,) = await ends(button.listener, button.frames(voice(3_000)))
    assert end.transcript.text == "Over."
    assert end.started_at_s == pytest.approx(101.0, abs=0.032)
    assert end.speech_ms == pytest.approx(600, abs=32)


async def test_leaving_the_block_stops_everything() -> None:
    microphone = Microphone()
    recognizer = ScriptedRecognizer(microphone, partial_ms=1e9, final_ms=[1e9])
    frames = microphone.frames(voice(500), quiet(200), voice(500), quiet(200), voice(100_000))
    listener = new_listener(recognizer)
    async with listener.listening(frames) as utterances:
        utterance = await anext(utterances)
        async for heard in utterance.follow():
            if heard.speech_ms > 1_500:
                break
        assert recognizer.running
    assert recognizer.running == 0
    assert (await follow(utterance))[-1].phase is Phase.ENDED
    assert utterance.heard.transcript.text == ""
    listener.mute(True)
    listener.push_to_talk(False)


async def test_what_goes_wrong_in_the_microphone_is_raised() -> None:
    async def frames() -> AsyncIterator[AudioFrame]:
        async for frame in Microphone().frames(voice(500)):
            yield frame
        raise OSError("unplugged")

    listener = new_listener(ScriptedRecognizer())
    with pytest.raises(ExceptionGroup) as caught:
        await ends(listener, frames())
    assert caught.group_contains(OSError)


def test_windows_know_when_each_was_captured() -> None:
    windows = Windows()
    cut = []
    for n in range(16):
        frame = AudioFrame(
            samples=np.full(320, n, np.int16), sample_rate_hz=16_000, captured_at_s=n * 0.02
        )
        cut += windows.cut(frame)
    assert [window.captured_at_s for window in cut] == pytest.approx([n * 0.032 for n in range(10)])
    assert all(len(window.samples) == 512 for window in cut)
    assert np.array_equal(np.concatenate([w.samples for w in cut]), np.repeat(np.arange(16), 320))
