"""Whose turn it is, in a room with sound in it and with the real ears."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.events import QuestionReopened, ReplyStatus, SayText
from assistant.types import Pcm
from tests.acoustics import SoundRoom, answer_of
from tests.hearing_fakes import quiet
from tests.real_ears import PromptRecognizer
from tests.speech import SENTENCES, bare_words, recording, word_error_rate

pytestmark = [pytest.mark.models, pytest.mark.usefixtures("patient_listener")]

QUESTION, *LONG_ANSWER = SENTENCES
ANSWER = LONG_ANSWER[:3]
INTERRUPTION = "good morning how are you today"


def new_room(answer: list[str], *, echo_db: float = -200) -> SoundRoom:
    return SoundRoom(PromptRecognizer(), answer, echo_db=echo_db)


def said(room: SoundRoom) -> list[str]:
    return [bare_words(text) for text in room.said()]


def heard(room: SoundRoom) -> str:
    """Of the last answer."""
    return bare_words(room.conversation.messages[-1].text)


@pytest.mark.parametrize("echo_db", [-20, -6])
async def test_our_own_voice_in_the_microphone_is_no_turn(echo_db: float) -> None:
    room = new_room(ANSWER, echo_db=echo_db)
    async with room.open():
        await room.say(QUESTION)
        await room.pass_s(10)
        assert said(room) == [QUESTION]
        assert room.ended() == [ReplyStatus.COMPLETED]
        assert heard(room) == " ".join(ANSWER)


async def test_our_own_voice_is_no_turn_though_nobody_spoke_before() -> None:
    room = new_room(ANSWER, echo_db=-20)
    async with room.open():
        room.peer.wanted.put_nowait(SayText(text=QUESTION))
        await room.pass_s(10)
        assert room.ended() == [ReplyStatus.COMPLETED]
        assert heard(room) == " ".join(ANSWER)


async def test_twenty_seconds_of_television_do_not_cut_a_long_answer() -> None:
    television = (
        "stop that is enough",
        "what colour is the thing i am holding",
        "which is heavier a kilogram of feathers or a kilogram of iron",
        INTERRUPTION,
    )
    room = new_room(LONG_ANSWER * 2)
    async with room.open():
        await room.say(QUESTION)
        started_at_s = room.now_s
        programme = [part for words in television for part in (recording(words), quiet(300))]
        room.sounds(np.concatenate(programme * 2)[: 20 * 16_000], gain_db=-25)
        await room.pass_s(20)
        assert said(room) == [QUESTION]
        assert room.longest_silence_s(started_at_s) < 0.2


def hum() -> Pcm:
    """ "Mm-hmm": two murmurs through the nose, the second one rising."""

    def murmur(from_hz: float, to_hz: float, seconds: float) -> NDArray[np.float64]:
        n = int(16_000 * seconds)
        phase = 2 * np.pi * np.cumsum(np.linspace(from_hz, to_hz, n)) / 16_000
        overtones = np.arange(1, 30)
        hz = overtones * (from_hz + to_hz) / 2
        formants = ((260, 120, 1.0), (1_000, 200, 0.12), (2_300, 300, 0.05))
        levels = sum(level / (1 + ((hz - at) / width) ** 2) for at, width, level in formants)
        attack = np.minimum(np.arange(n) / 480, np.arange(n)[::-1] / 960).clip(0, 1)
        sound: NDArray[np.float64] = attack * (np.sin(np.outer(phase, overtones)) @ levels)
        return sound

    sound = np.concatenate([0.7 * murmur(125, 115, 0.2), np.zeros(1_100), murmur(130, 165, 0.26)])
    return np.asarray(8_000 * sound / np.abs(sound).max(), np.int16)


@pytest.mark.parametrize("backchannel", [hum, lambda: recording("uh huh")], ids=["hum", "uh-huh"])
async def test_after_a_backchannel_our_answer_goes_on_within_a_second(
    backchannel: Callable[[], Pcm],
) -> None:
    room = new_room(LONG_ANSWER)
    async with room.open():
        await room.say(QUESTION, then_s=2.5)
        started_at_s = room.now_s
        room.sounds(backchannel())
        await room.pass_s(3)
        assert said(room) == [QUESTION]
        assert room.ended() == []
        assert room.longest_silence_s(started_at_s) < 1


def cough() -> Pcm:
    """A burst of breath, twice."""
    n = 4_000
    random = np.random.default_rng(0)
    breath = np.convolve(random.normal(0, 1, n), np.hanning(9), mode="same")
    burst = breath * np.exp(-np.arange(n) / 900) * np.minimum(np.arange(n) / 160, 1)
    return np.asarray(12_000 * np.tile(burst / np.abs(burst).max(), 2), np.int16)


@pytest.mark.parametrize("noise", [cough, hum])
async def test_after_a_cough_while_we_think_the_answer_still_comes(
    noise: Callable[[], Pcm],
) -> None:
    room = new_room(ANSWER)
    async with room.open():
        room.mind.may.clear()
        await room.say(QUESTION)
        room.sounds(noise())
        await room.pass_s(0.3)
        room.mind.may.set()
        await room.pass_s(9)
        assert said(room) == [QUESTION]
        assert room.ended() == [ReplyStatus.COMPLETED]


async def test_words_interrupt_and_are_answered() -> None:
    room = new_room(LONG_ANSWER)
    async with room.open():
        await room.say(QUESTION, then_s=2)
        for _ in range(5):
            await room.say(INTERRUPTION, then_s=2)
        room.mind.pieces = answer_of(ANSWER[:1])
        await room.say("stop that is enough", then_s=4)
        assert said(room) == [QUESTION, *[INTERRUPTION] * 5, "stop that is enough"]
        assert room.ended() == [*[ReplyStatus.CANCELLED] * 6, ReplyStatus.COMPLETED]
        assert heard(room) == ANSWER[0]


async def test_we_are_silent_before_the_interruption_is_over() -> None:
    room = new_room(LONG_ANSWER)
    async with room.open():
        await room.say(QUESTION, then_s=2)
        started_at_s = room.now_s
        await room.say("stop that is enough", then_s=0)
        first_s = next(at_s for at_s in room.silent_s if at_s > started_at_s + 0.1)
        assert first_s - started_at_s < 0.6


@pytest.mark.parametrize("answer", ["yes", "no"])
@pytest.mark.parametrize("after_s", [-0.3, 0.1, 0.7])
async def test_a_short_answer_around_the_end_of_our_voice_is_heard(
    answer: str, after_s: float
) -> None:
    room = new_room(ANSWER[:1])
    async with room.open():
        await room.say(QUESTION, then_s=0)
        while not room.turns[-1].is_audible:
            await room.pass_s(0.02)
        await room.pass_s(len(recording(ANSWER[0])) / 16_000 + after_s)
        await room.say(answer)
        assert said(room) == [QUESTION, answer]


async def test_a_question_cut_in_two_is_asked_as_one() -> None:
    words = "which is heavier a kilogram of feathers or a kilogram of iron"
    samples = recording(words)
    room = new_room(ANSWER)
    async with room.open():
        room.mind.may.clear()
        room.sounds(np.concatenate([samples[:15_500], quiet(1_600), samples[15_500:]]))
        await room.pass_s(len(samples) / 16_000 + 3)
        reopened = [e for e in room.peer.events if isinstance(e, QuestionReopened)]
        assert len(reopened) == len(room.said()) - 1 == 1
        assert word_error_rate(words, room.said()[-1]) < 0.2
        assert word_error_rate(words, room.mind.replied[-1][-1].text) < 0.2
        room.mind.may.set()
        await room.pass_s(1)
        assert len(room.silent_s) * 0.02 > len(samples) / 16_000 + 3
