"""Whose turn it is: speech, typed words, barge-in, and the end of a session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from assistant.app import Sessions
from assistant.config import BargeInConfig, BudgetConfig, VoiceConfig
from assistant.conversation import Conversation
from assistant.events import (
    Configure,
    Mute,
    PushToTalk,
    ReplyEnded,
    ReplyStatus,
    SayText,
    StopTalking,
    TurnDetection,
    UserSaid,
)
from assistant.fallback import FallbackPolicy
from assistant.session import Session
from assistant.turn import Turn
from assistant.types import AudioFrame, ImageFrame, Pcm, Phase
from tests.fakes import (
    ScriptedBrain,
    ScriptedEyes,
    ScriptedPeer,
    ScriptedUtterance,
    ScriptedVoice,
    picture,
    settle,
)

LONG_ANSWER = ["One two three four five.", " Six seven eight nine ten."] * 20


class ScriptedListener:
    def __init__(self) -> None:
        self.utterances: asyncio.Queue[ScriptedUtterance | None] = asyncio.Queue()
        self.switches: list[object] = []

    @asynccontextmanager
    async def listening(
        self, microphone: AsyncIterator[AudioFrame]
    ) -> AsyncGenerator[AsyncIterator[ScriptedUtterance]]:
        async def read() -> AsyncIterator[ScriptedUtterance]:
            while (utterance := await self.utterances.get()) is not None:
                yield utterance

        yield read()

    def mute(self, muted: bool) -> None:
        self.switches.append(("mute", muted))

    def push_to_talk(self, pressed: bool) -> None:
        self.switches.append(("talk", pressed))

    def detect_turns(self, wanted: TurnDetection) -> None:
        self.switches.append(wanted)

    def forget(self) -> None:
        self.switches.append("forget")

    async def write_down(self, samples: Pcm) -> str:
        return ""


class Room:
    """A session with everything around it scripted."""

    def __init__(self, brain: ScriptedBrain) -> None:
        self.brain = brain
        self.peer = ScriptedPeer()
        self.listener = ScriptedListener()
        self.conversation = Conversation(system_prompt="Be brief.", max_tokens=1_000)
        self.fallback = FallbackPolicy()
        self.now_s = 100.0
        self.turns: list[Turn] = []
        numbers = count(1)

        def new_turn(images: tuple[ImageFrame, ...] = ()) -> Turn:
            self.turns.append(
                Turn(
                    turn_id=f"turn_{next(numbers)}",
                    peer=self.peer,
                    brain=brain,
                    voice=ScriptedVoice(),
                    eyes=ScriptedEyes(),
                    conversation=self.conversation,
                    fallback=self.fallback,
                    phrasing=VoiceConfig(),
                    budget=BudgetConfig(),
                    session_id="session",
                    session_started_at_s=0.0,
                    record=lambda _: None,
                    images=images,
                )
            )
            return self.turns[-1]

        self.session = Session(
            peer=self.peer,
            listener=self.listener,
            conversation=self.conversation,
            fallback=self.fallback,
            new_turn=new_turn,
            barge_in=BargeInConfig(),
            clock=lambda: self.now_s,
        )

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        task = asyncio.create_task(self.session.run())
        await settle()
        self.now_s += 10
        yield
        self.listener.utterances.put_nowait(None)
        await asyncio.wait_for(task, 5)
        assert self.brain.busy == 0

    async def speak(self, text: str | None = None) -> ScriptedUtterance:
        """Somebody begins to speak; with `text` they say that and have finished."""
        utterance = ScriptedUtterance(started_at_s=self.now_s)
        self.listener.utterances.put_nowait(utterance)
        await settle()
        if text is not None:
            await utterance.become(Phase.ENDED, text)
        return utterance

    def said(self) -> list[str]:
        return [event.text for event in self.peer.events if isinstance(event, UserSaid)]

    def ended(self) -> list[ReplyStatus]:
        return [event.status for event in self.peer.events if isinstance(event, ReplyEnded)]


@pytest.fixture
def room() -> Room:
    return Room(ScriptedBrain(LONG_ANSWER))


async def test_new_speech_barges_into_the_running_turn(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        assert await room.peer.play(100) > 0
        barging = await room.speak()
        await barging.become(Phase.SPEAKING, "no wait", is_final=False)
        assert await room.peer.play(60) <= 1_000
        assert await room.peer.play(100) == 0
        await barging.become(Phase.ENDED, "no wait the other one")
        assert room.said() == ["first", "no wait the other one"]
        assert room.ended() == [ReplyStatus.CANCELLED]


async def test_a_cough_pauses_the_voice_and_lets_it_go_on(room: Room) -> None:
    async with room.open():
        await room.speak("first")
        await room.peer.play(100)
        cough = await room.speak()
        await cough.become(Phase.SPEAKING, "", speech_ms=250)
        await room.peer.play(20)
        assert await room.peer.play(100) == 0
        await cough.become(Phase.ENDED, "", speech_ms=250)
        assert await room.peer.play(100) > 0
        assert room.ended() == []


async def test_speech_while_it_still_thinks_takes_over_and_the_words_are_joined() -> None:
    room = Room(ScriptedBrain(LONG_ANSWER, token_s=60))
    async with room.open():
        await room.speak("I want to")
        await room.speak("go home")
        assert room.said() == ["I want to", "go home"]
        assert room.brain.replied[-1][-1].text == "I want to go home"


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
        ):
            room.peer.wanted.put_nowait(command)
        await settle()
        assert room.listener.switches == [("mute", True), ("talk", True)]
        assert room.conversation.system_prompt == "Rhyme."
        assert not room.fallback.plan.speak
        assert room.fallback.plan.max_reply_tokens == 7


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


def test_sessions_are_counted_whatever_ends_them() -> None:
    sessions = Sessions()
    seen = list[int]()

    def fail() -> None:
        with sessions.one_more():
            seen.append(sessions.n)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert (seen, sessions.n) == ([1], 0)
