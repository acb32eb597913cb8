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
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from assistant.ahead import Ahead
from assistant.budget import overruns, to_blame
from assistant.config import BudgetConfig, VoiceConfig
from assistant.conversation import Asked, Conversation
from assistant.errors import (
    BrainError,
    EyesError,
    StageError,
    TooLongError,
    VoiceError,
)
from assistant.events import Configure, HeardReply, ReplyStatus
from assistant.fallback import FallbackPolicy, Plan
from assistant.filler import Filler
from assistant.gaze import Gaze, StillCamera
from assistant.ladders import helped
from assistant.patience import impatient
from assistant.phrases import phrases
from assistant.records import TurnRecord
from assistant.shortfalls import Shortfall
from assistant.stages import Brain, Eyes, Peer, Speaker, Stream, Utterance, Voice
from assistant.telling import Telling
from assistant.timeline import Mark, TurnTimeline
from assistant.tools import CallReader
from assistant.types import (
    AudioFrame,
    Heard,
    ImageFrame,
    Phase,
    ReplyPiece,
    ToolStep,
)
from assistant.words import spliced

logger = logging.getLogger(__name__)


_READING_ALONG = "the words so far"

_COMING_CHARACTERS = 20
"""About a second of speech."""


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
    budget: BudgetConfig
    session_id: str
    session_started_at_s: float
    record: Callable[[TurnRecord], None]
    timeline: TurnTimeline = field(default_factory=TurnTimeline)
    images: tuple[ImageFrame, ...] = ()
    """Pictures that the person handed over with typed words."""

    wanted: Configure = field(default_factory=Configure)
    """Settings of this turn alone."""

    confirmed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the person has certainly finished: what cannot be undone may be done."""

    _plan: Plan = field(init=False)
    _gaze: Gaze = field(init=False)
    _speaker: Speaker = field(init=False)
    _asked: Asked | None = field(init=False, default=None)
    _calls: CallReader = field(init=False)
    _told: Telling = field(init=False)
    _filler: Filler = field(init=False)
    _steps: list[ToolStep] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._told = Telling(
            turn_id=self.turn_id,
            session_id=self.session_id,
            session_started_at_s=self.session_started_at_s,
            peer=self.peer,
            timeline=self.timeline,
        )
        self._filler = Filler(timeline=self.timeline)
        self._speaker = self.peer.new_speaker(self._told.phrase)

    async def take(self, utterance: Utterance) -> None:
        self._plan = self.fallback.plan.with_wishes(self.wanted)
        self._calls = CallReader(self.conversation.tools)
        self.timeline.mark(Mark.SPEECH_STARTED, utterance.heard.started_at_s)
        self._gaze = self._new_gaze()
        self._gaze.look()
        status = ReplyStatus.CANCELLED
        try:
            async with Ahead() as ahead:
                if not await self._hear(utterance, ahead):
                    return
                self._speaker.open()
                async with Ahead() as filler:
                    await filler.begin("", self._pass_the_time())
                    await ahead.finish()
            status = ReplyStatus.COMPLETED
        except StageError as error:
            status = ReplyStatus.FAILED
            logger.warning("turn degraded: %s failed: %s", error.stage, error)
            if isinstance(error, TooLongError):
                self.conversation.shorten()
            await self._apologise(error)
        finally:
            self._end(status)

    @property
    def is_audible(self) -> bool:
        return self._speaker.is_audible

    @property
    def said(self) -> str:
        """All that has been said aloud, what passed the time included, and what is just coming."""
        coming = len(self._speaker.spoken.text) + _COMING_CHARACTERS
        return spliced(self._filler.said, self._told.announced[:coming])

    @property
    def ends_in_ms(self) -> float | None:
        """How long the answer will still sound; None while more may come."""
        return self._speaker.ends_in_ms

    def pause(self) -> None:
        self._speaker.pause()

    def resume(self) -> None:
        self._speaker.resume()

    def heard_by_listener(self, heard: HeardReply) -> None:
        """Something began to sound at the other end."""
        if heard.uplink_ms is not None:
            self.timeline.came_by(heard.uplink_ms)
        if self.timeline.heard(heard.at_s):
            self._told.times()

    def hush(self) -> None:
        """Fall silent at once; the task that runs `take` is cancelled next."""
        self._speaker.stop()

    async def _hear(self, utterance: Utterance, ahead: Ahead) -> bool:
        """Follow the utterance to its end, keeping the work ahead in step with it.

        Return whether there is something to answer. What was typed may have no words of its own:
        then it is what stands in the conversation.
        """
        async for heard in utterance.follow():
            self._told.hearing(heard)
            words = heard.transcript
            is_whole = words.is_final or words.is_stand_in
            if is_whole and (words.text or heard.is_typed):
                if not ahead.is_of(words.text):
                    await self._begin_answer(words.text, heard, ahead)
            elif heard.phase is Phase.SPEAKING and not ahead.is_of(_READING_ALONG):
                self.timeline.forget_reply()
                await ahead.begin(_READING_ALONG, self._read_along(utterance))
        heard = utterance.heard
        is_something = bool(heard.transcript.text or heard.failure or heard.is_typed)
        if is_something:
            self._confirm(heard)
        if heard.transcript.is_stand_in:
            sentence = "the last words were not waited for"
            self._told.degraded("ears", Shortfall.PARTIAL_WORDS, sentence)
        if heard.failure:
            raise heard.failure
        return is_something

    async def _begin_answer(self, text: str, heard: Heard, ahead: Ahead) -> None:
        self.timeline.forget_reply()
        if heard.voice_stopped_at_s is not None:
            self.timeline.mark(Mark.PAUSE_NOTICED, heard.paused_at_s)
        self.timeline.mark(Mark.TRANSCRIPT_FINAL)
        self._gaze.look()
        await ahead.discard()
        self._speaker = self.peer.new_speaker(self._told.phrase)
        await ahead.begin(text, self._answer(text, is_typed=heard.is_typed))

    async def _read_along(self, utterance: Utterance) -> None:
        """Have the brain read what is certain, so that its first token is near."""
        await self._gaze.settled()
        read: str | None = None
        async for heard in utterance.follow():
            if heard.transcript.committed != read:
                read = heard.transcript.committed
                await self.brain.prefill(self._asking(read, is_open=True).prompt)

    async def _answer(self, text: str, *, is_typed: bool) -> None:
        """Speak the reply while it is still being written.

        Three engines run at once, each ahead of the next by what its stream may buffer.
        """
        within_ms = None if is_typed else self._plan.scene_wait_ms
        if not await self._gaze.settled(within_ms=within_ms):
            self._told.degraded("eyes", Shortfall.PICTURE_LATE, "the picture came too late")
        self._asked = self._asking(text)
        self.timeline.mark(Mark.SCENE_KNOWN)
        self._calls = CallReader(self.conversation.tools)
        self._steps.clear()
        if is_typed:
            # Nothing was read along. All of it may be new, and to read that is no falling silent.
            await self.brain.prefill(self._asked.prompt)
        limit = self._plan.max_reply_tokens
        async with self.brain.reply(self._asked.prompt, max_tokens=limit) as pieces:
            words = self._calls.words(self._texts(pieces))
            async for phrase in phrases(words, self._plan.phrasing(self.phrasing)):
                self.timeline.mark(Mark.FIRST_PHRASE)
                drags = self._drags(phrase)
                await self._say(phrase)
                if drags:
                    self._told.degraded("brain", Shortfall.CUT_SHORT, "the answer was cut short")
                    break
        await self._speaker.drained()

    def _drags(self, phrase: str) -> bool:
        """The brain is so slow that the voice has to wait for it: stop where a sentence ends, or
        else a little later, rather than stammer on."""
        sounding_ms = self.timeline.since_ms(Mark.FIRST_SENT)
        if sounding_ms is None or not self._speaker.is_dry:
            return False
        patience = 1 if phrase.rstrip().endswith(tuple(".!?。！？")) else 3
        return sounding_ms > patience * self._plan.dragging_ms

    def _asking(self, text: str, *, is_open: bool = False) -> Asked:
        return self.conversation.asking(
            text,
            turn_id=self.turn_id,
            scene=self._gaze.scene,
            is_open=is_open,
            instructions=self.wanted.system_prompt,
        )

    async def _texts(self, pieces: AsyncIterator[ReplyPiece]) -> AsyncIterator[str]:
        silent = BrainError("the brain has not said anything for too long", code=Shortfall.SILENT)
        limit_ms = self._plan.silence_limit_ms
        async for piece in impatient(pieces, limit_ms=limit_ms, error=silent):
            if not piece.text and piece.stats is None:
                self._note(piece)
                continue
            self.timeline.mark(Mark.FIRST_TOKEN)
            if piece.stats is not None:
                self.timeline.stats = piece.stats
            yield piece.text

    def _note(self, piece: ReplyPiece) -> None:
        """What a reply tells beside its words."""
        if piece.by and (piece.by.expected_ms or 0.0) > self._plan.acknowledge_after_ms:
            self._filler.expect_late()
        if piece.shortcoming:
            code = Shortfall.KEPT_ANSWER if piece.is_kept else Shortfall.OTHER_BRAIN
            self._told.degraded("brain", code, piece.shortcoming)
        if piece.doing:
            self._told.working(piece.doing)
        if piece.step:
            self._steps.append(piece.step)

    async def _say(self, phrase: str) -> None:
        """Speak `phrase`; where there is no voice, show it."""
        self._speaker.begin(phrase)
        if not self._plan.speak:
            return
        silent = VoiceError("the voice has not said anything for too long", code=Shortfall.SILENT)
        limit_ms = self._plan.silence_limit_ms
        try:
            async with self._sound_of(phrase) as frames:
                async for frame in impatient(frames, limit_ms=limit_ms, error=silent):
                    self.timeline.mark(Mark.FIRST_AUDIO)
                    await self._speaker.play(frame)
        except VoiceError as error:
            self._plan = self._degrade(error)

    def _sound_of(self, text: str) -> Stream[AudioFrame]:
        """Spoken by the voice that the person wants, or by one that can read it."""
        voices = self.fallback.voices
        voice = voices.reading(text, self._plan.voice)
        voice = voice if self._plan.natural_voice else voices.plain(voice)
        if (shortcoming := self.fallback.shortcoming(voice)) is not None:
            self._told.degraded("voice", Shortfall.PLAIN_VOICE, shortcoming)
        return self.voice.speak(text, voice=voice, speed=self._plan.speed)

    async def _pass_the_time(self) -> None:
        """Say that the answer takes its time, when it does or will."""
        if await self._filler.is_due(self._plan.acknowledge_after_ms) and self._plan.speak:
            self._told.degraded("brain", Shortfall.ACKNOWLEDGED, "the answer takes a moment")
            words = self.fallback.acknowledgement(self._gaze.scene)
            await self._filler.say(words, self._sound_of(words), self._speaker)

    def _new_gaze(self) -> Gaze:
        """At the picture that was handed over, else at the camera."""
        shown = StillCamera(self.images[0]) if self.images else self.peer.camera
        return Gaze(
            camera=shown if self._plan.use_vision else StillCamera(None),
            eyes=self.eyes,
            image_side_px=self._plan.image_side_px,
            before=self.conversation.scene if self._plan.use_vision else None,
            looks_anew=self._plan.looks_anew or bool(self.images),
            on_seen=self._told.seen,
            on_failure=self._on_blind,
        )

    def _on_blind(self, error: EyesError) -> None:
        self._plan = self._degrade(error)

    def _degrade(self, error: StageError) -> Plan:
        logger.warning("turn degraded: %s failed: %s", error.stage, error)
        self._told.degraded(error.stage, error.code, str(error))
        self.fallback.after_error(error.stage)
        return self.fallback.plan

    async def _apologise(self, error: StageError) -> None:
        """Say what the policy wants said. A second failure must not end the session."""
        self._told.degraded(error.stage, error.code, str(error))
        apology = self.fallback.after_error(error.stage)
        if apology:
            with suppress(StageError):
                self._speaker.open()
                await self._say(apology)
                await self._speaker.drained()

    def _confirm(self, heard: Heard) -> None:
        """The person has finished: from here on the answer may be heard."""
        self.fallback.understood(heard.transcript.text)
        self.timeline.mark(Mark.TURN_CONFIRMED)
        if heard.voice_stopped_at_s is not None:
            self.timeline.mark(Mark.SPEECH_ENDED, heard.voice_stopped_at_s)
        self._asked = self._asked or self._asking(heard.transcript.text)
        self.conversation.answering()
        self.confirmed.set()
        self._told.thinking(heard, speaks=self._plan.speak)

    def _end(self, status: ReplyStatus) -> None:
        self._gaze.end()
        self._speaker.stop()
        self.timeline.mark(Mark.DONE)
        if Mark.TURN_CONFIRMED not in self.timeline.at_s:
            return
        spoken = self._speaker.spoken
        calls = self._calls.calls if status is ReplyStatus.COMPLETED else ()
        if self._asked:
            self.conversation.remember(
                self._asked,
                self.turn_id,
                spoken,
                calls=calls,
                steps=self._steps,
                scene=self._gaze.scene,
                prompt_tokens=self.timeline.stats.prompt_tokens if self.timeline.stats else 0,
            )
        self._told.ended(status, heard=spoken.text, calls=calls)
        late = overruns(self.timeline, self.budget)
        blamed = to_blame(late, self.timeline.voice_to_voice_ms, self.budget)
        saw_picture = bool(self._asked and self._asked.question.image)
        stages = helped((o.stage for o in blamed), self.timeline.stats, saw_picture=saw_picture)
        for stage, rung in self.fallback.after_turn(stages):
            self._told.degraded(stage, rung.code, rung.reason)
        self.record(self._told.record(status, late))
