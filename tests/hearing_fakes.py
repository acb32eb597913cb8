"""A microphone, a detector and a recognizer for which time passes only as sound is read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assistant.types import AudioFrame, Hypothesis, Pcm

T = TypeVar("T")

RATE_HZ = 16_000


def hypothesis(
    text: str,
    *,
    no_speech_probability: float = 0.05,
    mean_log_probability: float = -0.2,
    compute_ms: float = 50.0,
) -> Hypothesis:
    return Hypothesis(
        text=text,
        no_speech_probability=no_speech_probability,
        mean_log_probability=mean_log_probability,
        language="en",
        compute_ms=compute_ms,
    )


NOISE = hypothesis("you", no_speech_probability=0.9)


def voice(ms: float) -> Pcm:
    return np.full(int(RATE_HZ * ms / 1_000), 8_000, np.int16)


def quiet(ms: float) -> Pcm:
    return np.zeros(int(RATE_HZ * ms / 1_000), np.int16)


class LoudnessDetector:
    """What is loud is speech."""

    def __init__(self) -> None:
        self.resets = 0

    def speech_probability(self, window: NDArray[np.float32]) -> float:
        assert window.shape == (512,)
        assert window.dtype == np.float32
        return 0.9 if float(np.abs(window).mean()) > 0.1 else 0.1

    def reset(self) -> None:
        self.resets += 1


class Microphone:
    """Frames of 20 ms whose clock is the sound that was read."""

    def __init__(self, *, started_at_s: float = 100.0) -> None:
        self.now_ms = 0.0
        self._started_at_s = started_at_s
        self._alarms: list[tuple[float, asyncio.Event]] = []
        self._is_over = False

    async def frames(
        self, *sounds: Pcm, frame_samples: int = 320, burst: int = 1
    ) -> AsyncIterator[AudioFrame]:
        """`burst`: frames that come at once."""
        samples = np.concatenate(sounds)
        for n, start in enumerate(range(0, len(samples), frame_samples), 1):
            frame = samples[start : start + frame_samples]
            yield AudioFrame(
                samples=frame,
                sample_rate_hz=RATE_HZ,
                captured_at_s=self._started_at_s + self.now_ms / 1_000,
            )
            self.now_ms += 1_000 * len(frame) / RATE_HZ
            if n % burst == 0:
                await self._tick()
        self._is_over = True
        await self._tick()

    async def pass_ms(self, ms: float) -> None:
        """Wait for so much sound, or for the end of it."""
        if self._is_over:
            return
        alarm = asyncio.Event()
        self._alarms.append((self.now_ms + ms, alarm))
        await alarm.wait()

    async def _tick(self) -> None:
        for at_ms, alarm in self._alarms:
            if self._is_over or self.now_ms >= at_ms:
                alarm.set()
        for _ in range(10):
            await asyncio.sleep(0)


@dataclass(frozen=True, slots=True)
class Asked:
    at_ms: float
    seconds: float
    is_final: bool


class ScriptedRecognizer:
    """Answers with what the test put in, the last of it for ever; counts what is running."""

    def __init__(
        self,
        microphone: Microphone | None = None,
        *,
        partials: Sequence[str | Hypothesis | Exception] = ("words",),
        finals: Sequence[str | Hypothesis | Exception] = ("all the words",),
        complete: Sequence[float | Exception] = (0.9,),
        partial_ms: float = 0.0,
        final_ms: Sequence[float] = (0.0,),
    ) -> None:
        self._microphone = microphone or Microphone()
        self._partials, self._finals, self._complete = list(partials), list(finals), list(complete)
        self._partial_ms, self._final_ms = partial_ms, list(final_ms)
        self.asked: list[Asked] = []
        self.samples: list[Pcm] = []
        self.running = 0

    async def transcribe(self, samples: Pcm, *, is_final: bool) -> Hypothesis:
        now_ms = self._microphone.now_ms
        self.asked.append(Asked(now_ms, len(samples) / RATE_HZ, is_final))
        self.samples.append(samples)
        answer = _next(self._finals if is_final else self._partials)
        wait_ms = _next(self._final_ms) if is_final else self._partial_ms
        self.running += 1
        try:
            if wait_ms:
                await self._microphone.pass_ms(wait_ms)
        finally:
            self.running -= 1
        if isinstance(answer, Exception):
            raise answer
        return hypothesis(answer) if isinstance(answer, str) else answer

    async def turn_end_probability(self, samples: Pcm) -> float:
        answer = _next(self._complete)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def partials(self) -> list[Asked]:
        return [asked for asked in self.asked if not asked.is_final]

    @property
    def finals(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.is_final]


def _next(answers: list[T]) -> T:
    return answers.pop(0) if len(answers) > 1 else answers[0]
