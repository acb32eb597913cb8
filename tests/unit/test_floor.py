"""Whose turn it is, when speech comes while we think, while we speak and as our voice ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from assistant.events import (
    Event,
    PushToTalk,
    QuestionReopened,
    ReplyEnded,
    ReplyStatus,
    SayText,
    UserSaid,
)
from assistant.types import Phase, Role
from tests.fakes import ScriptedBrain, ScriptedUtterance, settle
from tests.room import LONG_ANSWER, Room

SHORT_ANSWER = ["Do you want tea, yes or no?"]
"""As the voice of the tests speaks it: 350 ms."""


@pytest.fixture
def room() -> Room:
    return Room(ScriptedBrain(LONG_ANSWER))


@pytest.fixture
def thinking() -> Room:
    """Its first token never comes."""
    return Room(ScriptedBrain(LONG_ANSWER, token_s=60))


async def hears(room: Room, ms: float = 100) -> bool:
    """Whether anything is to be heard now, and the fade after it is over."""
    await room.peer.play(20)
    return await room.peer.play(ms) > 0


async def say(
    room: Room, text: str, *, speech_ms: float = 500, loudness_db: float = -20
) -> ScriptedUtterance:
    """An utterance as it comes from the listener: begun, a partial, a pause, the end."""
    utterance = await room.speak()
    for phase, words in (
        (Phase.SPEAKING, ""),
        (Phase.SPEAKING, text),
        (Phase.PAUSED, text),
        (Phase.ENDED, text),
    ):
        await utterance.become(phase, words, speech_ms=speech_ms, loudness_db=loudness_db)
    return utterance


async def test_words_over_our_voice_interrupt_it(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await hears(room)
        barging = await room.speak()
        await barging.become(Phase.SPEAKING, "no wait", is_final=False)
        assert not await hears(room)
        await barging.become(Phase.ENDED, "no wait the other one")
        assert room.said() == ["first", "no wait the other one"]
        assert room.ended() == [ReplyStatus.CANCELLED]


async def test_a_cough_over_our_voice_pauses_it_until_it_is_over(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await hears(room)
        cough = await room.speak()
        await cough.become(Phase.SPEAKING, "", speech_ms=250)
        assert not await hears(room)
        await cough.become(Phase.ENDED, "", speech_ms=250)
        assert await hears(room)
        assert room.ended() == []


async def test_a_voice_without_words_silences_us_for_a_while_only(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await hears(room)
        humming = await room.speak()
        await humming.become(Phase.SPEAKING, "", speech_ms=900)
        assert not await hears(room)
        room.now_s += 1.6
        await humming.become(Phase.SPEAKING, "", speech_ms=1_500)
        assert await hears(room)
        await humming.become(Phase.ENDED, "", speech_ms=1_500)
        assert room.ended() == []


async def test_a_backchannel_lets_us_go_on_as_soon_as_it_is_understood(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await hears(room)
        listening = await room.speak()
        await listening.become(Phase.SPEAKING, "Mm-hmm.", speech_ms=400, is_final=False)
        assert not await hears(room)
        await listening.become(Phase.PAUSED, "Mm-hmm.", speech_ms=400)
        assert await hears(room)
        await listening.become(Phase.ENDED, "Mm-hmm.", speech_ms=400)
        assert room.said() == ["first"]


async def test_a_backchannel_that_becomes_a_question_interrupts(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await hears(room)
        going_on = await room.speak()
        await going_on.become(Phase.PAUSED, "Okay.")
        await going_on.become(Phase.SPEAKING, "Okay. And", tentative="why?", is_final=False)
        assert not await hears(room)
        await going_on.become(Phase.ENDED, "Okay. And why?")
        assert room.said() == ["first", "Okay. And why?"]


async def test_a_cough_while_we_think_delays_the_answer_and_no_more() -> None:
    room = Room(ScriptedBrain(LONG_ANSWER, token_s=0.02))
    async with room.open():
        await room.speak("first")
        cough = await room.speak()
        while room.brain.decoded < 3:
            await settle(1)
        assert not await hears(room, 300)
        await cough.become(Phase.ENDED, "")
        assert await hears(room)
        assert room.said() == ["first"]
        assert len(room.brain.replied) == 1


async def test_speech_that_goes_on_while_we_think_is_one_question(thinking: Room) -> None:
    async with thinking.open():
        await thinking.speak("Which is heavier,")
        await say(thinking, "a kilogram of feathers")
        await say(thinking, "or a kilogram of iron?")
        whole = "Which is heavier, a kilogram of feathers or a kilogram of iron?"
        assert thinking.brain.replied[-1][-1].text == whole
        assert [message.role for message in thinking.brain.replied[-1]] == [Role.SYSTEM, Role.USER]
        assert shown(thinking.peer.events) == [whole]


def shown(events: list[Event]) -> list[str]:
    """The questions that a person sees in the end."""
    questions = {event.turn_id: event.text for event in events if isinstance(event, UserSaid)}
    for event in events:
        if isinstance(event, QuestionReopened):
            del questions[event.turn_id]
    return list(questions.values())


async def test_of_an_answer_to_half_a_question_nothing_is_heard() -> None:
    room = Room(ScriptedBrain(LONG_ANSWER, token_s=0.02))
    async with room.open():
        await room.speak("Which is heavier,")
        going_on = await room.speak()
        while room.brain.decoded < 5:
            await settle(1)
        assert not await hears(room, 300)
        await going_on.become(Phase.SPEAKING, "a kilogram", is_final=False)
        assert not await hears(room, 300)
        await going_on.become(Phase.ENDED, "a kilogram of feathers?")
        while room.brain.decoded < 10:
            await settle(1)
        assert await hears(room)
        replies = [event for event in room.peer.events if isinstance(event, ReplyEnded)]
        assert [reply.heard for reply in replies] == [""]


async def test_speech_that_turns_out_to_be_noise_leaves_the_question_as_it_was(
    thinking: Room,
) -> None:
    async with thinking.open():
        await thinking.speak("Which is heavier?")
        cough = await thinking.speak()
        await cough.become(Phase.SPEAKING, "huh", is_final=False)
        await cough.become(Phase.ENDED, "")
        assert thinking.brain.replied[-1][-1].text == "Which is heavier?"
        assert shown(thinking.peer.events) == ["Which is heavier?"]


async def test_what_was_typed_is_joined_for_the_brain_but_stays_on_the_page(
    thinking: Room,
) -> None:
    async with thinking.open():
        thinking.peer.wanted.put_nowait(SayText(text="typed"))
        await settle()
        await say(thinking, "spoken")
        assert thinking.brain.replied[-1][-1].text == "typed spoken"
        assert shown(thinking.peer.events) == ["typed", "spoken"]


@pytest.mark.parametrize("answer", ["Yes.", "No."])
async def test_a_short_answer_as_our_voice_ends_is_never_lost(answer: str) -> None:
    room = Room(ScriptedBrain(SHORT_ANSWER))
    async with room.open():
        for before_the_end in (True, False):
            await room.speak("ask me something")
            assert await hears(room, 200)
            if not before_the_end:
                await room.peer.play(400)
            await say(room, answer, speech_ms=200)
            assert room.said()[-1] == answer
            await room.peer.play(1_000)
            room.now_s += 10


async def test_a_yes_in_the_middle_of_a_long_answer_is_none(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await hears(room)
        await say(room, "Yes.", speech_ms=200)
        assert room.said() == ["first"]
        assert await hears(room)


async def test_our_own_echo_is_no_turn_and_silences_us_only_once(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await hears(room, 1_000)
        echo = await room.speak()
        await echo.become(Phase.SPEAKING, "", speech_ms=300)
        assert not await hears(room)
        await echo.become(Phase.SPEAKING, "Six seven", speech_ms=600, is_final=False)
        assert await hears(room)
        await echo.become(Phase.ENDED, "Six seven eight", speech_ms=600)
        again = await room.speak()
        await again.become(Phase.SPEAKING, "", speech_ms=300)
        assert await hears(room)
        await again.become(Phase.ENDED, "", speech_ms=300)
        assert room.said() == ["first"]


async def test_the_last_words_of_our_echo_are_no_turn() -> None:
    room = Room(ScriptedBrain(SHORT_ANSWER))
    async with room.open():
        await room.speak("ask me something")
        await room.peer.play(1_000)
        room.now_s += 0.2
        await say(room, "or no")
        assert room.said() == ["ask me something"]
        room.now_s += 1
        await say(room, "or no")
        assert room.said() == ["ask me something", "or no"]


async def test_a_television_does_not_cut_a_long_answer(room: Room) -> None:
    async with room.open():
        await say(room, "first", loudness_db=-20)
        assert await hears(room)
        for words in ("and now the weather", "no rain until sunday", "stop the press"):
            television = await room.speak()
            for ms in range(100, 3_000, 100):
                await television.become(
                    Phase.SPEAKING, words, is_final=False, speech_ms=ms, loudness_db=-45
                )
                assert await room.peer.play(40) > 0
            await television.become(Phase.ENDED, words, loudness_db=-45)
        assert room.said() == ["first"]
        await say(room, "thank you so much", loudness_db=-24)
        assert room.said() == ["first", "thank you so much"]


async def test_five_interruptions_in_a_row_and_then_a_whole_answer(room: Room) -> None:
    async with room.open():
        for n in range(5):
            await say(room, f"question number {n}")
            assert await hears(room)
        room.brain.pieces = SHORT_ANSWER
        await say(room, "and the last one")
        await room.peer.play(1_000)
        assert room.said() == [*(f"question number {n}" for n in range(5)), "and the last one"]
        assert room.ended() == [*[ReplyStatus.CANCELLED] * 5, ReplyStatus.COMPLETED]
        assert room.conversation.messages[-1].text == SHORT_ANSWER[0]


async def test_in_the_first_seconds_of_a_session_only_a_stop_word_interrupts(room: Room) -> None:
    async with room.open():
        room.now_s -= 9
        await room.speak("first")
        assert await hears(room)
        await say(room, "one two three four")
        assert room.said() == ["first"]
        await say(room, "stop it")
        assert room.said() == ["first", "stop it"]


async def test_whatever_is_said_with_the_talk_button_down_is_meant(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await hears(room)
        room.peer.wanted.put_nowait(PushToTalk(pressed=True))
        await settle()
        await say(room, "Okay.")
        assert room.said() == ["first", "Okay."]


async def test_speech_right_behind_typed_words_does_not_trip(thinking: Room) -> None:
    async with thinking.open():
        thinking.listener.utterances.put_nowait(ScriptedUtterance(started_at_s=thinking.now_s))
        for text in ("one", "two"):
            thinking.peer.wanted.put_nowait(SayText(text=text))
        await settle()
        assert thinking.brain.replied[-1][-1].text.endswith("two")


async def test_after_long_silence_we_ask_once_whether_anybody_is_there() -> None:
    room = Room(ScriptedBrain(SHORT_ANSWER), prompt_after_s=0.05)
    async with room.open():
        await asyncio.sleep(0.2)
        await room.peer.play(1_000)
        await asyncio.sleep(0.2)
        assert asked(room) == ["Are you still there?"]
        assert room.conversation.messages[-1].text == "Are you still there?"
        assert room.brain.replied == []
        room.now_s += 10
        await room.speak("yes")
        await room.peer.play(1_000)
        assert room.brain.replied[-1][-1].text == "yes"
        for _ in range(2):
            await asyncio.sleep(0.2)
            await room.peer.play(1_000)
        assert asked(room) == ["Are you still there?", *SHORT_ANSWER, "Are you still there?"]


async def test_notice_waits_until_nobody_speaks() -> None:
    notices = asyncio.Queue[str]()

    async def each() -> AsyncIterator[str]:
        while True:
            yield await notices.get()

    room = Room(ScriptedBrain(SHORT_ANSWER), notices=each())
    async with room.open():
        await room.speak("hello")
        notices.put_nowait("Your timer is over: tea.")
        await settle()
        assert asked(room) == []
        await room.peer.play(1_000)
        while len(asked(room)) < 2:
            await asyncio.sleep(0.05)
            await room.peer.play(200)
        assert asked(room) == [*SHORT_ANSWER, "Your timer is over: tea."]


def asked(room: Room) -> list[str]:
    return [event.heard for event in room.peer.events if isinstance(event, ReplyEnded)]


async def test_who_is_being_answered_is_not_asked_whether_they_are_there() -> None:
    room = Room(ScriptedBrain(LONG_ANSWER), prompt_after_s=0.05)
    async with room.open():
        await room.speak("first")
        assert await hears(room)
        await asyncio.sleep(0.2)
        assert room.ended() == []


async def test_our_asking_is_interrupted_like_any_answer() -> None:
    room = Room(ScriptedBrain(SHORT_ANSWER), prompt_after_s=0.05)
    async with room.open():
        await asyncio.sleep(0.2)
        assert await hears(room)
        await say(room, "what time is it")
        assert room.ended() == [ReplyStatus.CANCELLED]
        assert room.said()[-1] == "what time is it"
