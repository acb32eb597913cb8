"""What a client adds to the conversation, takes away from it, and has answered."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.conversation import answer_id
from assistant.errors import RecognizerError
from assistant.events import (
    AddItem,
    Command,
    Configure,
    ForgetSpeech,
    ItemRetrieved,
    ItemTranscribed,
    ItemTruncated,
    RemoveItem,
    ReplyEnded,
    ReplyStatus,
    RetrieveItem,
    SayText,
    TruncateItem,
    TurnDetection,
)
from assistant.tools import Tool
from assistant.types import Pcm, Role
from tests.fakes import ScriptedBrain, picture, settle
from tests.room import LONG_ANSWER, Room

ANSWER_NOW = SayText()
SECOND = np.zeros(16_000, np.int16)
LIGHT = Tool(name="light", description="Turns it on.", parameters="{}")


@pytest.fixture
def room() -> Room:
    return Room(ScriptedBrain(LONG_ANSWER))


async def order(room: Room, *commands: Command) -> None:
    for command in commands:
        room.peer.wanted.put_nowait(command)
    await settle()


def words_written_down(room: Room, text: str | RecognizerError) -> None:
    async def write_down(samples: Pcm) -> str:
        if isinstance(text, RecognizerError):
            raise text
        return text

    room.listener.write_down = write_down  # type: ignore[method-assign]


async def test_items_are_answered_when_the_client_wants_it(room: Room) -> None:
    async with room.open():
        await order(
            room,
            AddItem(item_id="a", role=Role.USER, text="What is"),
            AddItem(item_id="b", role=Role.USER, text="this?"),
        )
        assert room.brain.replied == []
        await order(room, ANSWER_NOW)
        assert room.brain.replied[-1][-1].text == "What is this?"
        assert await room.peer.play(100) > 0


async def test_a_recording_is_written_down_first(room: Room) -> None:
    words_written_down(room, "What is this?")
    async with room.open():
        spoken = AddItem(item_id="a", role=Role.USER, text="Well:", sound=SECOND)
        await order(room, spoken, ANSWER_NOW)
        [heard] = room.peer.told(ItemTranscribed)
        assert heard == ItemTranscribed(item_id="a", text="What is this?", speech_ms=1_000)
        assert room.brain.replied[-1][-1].text == "Well: What is this?"


async def test_a_recording_that_cannot_be_written_down_says_so(room: Room) -> None:
    words_written_down(room, RecognizerError("No ears."))
    async with room.open():
        await order(room, AddItem(item_id="a", role=Role.USER, sound=SECOND))
        [failed] = room.peer.told(ItemTranscribed)
        assert isinstance(failed, ItemTranscribed)
        assert failed.failure == "No ears."


async def test_a_picture_is_seen_by_the_next_turn_and_no_other(room: Room) -> None:
    async with room.open():
        await order(room, AddItem(item_id="a", role=Role.USER, image=picture()))
        await room.speak("what is this?")
        await order(room, ANSWER_NOW)
        assert [turn.images != () for turn in room.turns] == [True, False]


async def test_an_answer_is_cut_to_what_was_heard_and_ends_if_it_goes_on(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        await room.peer.play(900)
        answer = answer_id(room.turns[0].turn_id)
        await order(room, TruncateItem(item_id=answer, heard_ms=500))
        [ended] = room.peer.told(ReplyEnded)
        assert isinstance(ended, ReplyEnded)
        assert ended.status is ReplyStatus.CANCELLED
        [cut] = room.peer.told(ItemTruncated)
        assert isinstance(cut, ItemTruncated)
        assert ended.heard.startswith(cut.heard)
        assert 0 < len(cut.heard) < len(ended.heard)
        assert room.conversation.messages[-1].text == cut.heard


async def test_an_item_is_retrieved_after_what_was_wanted_before(room: Room) -> None:
    words_written_down(room, "What is this?")
    async with room.open():
        spoken = AddItem(item_id="a", role=Role.USER, sound=SECOND)
        await order(room, spoken, RetrieveItem(item_id="a"))
        assert room.peer.events[-2:] == [
            ItemTranscribed(item_id="a", text="What is this?", speech_ms=1_000),
            ItemRetrieved(item_id="a"),
        ]


async def test_what_is_removed_is_not_told_again(room: Room) -> None:
    async with room.open():
        await order(
            room,
            AddItem(item_id="a", role=Role.USER, text="My name is Anna."),
            RemoveItem(item_id="a"),
            AddItem(item_id="b", role=Role.USER, text="Who am I?"),
            ANSWER_NOW,
        )
        assert room.brain.replied[-1][-1].text == "Who am I?"


async def test_one_answer_may_be_wanted_otherwise(room: Room) -> None:
    async with room.open():
        wanted = Configure(system_prompt="Rhyme.", speak=False, max_reply_tokens=3)
        await order(room, SayText(wanted=wanted))
        await room.peer.play(100)
        assert room.brain.replied[-1][0].text == "Rhyme."
        assert room.brain.decoded == 3
        await order(room, ANSWER_NOW)
        assert room.brain.replied[-1][0].text == "Be brief."


async def test_new_instructions_are_read_before_anybody_waits_for_them(room: Room) -> None:
    async with room.open():
        await order(room, Configure(system_prompt="Rhyme.", tools=(LIGHT,)))
        [read] = room.brain.prefilled
        assert read[0].text.startswith("Rhyme.\n\n# Tools")


async def test_a_call_is_handed_to_the_client_and_not_spoken() -> None:
    brain = ScriptedBrain(['{"name": "light", ', '"arguments": {"on": true}}'])
    room = Room(brain)
    async with room.open():
        await order(room, Configure(tools=(LIGHT,)), SayText(text="light, please"))
        assert await room.peer.play(100) == 0
        [ended] = room.peer.told(ReplyEnded)
        assert isinstance(ended, ReplyEnded)
        assert [(call.name, call.arguments) for call in ended.calls] == [("light", '{"on": true}')]
        assert ended.heard == ""
        assert room.conversation.messages[-1].role is Role.ASSISTANT


async def test_how_turns_are_told_apart_reaches_the_listener(room: Room) -> None:
    wanted = TurnDetection(silence_ms=500)
    async with room.open():
        await order(room, Configure(turn_detection=wanted), ForgetSpeech())
        assert room.listener.switches == [wanted, "forget"]
