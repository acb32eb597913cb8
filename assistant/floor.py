"""Whose turn it is: who speaks over us interrupts, answers, or only listens aloud."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from assistant.barge_in import ECHO_TAIL_MS, Meaning, Moment, meaning
from assistant.config import BargeInConfig
from assistant.conversation import Conversation, answer_id, question_id
from assistant.events import Configure, QuestionReopened, State
from assistant.recitation import Recitation
from assistant.stages import Brain, Peer, Utterance
from assistant.turn import Turn
from assistant.types import Heard, ImageFrame, Phase
from assistant.utterance import ContinuedUtterance, TypedUtterance

logger = logging.getLogger(__name__)


class NewTurn(Protocol):
    def __call__(self, images: tuple[ImageFrame, ...] = ()) -> Turn: ...


_PAUSE_S = 0.5
"""Of silence, before something is said that nobody asked for."""


class Floor:
    """At most one turn at a time has it; the one before is over by then, its engines idle."""

    def __init__(
        self,
        *,
        peer: Peer,
        conversation: Conversation,
        new_turn: NewTurn,
        config: BargeInConfig,
        after_turn: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self._peer = peer
        self._conversation = conversation
        self._new_turn = new_turn
        self._config = config
        self._after_turn = after_turn
        self._clock = clock
        self._started_at_s = clock()
        self._fell_silent_at_s = float("-inf")
        self.turn: Turn | None = None
        """The last one, which may be over."""

        self.is_claimed = False
        """The talk button is down: whatever is said is meant."""

        self._task: asyncio.Task[None] | None = None
        self._utterance: Utterance | None = None
        self._usual_db: float | None = None
        """How loud the person was before the turn of now."""

        self._hears_echo = False
        self._changing = asyncio.Lock()
        """Held while one turn makes way for the next."""

        self._stirred = asyncio.Event()
        """Somebody spoke, or we have just ended."""

        self._spoken_to = asyncio.Event()

    async def hear(self, utterance: Utterance) -> None:
        """Somebody speaks: that is their turn, or it is let go by."""
        if await self._is_taken_by(utterance):
            await self.take(utterance)

    async def take(
        self,
        utterance: Utterance,
        images: tuple[ImageFrame, ...] = (),
        wanted: Configure | None = None,
    ) -> None:
        """Begin a turn. Speech that goes on before anything was answered is one question."""
        self._stirred.set()
        self._spoken_to.set()
        await self._begin(utterance, images, wanted)

    async def prompt_after(self, silence_s: float, words: Callable[[], str]) -> None:
        """Whenever nobody has spoken for so long, say `words` once. Runs until cancelled."""
        while True:
            if await self._is_silent_for(silence_s):
                self._spoken_to.clear()
                await self._begin(TypedUtterance("", self._clock), brain=Recitation(words()))
                await self._spoken_to.wait()

    async def announce(self, words: str) -> None:
        """Say `words` as soon as nobody speaks."""
        while not await self._is_silent_for(_PAUSE_S):
            pass
        await self._begin(TypedUtterance("", self._clock), brain=Recitation(words))

    async def _is_silent_for(self, silence_s: float) -> bool:
        self._stirred.clear()
        try:
            async with asyncio.timeout(silence_s):
                await self._stirred.wait()
        except TimeoutError:
            return self._state is State.LISTENING
        return False

    async def _begin(
        self,
        utterance: Utterance,
        images: tuple[ImageFrame, ...] = (),
        wanted: Configure | None = None,
        brain: Brain | None = None,
    ) -> None:
        async with self._changing:
            unheard = self._unheard_question()
            await self._end_turn()
            self._remember_loudness()
            if unheard is not None and not utterance.heard.is_typed:
                utterance = ContinuedUtterance(unheard, utterance)
                self._reopen_question()
            shown = self._conversation.shown
            self.turn = self._new_turn(images or (() if shown is None else (shown,)))
            self.turn.wanted = wanted or self.turn.wanted
            self.turn.brain = brain or self.turn.brain
            self._utterance = utterance
            self._task = asyncio.create_task(self._run(self.turn, utterance), name="turn")

    async def clear(self, only: str | None = None) -> None:
        """Whatever turn it is, it is over; with `only`, if its answer is that item."""
        async with self._changing:
            if self.turn is not None and only in (None, answer_id(self.turn.turn_id)):
                await self._end_turn()

    async def _is_taken_by(self, utterance: Utterance) -> bool:
        heard = utterance.heard
        silent_ms = 1_000 * (heard.started_at_s - self._fell_silent_at_s)
        if self._state is State.LISTENING and silent_ms > ECHO_TAIL_MS:
            return True
        async for heard in utterance.follow():
            if self.is_claimed:
                return True
            assert self.turn is not None
            match meaning(heard, self._moment(heard), self._config):
                case Meaning.TURN:
                    return True
                case Meaning.UNCLEAR:
                    self.turn.pause()
                case Meaning.ECHO:
                    self._hears_echo = True
                    self.turn.resume()
                case Meaning.NOTHING:
                    self.turn.resume()
        return False

    @property
    def _state(self) -> State:
        if self.turn is None or self._task is None or self._task.done():
            return State.LISTENING
        return State.SPEAKING if self.turn.is_audible else State.THINKING

    def _moment(self, heard: Heard) -> Moment:
        assert self.turn is not None
        self._remember_loudness()
        now_s = self._clock()
        return Moment(
            state=self._state,
            said=self.turn.said,
            ends_in_ms=self.turn.ends_in_ms,
            hears_echo=self._hears_echo,
            usual_db=self._usual_db,
            speech_age_ms=1_000 * (now_s - heard.started_at_s),
            session_age_ms=1_000 * (now_s - self._started_at_s),
        )

    def _remember_loudness(self) -> None:
        """Of what was understood last: noise tells nothing about the person."""
        if self._utterance is None or not self._utterance.heard.transcript.text:
            return
        if self._utterance.heard.loudness_db is not None:
            self._usual_db = self._utterance.heard.loudness_db

    def _unheard_question(self) -> Heard | None:
        """What was said in the turn of now, where nothing of its answer has been heard yet."""
        if self._state is not State.THINKING or self._utterance is None:
            return None
        heard = self._utterance.heard
        is_question = heard.phase is Phase.ENDED and heard.transcript.text and not heard.is_typed
        return heard if is_question else None

    def _reopen_question(self) -> None:
        assert self.turn is not None
        self._conversation.remove(question_id(self.turn.turn_id))
        self._peer.send(QuestionReopened(turn_id=self.turn.turn_id))

    async def _run(self, turn: Turn, utterance: Utterance) -> None:
        try:
            await turn.take(utterance)
        except Exception:
            logger.exception("%s failed; the session goes on", turn.turn_id)
        finally:
            self._stirred.set()
            if turn.said:
                self._fell_silent_at_s = self._clock()
            self._after_turn()

    async def _end_turn(self) -> None:
        """Silence first: engines may need some milliseconds to stop."""
        if self.turn is None or self._task is None:
            return
        if not self._task.done():
            self.turn.hush()
            self._task.cancel()
        await asyncio.wait([self._task])
