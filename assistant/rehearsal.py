"""A conversation without a browser: recordings speak, and what would be heard is kept.

The microphone runs at its own pace and so does the loudspeaker, so every time is the one that a
person would see, less the network.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from assistant.app import new_session
from assistant.books import Books
from assistant.config import Config
from assistant.engines import Engines
from assistant.events import (
    Command,
    Degraded,
    Event,
    ReplyEnded,
    ReplyStatus,
    ReplyWords,
    SayText,
    SceneSeen,
    TimelineReady,
    UserSaid,
)
from assistant.gaze import StillCamera
from assistant.speaker import SAMPLE_RATE_HZ, Playout, ReplySpeaker
from assistant.types import AudioFrame, ImageFrame, Pcm

_FRAME_S = 0.02
_LISTENED_SAMPLES = 320
_SPOKEN_SAMPLES = SAMPLE_RATE_HZ // 50
_UNHEARD_S = 5.0
"""After this much silence nobody has spoken, or it was noise."""

_AUDIBLE = 328
"""-40 dB of full scale."""


@dataclass(slots=True, kw_only=True)
class Answer:
    """What one turn brought."""

    heard: str = ""
    answer: str = ""
    scene: tuple[str, ...] = ()
    timeline: TimelineReady | None = None
    degraded: list[Degraded] = field(default_factory=list)
    sound: Pcm = field(default_factory=lambda: np.zeros(0, np.int16))
    """48 kHz, from the moment at which the turn began."""

    spoken_at_s: float = 0.0
    """Monotonic time at which the recording's last voiced sample went in."""

    first_sound_at_s: float | None = None
    """Monotonic time of the first thing that was heard, an acknowledgement included."""

    @property
    def heard_within_ms(self) -> float | None:
        """End of speech to the first sound of any kind; None when nothing was heard."""
        if self.first_sound_at_s is None:
            return None
        return 1_000 * (self.first_sound_at_s - self.spoken_at_s)


class Rehearsal:
    """One session and its only visitor. Leaving the block ends the session."""

    def __init__(
        self, engines: Engines, config: Config, *, picture: ImageFrame | None = None
    ) -> None:
        self.camera = StillCamera(picture)
        self.books = Books()
        self._playout = Playout(buffer_ms=config.voice.buffer_ms)
        self._session = new_session(engines, config, self, self.books)
        self._commands: asyncio.Queue[Command] = asyncio.Queue()
        """One for each turn that is typed; nothing is dropped."""

        self._speech: Pcm = np.zeros(0, np.int16)
        self.answer = Answer()
        """Of the turn that is being taken."""

        self._speaks = False
        """Whether this turn is spoken, not typed."""

        self._has_ended = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Rehearsal:
        self._tasks = [
            asyncio.create_task(self._session.run(), name="session"),
            asyncio.create_task(self._play(), name="loudspeaker"),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    async def say(
        self, speech: Pcm | None = None, text: str | None = None, *, patience_s: float = 60
    ) -> Answer:
        """Take one turn. An answer without `heard` means that nobody was heard speaking."""
        self.answer = answer = Answer()
        self._has_ended.clear()
        self._speaks = speech is not None
        if speech is not None:
            self._speech = speech
            patience_s += len(speech) / 16_000
        if text is not None:
            self._commands.put_nowait(SayText(text=text))
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self._has_ended.wait()
        return answer

    async def microphone(self) -> AsyncIterator[AudioFrame]:
        """What is to be said, in real time, and a room's faint noise around it."""
        noise = np.random.default_rng(0).normal(0, 8, _LISTENED_SAMPLES).astype(np.int16)
        started_at_s = time.monotonic()
        n, silent_s = 0, 0.0
        while True:
            at_s = started_at_s + n * _FRAME_S
            await asyncio.sleep(at_s + _FRAME_S - time.monotonic())
            frame, self._speech = np.split(self._speech, [_LISTENED_SAMPLES])
            samples = noise.copy()
            samples[: len(frame)] = frame
            if len(frame) and np.abs(frame.astype(int)).max() > _AUDIBLE:
                self.answer.spoken_at_s = at_s + _FRAME_S
            yield AudioFrame(samples=samples, sample_rate_hz=16_000, captured_at_s=at_s)
            n += 1
            silent_s = 0.0 if len(frame) or not self._speaks else silent_s + _FRAME_S
            if silent_s > _UNHEARD_S and not self.answer.heard:
                self._has_ended.set()

    async def commands(self) -> AsyncIterator[Command]:
        while True:
            yield await self._commands.get()

    def new_speaker(self, on_phrase: Callable[[str], None]) -> ReplySpeaker:
        return self._playout.new_speaker(on_phrase)

    def send(self, event: Event) -> None:
        answer = self.answer
        match event:
            case UserSaid(text=text):
                answer.heard = text
            case ReplyWords(text=text):
                answer.answer += text
            case SceneSeen(facts=facts):
                answer.scene = facts
            case TimelineReady():
                answer.timeline = event
            case Degraded():
                answer.degraded.append(event)
            case ReplyEnded(status=ReplyStatus.CANCELLED, heard=""):
                pass  # speech went on: the turn is asked again, with more words
            case ReplyEnded():
                # The timeline follows in the same step of the loop.
                asyncio.get_running_loop().call_soon(self._has_ended.set)

    async def _play(self) -> None:
        """Pull the sound at its own pace, until cancelled."""
        started_at_s = time.monotonic()
        n = 0
        while True:
            await asyncio.sleep(started_at_s + n * _FRAME_S - time.monotonic())
            n += 1
            samples = self._playout.pull(_SPOKEN_SAMPLES)
            answer = self.answer
            answer.sound = np.concatenate([answer.sound, samples])
            if answer.first_sound_at_s is None and np.abs(samples.astype(int)).max() > _AUDIBLE:
                answer.first_sound_at_s = time.monotonic()
