"""One turn through the real stages without a browser: a WAV file speaks, a WAV file is answered.

The file is fed at the pace of a microphone, and the answer is pulled at the pace of a loudspeaker,
so the timeline is the one that a person would see, less the network.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from assistant.app import new_session
from assistant.config import Config
from assistant.engines import Engines
from assistant.events import (
    Command,
    Degraded,
    Event,
    ReplyEnded,
    ReplyWords,
    SayText,
    SceneSeen,
    TimelineReady,
    UserSaid,
)
from assistant.speaker import SAMPLE_RATE_HZ, Playout, ReplySpeaker
from assistant.types import AudioFrame, ImageFrame, Pcm

_FRAME_S = 0.02
_LISTENED_SAMPLES = 320
_UNHEARD_SAMPLES = 5 * 16_000
"""After this much more nobody has spoken, or it was noise."""

_SPOKEN_SAMPLES = SAMPLE_RATE_HZ // 50


@dataclass(slots=True, kw_only=True)
class Answer:
    """What one turn brought."""

    heard: str = ""
    answer: str = ""
    scene: tuple[str, ...] = ()
    timeline: TimelineReady | None = None
    degraded: list[Degraded] = field(default_factory=list)
    sound: Pcm = field(default_factory=lambda: np.zeros(0, np.int16))
    """48 kHz, from the moment at which the person stopped."""

    def as_json(self, audio: str | None) -> dict[str, Any]:
        timeline = self.timeline and {
            "voice_to_voice_ms": self.timeline.voice_to_voice_ms,
            "lines": [asdict(line) for line in self.timeline.lines],
            "stats": self.timeline.stats and asdict(self.timeline.stats),
        }
        return {
            "heard": self.heard,
            "answer": self.answer,
            "audio": audio,
            "scene": list(self.scene),
            "timeline": timeline,
            "degraded": [asdict(entry) for entry in self.degraded],
        }

    def print(self, audio: Path | None) -> None:
        """For a person at a terminal."""
        console = Console(highlight=False)
        console.print(f"heard:  {self.heard or '(nothing)'}", markup=False)
        for fact in self.scene:
            console.print(f"saw:    {fact}", markup=False)
        console.print(f"answer: {self.answer or '(none)'}", markup=False)
        for entry in self.degraded:
            console.print(f"less:   {entry.stage}: {entry.reason}", markup=False)
        if self.timeline is not None:
            for line in self.timeline.lines:
                beside = " (meanwhile)" if line.overlapped else ""
                console.print(f"  {line.name:<14}{line.duration_ms:7.0f} ms{beside}", markup=False)
            whole_ms = self.timeline.voice_to_voice_ms
            if whole_ms is not None:
                console.print(f"  {'in all':<14}{whole_ms:7.0f} ms", markup=False)
        if audio is not None:
            console.print(f"sound:  {audio}", markup=False)


class StillCamera:
    """Shows one picture for ever."""

    def __init__(self, picture: ImageFrame | None) -> None:
        self._picture = picture

    def newest(self) -> ImageFrame | None:
        return self._picture


class FilePeer:
    """A peer whose microphone is a recording and whose loudspeaker is a list."""

    def __init__(
        self, *, speech: Pcm | None, text: str | None, picture: ImageFrame | None, buffer_ms: float
    ) -> None:
        self._speech = speech
        self._text = text
        self._playout = Playout(buffer_ms=buffer_ms)
        self.camera = StillCamera(picture)
        self.answer = Answer()
        self.has_ended = asyncio.Event()

    async def microphone(self) -> AsyncIterator[AudioFrame]:
        """The recording in real time, then a room's faint noise until the turn has ended."""
        speech = self._speech if self._speech is not None else np.zeros(0, np.int16)
        noise = np.random.default_rng(0).normal(0, 8, _LISTENED_SAMPLES).astype(np.int16)
        started_at_s = time.monotonic()
        n = 0
        while not self.has_ended.is_set():
            at_s = started_at_s + n * _FRAME_S
            await asyncio.sleep(at_s + _FRAME_S - time.monotonic())
            frame = speech[n * _LISTENED_SAMPLES : (n + 1) * _LISTENED_SAMPLES]
            samples = noise.copy()
            samples[: len(frame)] = frame
            yield AudioFrame(samples=samples, sample_rate_hz=16_000, captured_at_s=at_s)
            n += 1
            is_over = n * _LISTENED_SAMPLES > len(speech) + _UNHEARD_SAMPLES
            if is_over and self._text is None and not self.answer.heard:
                self.has_ended.set()

    async def commands(self) -> AsyncIterator[Command]:
        if self._text is not None:
            yield SayText(text=self._text)
        await self.has_ended.wait()

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
                if answer.answer == "" and event.stats is None:
                    return
            case Degraded():
                answer.degraded.append(event)
            case ReplyEnded():
                # The timeline follows in the same step of the loop.
                asyncio.get_running_loop().call_soon(self.has_ended.set)

    async def play(self) -> None:
        """Pull the sound at its own pace, until cancelled."""
        pulled = list[Pcm]()
        started_at_s = time.monotonic()
        try:
            while True:
                due_at_s = started_at_s + len(pulled) * _FRAME_S
                await asyncio.sleep(due_at_s - time.monotonic())
                pulled.append(self._playout.pull(_SPOKEN_SAMPLES))
        finally:
            self.answer.sound = np.concatenate(pulled or [np.zeros(0, np.int16)])


async def ask(
    engines: Engines,
    config: Config,
    *,
    speech: Pcm | None = None,
    text: str | None = None,
    picture: ImageFrame | None = None,
    patience_s: float = 60,
) -> Answer:
    """Take one turn. An answer without `heard` means that nobody was heard speaking."""
    peer = FilePeer(speech=speech, text=text, picture=picture, buffer_ms=config.voice.buffer_ms)
    session = new_session(engines, config, peer)
    playing = asyncio.create_task(peer.play(), name="loudspeaker")
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(
                patience_s + (len(speech) / 16_000 if speech is not None else 0)
            ):
                await session.run()
    finally:
        playing.cancel()
        await asyncio.wait([playing])
    return peer.answer
