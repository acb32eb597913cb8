"""Plays one person's part of a recorded conversation, at its own pace or faster."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import get_args

import numpy as np

from assistant.events import Command, Event, HeardReply, State, StateChanged
from assistant.recording.tape import RATE_HZ
from assistant.recording.trace import Trace
from assistant.session import Session
from assistant.speaker import SAMPLE_RATE_HZ, Playout, ReplySpeaker
from assistant.types import AudioFrame, ImageFrame

_FRAME_S = 0.02
_FRAME_SAMPLES = RATE_HZ // 50
_QUIET_S = 2.0
"""After the last word, nobody having anything more to say for so long is the end."""

_PATIENCE_S = 60.0
_SHOWN_AHEAD_S = 0.5
"""A frame that was looked at a little later may be looked at now."""


class Actor:
    """A peer. Its microphone, commands and frames come as they came; nobody hears the answers.

    `speed`: 2 says everything in half the time, to people who talk twice as fast.
    """

    def __init__(self, trace: Trace, *, buffer_ms: float, speed: float = 1.0) -> None:
        self._trace = trace
        self._speed = speed
        self._playout = Playout(buffer_ms=buffer_ms)
        self._began_at_s = time.monotonic()
        self._state = State.LISTENING
        self._idle_since_s = 0.0
        self._pictures = [
            (note.at_ms, note.value) for note in trace.notes if isinstance(note.value, ImageFrame)
        ]

    @property
    def camera(self) -> Actor:
        return self

    async def perform(self, session: Session) -> None:
        """From the first word until the last answer is over."""
        self._began_at_s = self._idle_since_s = time.monotonic()
        listening = asyncio.create_task(self._listen(), name="loudspeaker")
        try:
            await session.run()
        finally:
            listening.cancel()

    async def microphone(self) -> AsyncIterator[AudioFrame]:
        sound = self._trace.microphone
        noise = np.random.default_rng(0).normal(0, 8, _FRAME_SAMPLES).astype(np.int16)
        n = 0
        while not self._is_over(n * _FRAME_S / self._speed):
            at_s = self._began_at_s + n * _FRAME_S / self._speed
            await asyncio.sleep(at_s + _FRAME_S / self._speed - time.monotonic())
            samples = sound[n * _FRAME_SAMPLES : (n + 1) * _FRAME_SAMPLES]
            if len(samples) < _FRAME_SAMPLES:
                samples = noise
            yield AudioFrame(samples=samples, sample_rate_hz=RATE_HZ, captured_at_s=at_s)
            n += 1

    async def commands(self) -> AsyncIterator[Command]:
        for note in self._trace.notes:
            # When a reply was heard, is for the replies of this time to say.
            if isinstance(note.value, get_args(Command)) and not isinstance(note.value, HeardReply):
                due_at_s = self._began_at_s + note.at_ms / 1_000 / self._speed
                await asyncio.sleep(due_at_s - time.monotonic())
                self._idle_since_s = time.monotonic()
                yield note.value

    def pick(self, *, unlike: ImageFrame | None = None) -> ImageFrame | None:
        """What was looked at around this moment."""
        elapsed_s = self._speed * (time.monotonic() - self._began_at_s)
        now_ms = 1_000 * (elapsed_s + _SHOWN_AHEAD_S)
        shown = [frame for at_ms, frame in self._pictures if at_ms <= now_ms]
        return None if not shown or shown[-1] is unlike else shown[-1]

    async def refreshed(self) -> bool:
        return False

    def new_speaker(self, on_phrase: Callable[[str], None]) -> ReplySpeaker:
        return self._playout.new_speaker(on_phrase)

    def send(self, event: Event) -> None:
        if isinstance(event, StateChanged):
            self._state = event.state
            self._idle_since_s = time.monotonic()

    def _is_over(self, elapsed_s: float) -> bool:
        left_s = elapsed_s - self._trace.duration_ms / 1_000 / self._speed
        quiet_s = time.monotonic() - self._idle_since_s
        is_quiet = self._state is State.LISTENING and quiet_s > _QUIET_S
        return left_s > _PATIENCE_S or (left_s > _QUIET_S and is_quiet)

    async def _listen(self) -> None:
        """Takes the sound as it would be played, until cancelled."""
        n = 0
        while True:
            await asyncio.sleep(self._began_at_s + n * _FRAME_S - time.monotonic())
            self._playout.pull(SAMPLE_RATE_HZ // 50)
            n += 1
