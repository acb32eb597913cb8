"""One turn, from the person's first word to the assistant's last. Read this file first.

    hear    follow the utterance; let the brain read along
    think   at the first short pause, begin the reply behind a closed gate
    say     when the end of the turn is certain, open the gate

Speech that goes on throws the reply away that was begun: it costs some computing, never a wrong
word. Cancelling the task that runs `take` is the barge-in: by the time it ends every stage is idle,
the speaker silent, and the conversation holds what the person heard.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from assistant.config import VoiceConfig
from assistant.conversation import Conversation
from assistant.errors import EyesError, RecognizerError, StageError, VoiceError
from assistant.events import (
    Degraded,
    Hearing,
    ReplyEnded,
    ReplyStarted,
    ReplyStatus,
    ReplyWords,
    SceneSeen,
    SpeechStarted,
    SpeechStopped,
    State,
    StateChanged,
    TimelineReady,
    UserSaid,
)
from assistant.fallback import FallbackPolicy, Plan
from assistant.phrases import phrases
from assistant.stages import Brain, Eyes, Peer, Speaker, Utterance, Voice
from assistant.timeline import Mark, TurnTimeline
from assistant.types import Heard, ImageFrame, Phase, Prompt, ReplyPiece, Scene, Transcript

logger = logging.getLogger(__name__)


class Ahead:
    """The one piece of work that is begun before it is certain, and may be thrown away."""

    def __init__(self) -> None:
        self._of: str | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Ahead:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.discard()

    async def begin(self, of: str, work: Coroutine[Any, Any, None]) -> None:
        """Begin `work`, which follows from `of`; what was begun before is stopped first."""
        try:
            await self.discard()
        except BaseException:
            work.close()
            raise
        self._of, self._task = of, asyncio.create_task(work, name="ahead")

    def is_of(self, what: str) -> bool:
        return self._of == what

    async def finish(self) -> None:
        """Wait for the work. Raises what it raised."""
        if self._task is not None:
            await self._task

    async def discard(self) -> None:
        """Return when the work has stopped; what it raises no longer matters."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            if not self._task.cancelled() and (error := self._task.exception()):
                logger.debug("discarded work had failed", exc_info=error)
        self._of = self._task = None


_READING_ALONG = "the words so far"


