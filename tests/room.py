"""A session with everything around it scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

from assistant.config import BargeInConfig, BudgetConfig, VoiceConfig
from assistant.conversation import Conversation
from assistant.events import ReplyEnded, ReplyStatus, TurnDetection, UserSaid
from assistant.fallback import FallbackPolicy
from assistant.session import Session
from assistant.stages import Listener, Voice
from assistant.timeline import TurnTimeline
from assistant.turn import Turn
from assistant.types import AudioFrame, ImageFrame, Pcm, Phase, Prompt
from tests.fakes import (
    ScriptedBrain,
    ScriptedEyes,
    ScriptedPeer,
    ScriptedUtterance,
    ScriptedVoice,
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
    """`now_s` is the time: it passes as the test wants."""

    def __init__(
        self,
        brain: ScriptedBrain,
        *,
        voice: Voice | None = None,
        listener: Listener | None = None,
        phrasing: VoiceConfig | None = None,
        prompt_after_s: float = 0.0,
        notices: AsyncIterator[str] | None = None,
    ) -> None:
        self.brain = brain
        self.peer = ScriptedPeer()
        self.listener = ScriptedListener()
        self.conversation = Conversation(system_prompt="Be brief.", max_tokens=1_000)
        self.fallback = FallbackPolicy()
        self.now_s = 100.0
        self.read_ahead = asyncio.Event()
        """Set while the brain has time."""

        self.read_ahead.set()
        self.turns: list[Turn] = []
        numbers = count(1)

        def new_turn(images: tuple[ImageFrame, ...] = ()) -> Turn:
            self.turns.append(
                Turn(
                    turn_id=f"turn_{next(numbers)}",
                    peer=self.peer,
                    brain=brain,
                    voice=voice or ScriptedVoice(),
                    eyes=ScriptedEyes(),
                    conversation=self.conversation,
                    fallback=self.fallback,
                    phrasing=phrasing or VoiceConfig(),
                    budget=BudgetConfig(),
                    session_id="session",
                    session_started_at_s=self.now_s,
                    timeline=TurnTimeline(clock=lambda: self.now_s),
                    record=lambda _: None,
                    images=images,
                )
            )
            return self.turns[-1]

        self.session = Session(
            peer=self.peer,
            listener=listener or self.listener,
            conversation=self.conversation,
            fallback=self.fallback,
            new_turn=new_turn,
            read_ahead=self._read_ahead,
            barge_in=BargeInConfig(),
            prompt_after_s=prompt_after_s,
            notices=notices,
            clock=lambda: self.now_s,
        )

    async def _read_ahead(self, prompt: Prompt) -> None:
        await self.read_ahead.wait()
        await self.brain.prefill(prompt)

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
        utterance.clock = lambda: self.now_s
        self.listener.utterances.put_nowait(utterance)
        await settle()
        if text is not None:
            await utterance.become(Phase.ENDED, text)
        return utterance

    def said(self) -> list[str]:
        return [event.text for event in self.peer.events if isinstance(event, UserSaid)]

    def ended(self) -> list[ReplyStatus]:
        return [event.status for event in self.peer.events if isinstance(event, ReplyEnded)]
