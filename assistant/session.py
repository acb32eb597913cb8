"""One person, one conversation: what they say, do and want. Read this file second."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from assistant.config import BargeInConfig
from assistant.conversation import Conversation, Item
from assistant.errors import RecognizerError, StageError
from assistant.events import (
    AddItem,
    Configure,
    ForgetSpeech,
    HeardReply,
    ItemRetrieved,
    ItemTranscribed,
    ItemTruncated,
    Mute,
    PushToTalk,
    RemoveItem,
    Restore,
    RetrieveItem,
    SayText,
    StopTalking,
    TruncateItem,
)
from assistant.fallback import FallbackPolicy
from assistant.floor import Floor, NewTurn
from assistant.stages import Listener, Peer
from assistant.types import Prompt
from assistant.utterance import TypedUtterance
from assistant.words import spliced

logger = logging.getLogger(__name__)

_RATE_HZ = 16_000


class Session:
    """Hands what is said to the floor, and does what the person wants meanwhile."""

    def __init__(
        self,
        *,
        peer: Peer,
        listener: Listener,
        conversation: Conversation,
        fallback: FallbackPolicy,
        new_turn: NewTurn,
        read_ahead: Callable[[Prompt], Awaitable[None]],
        barge_in: BargeInConfig,
        prompt_after_s: float = 0.0,
        notices: AsyncIterator[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._peer = peer
        self._listener = listener
        self._conversation = conversation
        self._fallback = fallback
        self._read_ahead = read_ahead
        self._prompt_after_s = prompt_after_s
        self._notices = notices
        self._clock = clock
        self._floor = Floor(
            peer=peer,
            conversation=conversation,
            new_turn=new_turn,
            config=barge_in,
            after_turn=self._read_what_stands,
            clock=clock,
        )
        self._tasks: asyncio.TaskGroup
        self._reading: asyncio.Task[None] | None = None
        self._is_over = False

    async def run(self) -> None:
        """Converse until the peer is gone; by then nothing of the session runs any more."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                background = [self._tasks.create_task(self._obey(), name="commands")]
                if self._prompt_after_s:
                    prompting = self._floor.prompt_after(
                        self._prompt_after_s, lambda: self._fallback.prompt
                    )
                    background.append(self._tasks.create_task(prompting, name="prompting"))
                if self._notices:
                    announcing = self._announce(self._notices)
                    background.append(self._tasks.create_task(announcing, name="announcing"))
                if self._conversation.own_tools:
                    self._read_what_stands()  # the engine knows the settings' prompt only
                try:
                    async with self._listener.listening(self._peer.microphone()) as utterances:
                        async for utterance in utterances:
                            await self._floor.hear(utterance)
                finally:
                    self._is_over = True
                    self._stop_reading()
                    for task in background:
                        task.cancel()
        finally:
            await self._floor.clear()

    async def _announce(self, notices: AsyncIterator[str]) -> None:
        async for words in notices:
            await self._floor.announce(words)

    async def _obey(self) -> None:
        async for command in self._peer.commands():
            match command:
                case SayText(text=text, images=images, wanted=wanted):
                    await self._floor.take(TypedUtterance(text, self._clock), images, wanted)
                case StopTalking():
                    await self._floor.clear()
                case Mute(muted=muted):
                    self._listener.mute(muted)
                case PushToTalk(pressed=pressed):
                    self._floor.is_claimed = pressed
                    self._listener.push_to_talk(pressed)
                case HeardReply():
                    if self._floor.turn is not None:
                        self._floor.turn.heard_by_listener(command)
                case Configure():
                    self._configure(command)
                case ForgetSpeech():
                    self._listener.forget()
                case AddItem():
                    await self._add(command)
                case Restore(lines=lines):
                    self._conversation.restore(
                        Item(item_id=line.item_id, role=line.role, text=line.text) for line in lines
                    )
                    self._read_what_stands()
                case RemoveItem(item_id=item_id):
                    await self._floor.clear(only=item_id)
                    self._conversation.remove(item_id)
                case RetrieveItem(item_id=item_id):
                    self._peer.send(ItemRetrieved(item_id=item_id))
                case TruncateItem(item_id=item_id, heard_ms=heard_ms):
                    await self._floor.clear(only=item_id)
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
        if wanted.system_prompt is not None or wanted.tools is not None:
            self._read_what_stands()

    def _read_what_stands(self) -> None:
        """Have it read before somebody waits for it: new instructions, and the turns so far where
        the oldest are to be left out.
        """
        self._stop_reading()
        if not self._is_over:
            self._reading = self._tasks.create_task(self._read(), name="reading")

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self) -> None:
        """What stands is kept as it is until the shorter one has been read beside it."""
        turn = self._floor.turn
        try:
            await self._read_ahead(self._conversation.asking("", turn_id="").prompt)
            shorter = self._conversation.shortened(self._fallback.plan.history_share)
            if shorter is not None:
                await self._read_ahead(shorter.prompt)
                if self._floor.turn is turn:
                    self._conversation.adopt(shorter)
        except StageError as error:
            logger.warning("the conversation was not read ahead: %s", error)
        except Exception:
            logger.exception("reading ahead failed; the session goes on")

    async def _add(self, wanted: AddItem) -> None:
        words = await self._words_of(wanted)
        self._conversation.shown = wanted.image or self._conversation.shown
        self._conversation.add(
            Item(
                item_id=wanted.item_id,
                role=wanted.role,
                text=spliced(wanted.text, words),
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
