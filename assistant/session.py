"""One person, one conversation: whose turn it is. Read this file second."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from assistant.barge_in import is_interruption
from assistant.config import BargeInConfig
from assistant.conversation import Conversation, Item, answer_id
from assistant.errors import RecognizerError
from assistant.events import (
    AddItem,
    Configure,
    ForgetSpeech,
    HeardReply,
    ItemTranscribed,
    ItemTruncated,
    Mute,
    PushToTalk,
    RemoveItem,
    SayText,
    StopTalking,
    TruncateItem,
)
from assistant.fallback import FallbackPolicy
from assistant.stages import Listener, Peer, Utterance
from assistant.turn import Turn
from assistant.types import Heard, ImageFrame, Phase, Transcript

logger = logging.getLogger(__name__)

_RATE_HZ = 16_000


class NewTurn(Protocol):
    def __call__(self, images: tuple[ImageFrame, ...] = ()) -> Turn: ...


class TypedUtterance:
    """Words that were typed: an utterance that has ended already."""

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.heard = Heard(
            phase=Phase.ENDED,
            transcript=Transcript(committed=text, is_final=True),
            started_at_s=clock(),
            is_typed=True,
        )

    async def follow(self) -> AsyncIterator[Heard]:
        yield self.heard


class Session:
    """Starts a turn when the person starts to speak; a turn already running is barged into."""

    def __init__(
        self,
        *,
        peer: Peer,
        listener: Listener,
        conversation: Conversation,
        fallback: FallbackPolicy,
        new_turn: NewTurn,
        barge_in: BargeInConfig,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._peer = peer
        self._listener = listener
        self._conversation = conversation
        self._fallback = fallback
        self._new_turn = new_turn
        self._barge_in = barge_in
        self._clock = clock
        self._started_at_s = clock()
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._floor = asyncio.Lock()
        """Held while one turn makes way for the next."""

    async def run(self) -> None:
        """Converse until the peer is gone; by then nothing of the session runs any more."""
        try:
            async with asyncio.TaskGroup() as tasks:
                obeying = tasks.create_task(self._obey(), name="commands")
                async with self._listener.listening(self._peer.microphone()) as utterances:
                    async for utterance in utterances:
                        if await self._takes_the_floor(utterance):
                            await self._begin_turn(utterance)
                obeying.cancel()
        finally:
            await self._end_turn()

    async def _obey(self) -> None:
        async for command in self._peer.commands():
            match command:
                case SayText(text=text, images=images, wanted=wanted):
                    await self._begin_turn(TypedUtterance(text, self._clock), images, wanted)
                case StopTalking():
                    async with self._floor:
                        await self._end_turn()
                case Mute(muted=muted):
                    self._listener.mute(muted)
                case PushToTalk(pressed=pressed):
                    self._listener.push_to_talk(pressed)
                case HeardReply(at_s=at_s):
                    if self._turn is not None:
                        self._turn.heard_by_listener(at_s)
                case Configure():
                    self._configure(command)
                case ForgetSpeech():
                    self._listener.forget()
                case AddItem():
                    await self._add(command)
                case RemoveItem(item_id=item_id):
                    await self._end_turn_of(item_id)
                    self._conversation.remove(item_id)
                case TruncateItem(item_id=item_id, heard_ms=heard_ms):
                    await self._end_turn_of(item_id)
                    heard = self._conversation.truncate(item_id, heard_ms)
                    self._peer.send(ItemTruncated(item_id=item_id, heard_ms=heard_ms, heard=heard))

    def _configure(self, wanted: Configure) -> None:
        """From the next turn on."""
        if wanted.system_prompt is not None:
            self._conversation.system_prompt = wanted.system_prompt
        self._fallback.configure(
            speak=wanted.speak,
            max_reply_tokens=wanted.max_reply_tokens,
            voice=wanted.voice,
            speed=wanted.speed,
        )

        if wanted.tools is not None:
            self._conversation.tools = wanted.tools
        if wanted.turn_detection is not None:
            self._listener.detect_turns(wanted.turn_detection)

    async def _add(self, wanted: AddItem) -> None:
        words = await self._words_of(wanted)
        self._conversation.shown = wanted.image or self._conversation.shown
        self._conversation.add(
            Item(
                item_id=wanted.item_id,
                role=wanted.role,
                text=" ".join(part for part in (wanted.text, words) if part),
            ),
            after_id=wanted.after_id,
        )

    async def _words_of(self, wanted: AddItem) -> str:
        """What is said in the recording that is to be added; "" where there is none."""
        if wanted.sound is None:
            return ""
        text, failure = "", None
        try:
            text = await self._listener.write_down(wanted.sound)
        except RecognizerError as error:
            logger.warning("no transcript: %s", error)
            failure = str(error)
        self._peer.send(
            ItemTranscribed(
                item_id=wanted.item_id,
                text=text,
                speech_ms=1_000 * len(wanted.sound) / _RATE_HZ,
                failure=failure,
            )
        )
        return text

    async def _takes_the_floor(self, utterance: Utterance) -> bool:
        """Whether `utterance` begins a turn. Over our own voice it has to mean it."""
        speaking = self._turn
        if speaking is None or not self._is_speaking():
            return True
        async for heard in utterance.follow():
            if not self._is_speaking():
                break
            meant = is_interruption(
                heard,
                self._barge_in,
                session_age_ms=1_000 * (self._clock() - self._started_at_s),
            )
            if meant is not None:
                if not meant:
                    speaking.resume()
                return meant
            age_ms = 1_000 * (self._clock() - heard.started_at_s)
            if age_ms > self._barge_in.resume_after_ms and not heard.transcript.text:
                speaking.resume()
            elif heard.speech_ms >= self._barge_in.pause_after_ms:
                speaking.pause()
        return True

    def _is_speaking(self) -> bool:
        return (
            self._turn is not None
            and self._task is not None
            and not self._task.done()
            and self._turn.is_audible
        )

    async def _begin_turn(
        self,
        utterance: Utterance,
        images: tuple[ImageFrame, ...] = (),
        wanted: Configure | None = None,
    ) -> None:
        async with self._floor:
            await self._end_turn()
            shown = self._conversation.shown
            self._turn = self._new_turn(images or (() if shown is None else (shown,)))
            self._turn.wanted = wanted or self._turn.wanted
            self._task = asyncio.create_task(self._take(self._turn, utterance), name="turn")

    async def _take(self, turn: Turn, utterance: Utterance) -> None:
        try:
            await turn.take(utterance)
        except Exception:
            logger.exception("%s failed; the session goes on", turn.turn_id)

    async def _end_turn_of(self, item_id: str) -> None:
        """Where `item_id` is the answer that is being given, it is over."""
        async with self._floor:
            if self._turn is not None and answer_id(self._turn.turn_id) == item_id:
                await self._end_turn()

    async def _end_turn(self) -> None:
        """Silence first: engines may need some milliseconds to stop."""
        if self._turn is None or self._task is None:
            return
        if not self._task.done():
            self._turn.hush()
            self._task.cancel()
        await asyncio.wait([self._task])
