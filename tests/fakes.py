"""Scripted stages and a scripted peer. Streams run on the loop; each fake keeps the contract of
its Protocol: leaving a stream leaves the stage idle."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

import numpy as np

from assistant.errors import BrainError, EyesError, VoiceError
from assistant.events import Command, Event
from assistant.speaker import SAMPLE_RATE_HZ, Playout, ReplySpeaker
from assistant.stages import Stream
from assistant.types import (
    AudioFrame,
    Heard,
    ImageFrame,
    Pcm,
    Phase,
    Prompt,
    ReplyPiece,
    ReplyStats,
    Scene,
    Transcript,
)
from assistant.utterance import LiveUtterance

FRAME_SAMPLES = SAMPLE_RATE_HZ // 50


def sound(ms: float, level: int = 1_000) -> AudioFrame:
    samples = np.full(int(SAMPLE_RATE_HZ * ms / 1_000), level, np.int16)
    return AudioFrame(samples=samples, sample_rate_hz=SAMPLE_RATE_HZ, captured_at_s=0.0)


def picture(level: int = 0) -> ImageFrame:
    return ImageFrame(pixels=np.full((4, 4, 3), level, np.uint8), captured_at_s=0.0)


STATS = ReplyStats(
    prompt_tokens=10,
    cached_tokens=8,
    reply_tokens=4,
    queue_ms=0.0,
    prefill_ms=1.0,
    ttft_ms=2.0,
    tpot_ms=1.0,
)


class ScriptedUtterance(LiveUtterance):
    """States that the test puts in, one after another."""

    def __init__(self, *, started_at_s: float = 0.0) -> None:
        super().__init__(Heard(phase=Phase.SPEAKING, started_at_s=started_at_s))
        self.clock: Callable[[], float] = time.monotonic

    async def become(
        self,
        phase: Phase,
        text: str = "",
        *,
        tentative: str = "",
        is_final: bool | None = None,
        is_stand_in: bool = False,
        speech_ms: float = 500.0,
        loudness_db: float | None = None,
    ) -> None:
        paused = phase is not Phase.SPEAKING
        now_s = self.clock()
        self.publish(
            Heard(
                phase=phase,
                transcript=Transcript(
                    committed=text,
                    tentative=tentative,
                    is_final=paused if is_final is None else is_final,
                    is_stand_in=is_stand_in,
                ),
                speech_ms=speech_ms,
                loudness_db=loudness_db,
                started_at_s=self.heard.started_at_s,
                voice_stopped_at_s=now_s - 0.2 if paused else None,
                paused_at_s=now_s - 0.1 if paused else None,
            )
        )
        await settle()


class ScriptedBrain:
    def __init__(
        self, pieces: Iterable[str] = (), *, token_s: float = 0.0, fails_after: int | None = None
    ) -> None:
        self.pieces = list(pieces)
        self.token_s = token_s
        self.fails_after = fails_after
        self.fails_with: BrainError | None = None
        self.prefilled: list[Prompt] = []
        self.replied: list[Prompt] = []
        self.decoded = 0
        self.busy = 0

    async def prefill(self, prompt: Prompt) -> None:
        self.prefilled.append(prompt)
        await asyncio.sleep(0)

    @asynccontextmanager
    async def _reply(
        self, prompt: Prompt, max_tokens: int
    ) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        self.replied.append(prompt)

        async def pieces() -> AsyncIterator[ReplyPiece]:
            if self.fails_with is not None:
                raise self.fails_with
            for n, text in enumerate(self.pieces[:max_tokens]):
                await asyncio.sleep(self.token_s)
                if n == self.fails_after:
                    raise BrainError("out of memory")
                self.decoded += 1
                yield ReplyPiece(text=text)
            yield ReplyPiece(text="", stats=STATS)

        self.busy += 1
        try:
            yield pieces()
        finally:
            self.busy -= 1

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        return self._reply(prompt, max_tokens)


class ScriptedVoice:
    """50 ms of sound for each word."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.spoken: list[str] = []
        self.voices: list[str] = []
        self.busy = 0

    @asynccontextmanager
    async def _speak(self, phrase: str, voice: str) -> AsyncGenerator[AsyncIterator[AudioFrame]]:
        async def frames() -> AsyncIterator[AudioFrame]:
            if self.fails:
                raise VoiceError("no voice model")
            for _ in phrase.split():
                await asyncio.sleep(0)
                yield sound(50)

        self.spoken.append(phrase)
        self.voices.append(voice)
        self.busy += 1
        try:
            yield frames()
        finally:
            self.busy -= 1

    def speak(self, phrase: str, *, voice: str, speed: float) -> Stream[AudioFrame]:
        return self._speak(phrase, voice)


class ScriptedEyes:
    def __init__(self, *facts: str, look_s: float = 0.0, fails: bool = False) -> None:
        self.facts, self.look_s, self.fails = facts, look_s, fails
        self.looked = 0

    async def look(self, frame: ImageFrame, *, image_side_px: int = 0) -> Scene:
        self.looked += 1
        await asyncio.sleep(self.look_s)
        if self.fails:
            raise EyesError("no detector")
        return Scene(facts=self.facts, image=frame if image_side_px else None)


class ScriptedCamera:
    def __init__(self, frame: ImageFrame | None = None) -> None:
        self.frame = frame

    def pick(self, *, unlike: ImageFrame | None = None) -> ImageFrame | None:
        return None if unlike is self.frame else self.frame

    async def refreshed(self) -> bool:
        return False


class ScriptedPeer:
    """Records what it is told; plays when the test says so."""

    def __init__(self, *, frame: ImageFrame | None = None) -> None:
        self.camera = ScriptedCamera(frame)
        self.events: list[Event] = []
        self.wanted: asyncio.Queue[Command | None] = asyncio.Queue()
        self.spoken: asyncio.Queue[AudioFrame | None] = asyncio.Queue()
        self._playout = Playout(buffer_ms=12_000)

    async def microphone(self) -> AsyncIterator[AudioFrame]:
        while (frame := await self.spoken.get()) is not None:
            yield frame

    async def commands(self) -> AsyncIterator[Command]:
        while (command := await self.wanted.get()) is not None:
            yield command

    def new_speaker(self, on_phrase: Callable[[str], None]) -> ReplySpeaker:
        return self._playout.new_speaker(on_phrase)

    def send(self, event: Event) -> None:
        self.events.append(event)

    def told(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]

    def pull(self, n_samples: int) -> Pcm:
        """48 kHz, as it goes out."""
        return self._playout.pull(n_samples)

    async def play(self, ms: float) -> int:
        """Pull `ms` of sound; return the loudest sample."""
        loudest = 0
        for _ in range(round(ms / 20)):
            loudest = max(loudest, int(np.abs(self._playout.pull(FRAME_SAMPLES)).max()))
            await settle(5)
        return loudest

    async def play_until(self, task: asyncio.Task[None]) -> None:
        while not task.done():
            await self.play(20)


async def settle(steps: int = 60) -> None:
    """Let everything run that can run without time passing."""
    for _ in range(steps):
        await asyncio.sleep(0)
