"""What a person says, does and wants reaches its place, and the end of a session."""

from __future__ import annotations

import asyncio

import pytest

from assistant.errors import TooLongError
from assistant.events import (
    AddItem,
    Configure,
    Mute,
    PushToTalk,
    Restore,
    SayText,
    StopTalking,
)
from assistant.types import Role
from tests.fakes import ScriptedBrain, picture, settle
from tests.room import LONG_ANSWER, Room


@pytest.fixture
def room() -> Room:
    return Room(ScriptedBrain(LONG_ANSWER))


async def test_typed_words_are_a_turn_and_interrupt(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        await room.peer.play(100)
        room.peer.wanted.put_nowait(SayText(text="typed", images=(picture(),)))
        await settle()
        assert room.said() == ["first", "typed"]
        assert room.brain.replied[-1][-1].image is not None


async def test_stop_ends_the_reply_and_nothing_else(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        await room.peer.play(100)
        room.peer.wanted.put_nowait(StopTalking())
        await settle()
        await room.peer.play(20)
        assert await room.peer.play(100) == 0
        await room.speak("second")
        assert await room.peer.play(100) > 0


async def test_switches_and_settings_reach_their_place(room: Room) -> None:
    async with room.open():
        for command in (
            Mute(muted=True),
            PushToTalk(pressed=True),
            Configure(system_prompt="Rhyme.", speak=False, max_reply_tokens=7),
            Configure(voice="huayan", speed=1.5),
        ):
            room.peer.wanted.put_nowait(command)
        await settle()
        assert room.listener.switches == [("mute", True), ("talk", True)]
        assert room.conversation.system_prompt == "Rhyme."
        assert not room.fallback.plan.speak
        assert room.fallback.plan.max_reply_tokens == 7
        assert (room.fallback.plan.voice, room.fallback.plan.speed) == ("huayan", 1.5)


async def test_what_stands_is_read_when_a_turn_is_over(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        await room.peer.play(20_000)
        await settle()
        texts = [message.text for message in room.brain.prefilled[-1]]
        assert texts[1] == "first"
        assert texts[2] == room.conversation.messages[-1].text
        assert texts[3:] == [""]


async def test_the_oldest_turns_go_once_the_rest_has_been_read() -> None:
    room = Room(ScriptedBrain(["Yes."]))
    room.conversation.max_tokens = 150
    async with room.open():
        for n in range(8):
            await room.speak(f"question {n}")
            await room.peer.play(20_000)
            await settle()
            standing = room.conversation.messages
            assert room.brain.prefilled[-1][1:-1] == standing
    assert 0 < len(standing) < 16


async def test_nothing_goes_while_the_next_question_is_asked() -> None:
    room = Room(ScriptedBrain(["Yes."]))
    room.conversation.max_tokens = 150
    async with room.open():
        n = 0
        while room.conversation.shortened() is None:
            await room.speak(f"question {n}")
            room.read_ahead.clear()
            await room.peer.play(20_000)
            n += 1
        standing = room.conversation.messages
        await room.speak("and then")
        room.read_ahead.set()
        await settle()
        assert room.brain.replied[-1][1:-1] == standing


async def test_what_was_said_earlier_is_read_before_anybody_asks(room: Room) -> None:
    async with room.open():
        lines = (
            AddItem(item_id="earlier_0", role=Role.USER, text="My name is Anna."),
            AddItem(item_id="earlier_1", role=Role.ASSISTANT, text="Hello, Anna."),
        )
        room.peer.wanted.put_nowait(Restore(lines=lines))
        await settle()
        texts = ["Be brief.", "My name is Anna.", "Hello, Anna.", ""]
        assert [message.text for message in room.brain.prefilled[-1]] == texts


async def test_a_brain_that_found_it_too_long_is_asked_less() -> None:
    room = Room(ScriptedBrain())
    room.brain.fails_with = TooLongError("too long")
    async with room.open():
        for n in range(4):
            await room.speak(f"question {n} " + "and so on " * 40)
            await room.peer.play(3_000)
    lengths = [sum(len(m.text) for m in prompt) for prompt in room.brain.replied]
    assert lengths[-1] < max(lengths)


async def test_a_bug_in_a_turn_costs_that_turn_only(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    async with room.open():
        room.conversation.max_tokens = None  # type: ignore[assignment]
        await room.speak("first")
        assert "turn_1 failed" in caplog.text
        room.conversation.max_tokens = 1_000
        await room.speak("second")
        assert await room.peer.play(100) > 0


async def test_a_session_that_is_cancelled_leaves_nothing_running(room: Room) -> None:
    task = asyncio.create_task(room.session.run())
    await settle()
    await room.speak("first")
    await room.peer.play(100)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert room.brain.busy == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}