@dataclass(slots=True, kw_only=True)
class Turn:
    """Hear the person out, think, and speak the answer."""

    turn_id: str
    peer: Peer
    brain: Brain
    voice: Voice
    eyes: Eyes
    conversation: Conversation
    fallback: FallbackPolicy
    phrasing: VoiceConfig
    session_started_at_s: float
    timeline: TurnTimeline = field(default_factory=TurnTimeline)
    images: tuple[ImageFrame, ...] = ()
    """Pictures that the person handed over with typed words."""

    _plan: Plan = field(init=False)
    _scene: asyncio.Task[Scene | None] = field(init=False)
    _speaker: Speaker = field(init=False)
    _asked: Prompt = field(init=False, default=())
    _shown: Transcript | None = field(init=False, default=None)

    async def take(self, utterance: Utterance) -> None:
        self._plan = self.fallback.plan
        self._speaker = self.peer.new_speaker(self._on_phrase)
        self.timeline.mark(Mark.SPEECH_STARTED, utterance.heard.started_at_s)
        self._scene = asyncio.create_task(self._look(), name="look")
        status = ReplyStatus.CANCELLED
        try:
            async with Ahead() as ahead:
                said = await self._hear(utterance, ahead)
                if not said:
                    return
                self._speaker.open()
                await ahead.finish()
            status = ReplyStatus.COMPLETED
            self.fallback.after_turn()
        except StageError as error:
            status = ReplyStatus.FAILED
            logger.warning("turn degraded: %s failed: %s", error.stage, error)
            await self._apologise(error)
        finally:
            self._end(status)

    @property
    def is_audible(self) -> bool:
        return self._speaker.is_audible

    def pause(self) -> None:
        self._speaker.pause()

    def resume(self) -> None:
        self._speaker.resume()

    def heard_by_listener(self, at_s: float) -> None:
        """The reply sounded at the other end, at `at_s` of our monotonic clock."""
        if self.timeline.heard(at_s):
            self._send_timeline()

    def hush(self) -> None:
        """Fall silent at once; the task that runs `take` is cancelled next."""
        self._speaker.stop()

    async def _hear(self, utterance: Utterance, ahead: Ahead) -> str:
        """Follow the utterance to its end, keeping the work ahead in step with it."""
        async for heard in utterance.follow():
            self._show(heard)
            words = heard.transcript
            if words.is_final and words.text:
                if not ahead.is_of(words.text):
                    await self._begin_answer(words.text, heard, ahead)
            elif heard.phase is Phase.SPEAKING and not ahead.is_of(_READING_ALONG):
                self.timeline.forget_reply()
                await ahead.begin(_READING_ALONG, self._read_along(utterance))
        heard = utterance.heard
        if heard.transcript.text or heard.failure:
            self._confirm(heard)
        if heard.failure:
            raise RecognizerError(heard.failure)
        return heard.transcript.text

    def _show(self, heard: Heard) -> None:
        """Tell the person what has been understood so far, where it is news."""
        words = heard.transcript
        if not words.text or words == self._shown or heard.is_typed:
            return
        if self._shown is None:
            since_ms = 1_000 * (heard.started_at_s - self.session_started_at_s)
            self.peer.send(SpeechStarted(turn_id=self.turn_id, audio_start_ms=round(since_ms)))
        self._shown = words
        self.peer.send(
            Hearing(turn_id=self.turn_id, committed=words.committed, tentative=words.tentative)
        )

    async def _begin_answer(self, text: str, heard: Heard, ahead: Ahead) -> None:
        self.timeline.forget_reply()
        if heard.voice_stopped_at_s is not None:
            self.timeline.mark(Mark.PAUSE_NOTICED, heard.paused_at_s)
        self.timeline.mark(Mark.TRANSCRIPT_FINAL)
        await ahead.discard()
        self._speaker = self.peer.new_speaker(self._on_phrase)
        await ahead.begin(text, self._answer(text))

    async def _read_along(self, utterance: Utterance) -> None:
        """Have the brain read what is certain, so that its first token is near."""
        scene = await asyncio.shield(self._scene)
        read: str | None = None
        async for heard in utterance.follow():
            if heard.transcript.committed != read:
                read = heard.transcript.committed
                await self.brain.prefill(self._asking(read, scene))

    async def _answer(self, text: str) -> None:
        """Speak the reply while it is still being written.

        Three engines run at once, each ahead of the next by what its stream may buffer.
        """
        self._asked = self._asking(text, await self._scene_in_time())
        limit = self._plan.max_reply_tokens
        async with self.brain.reply(self._asked, max_tokens=limit) as pieces:
            async for phrase in phrases(self._texts(pieces), self.phrasing):
                self.timeline.mark(Mark.FIRST_PHRASE)
                await self._say(phrase)
        await self._speaker.drained()

    def _asking(self, text: str, scene: Scene | None) -> Prompt:
        return self.conversation.asking(text, scene=scene, images=self.images)

    async def _texts(self, pieces: AsyncIterator[ReplyPiece]) -> AsyncIterator[str]:
        async for piece in pieces:
            self.timeline.mark(Mark.FIRST_TOKEN)
            if piece.stats is not None:
                self.timeline.stats = piece.stats
            yield piece.text

    async def _say(self, phrase: str) -> None:
        """Speak `phrase`; where there is no voice, show it."""
        self._speaker.begin(phrase)
        if not self._plan.speak:
            return
        try:
            async with self.voice.speak(phrase) as frames:
                async for frame in frames:
                    self.timeline.mark(Mark.FIRST_AUDIO)
                    await self._speaker.play(frame)
        except VoiceError as error:
            self._plan = self._degrade(error)

    async def _look(self) -> Scene | None:
        """What the camera shows as the person begins to speak."""
        frame = self.peer.camera.newest()
        if frame is None or not self._plan.use_vision:
            return None
        try:
            scene = await self.eyes.look(frame)
        except EyesError as error:
            self._plan = self._degrade(error)
            return None
        self.peer.send(SceneSeen(facts=scene.facts))
        return scene

    async def _scene_in_time(self) -> Scene | None:
        """The scene, unless it is late: then the answer does without."""
        limit_s = self._plan.scene_wait_ms / 1_000
        done, _ = await asyncio.wait([self._scene], timeout=limit_s)
        if not done:
            self.peer.send(Degraded(stage="eyes", reason="the picture came too late"))
            return None
        return self._scene.result()

    def _degrade(self, error: StageError) -> Plan:
        logger.warning("turn degraded: %s failed: %s", error.stage, error)
        self.peer.send(Degraded(stage=error.stage, reason=str(error)))
        self.fallback.after_error(error.stage)
        return self.fallback.plan

    async def _apologise(self, error: StageError) -> None:
        """Say what the policy wants said. A second failure must not end the session."""
        self.peer.send(Degraded(stage=error.stage, reason=str(error)))
        apology = self.fallback.after_error(error.stage)
        if apology:
            with suppress(StageError):
                self._speaker.open()
                await self._say(apology)
                await self._speaker.drained()

    def _confirm(self, heard: Heard) -> None:
        """The person has finished: from here on the answer may be heard."""
        self.timeline.mark(Mark.TURN_CONFIRMED)
        ended_at_s = heard.voice_stopped_at_s
        if ended_at_s is not None:
            self.timeline.mark(Mark.SPEECH_ENDED, ended_at_s)
        if ended_at_s is not None and self._shown is not None:
            since_ms = 1_000 * (ended_at_s - self.session_started_at_s)
            self.peer.send(SpeechStopped(turn_id=self.turn_id, audio_end_ms=round(since_ms)))
        self._asked = self._asked or self._asking(heard.transcript.text, None)
        self.peer.send(
            UserSaid(turn_id=self.turn_id, text=heard.transcript.text, was_typed=ended_at_s is None)
        )
        self.peer.send(ReplyStarted(turn_id=self.turn_id))
        self.peer.send(StateChanged(state=State.THINKING))

    def _on_phrase(self, phrase: str) -> None:
        """A phrase begins to be heard."""
        if Mark.FIRST_SENT not in self.timeline.at_s:
            self.timeline.mark(Mark.FIRST_SENT)
            self.peer.send(StateChanged(state=State.SPEAKING))
            self._send_timeline()
        self.peer.send(ReplyWords(turn_id=self.turn_id, text=phrase))

    def _send_timeline(self) -> None:
        self.peer.send(
            TimelineReady(
                turn_id=self.turn_id,
                voice_to_voice_ms=self.timeline.voice_to_voice_ms,
                lines=self.timeline.ledger(),
                stats=self.timeline.stats,
            )
        )

    def _end(self, status: ReplyStatus) -> None:
        self._scene.cancel()
        self._speaker.stop()
        self.timeline.mark(Mark.DONE)
        if Mark.TURN_CONFIRMED not in self.timeline.at_s:
            return
        heard = self._speaker.heard
        if self._asked:
            self.conversation.remember(self._asked, heard)
        self.peer.send(ReplyEnded(turn_id=self.turn_id, status=status, heard=heard))
        self._send_timeline()
        self.peer.send(StateChanged(state=State.LISTENING))
        logger.info(
            "%s %s: voice to voice %s ms", self.turn_id, status, self.timeline.voice_to_voice_ms
        )
