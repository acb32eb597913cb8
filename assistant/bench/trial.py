"""One recording, played to one listener in real time, and what was heard of it when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import psutil

from assistant.bench.clips import Clip, voiced_part
from assistant.bench.word_errors import WordErrors, word_errors
from assistant.config import Config
from assistant.hearing import Listener
from assistant.stages import Recognizer, SpeechDetector, Utterance
from assistant.types import AudioFrame, Hypothesis, Pcm
from assistant.words import spliced

_RATE_HZ = 16_000
_FRAME_SAMPLES = 320
_BEFORE_S, _AFTER_S = 0.5, 2.0
"""Of a room's faint noise around each clip: the last turn has ended by then."""


@dataclass(slots=True, kw_only=True)
class Turn:
    """One utterance, as it was seen from outside."""

    text: str = ""
    started_at_s: float = 0.0
    voice_stopped_at_s: float = 0.0
    first_words_at_s: float | None = None
    """Of a partial."""

    final_at_s: float | None = None
    ended_at_s: float = 0.0
    ended_cpu_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    clip: Clip
    heard: str
    language: str | None
    first_partial_ms: float | None
    final_ms: float | None
    turn_end_ms: float | None
    compute_ms: float | None
    """Of the final transcript, in the recognizer."""

    turns: int
    """Those with words."""

    cut_off_pauses_ms: tuple[float, ...] = ()
    """Between one turn's voice and the next."""

    cpu_s: float = 0.0
    spoken_s: float = 0.0

    @property
    def errors(self) -> WordErrors:
        clip = self.clip
        return (
            word_errors(clip.transcript, self.heard, clip.language)
            if clip.transcript
            else WordErrors()
        )

    @property
    def line(self) -> str:
        final = "no turn" if self.final_ms is None else f"{self.final_ms:.0f} ms"
        return f"{self.clip.file.name}: {final} | {self.heard}"

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.clip.file.name,
            "heard": self.heard,
            "language": self.language,
            "wer": self.errors.rate,
            "first_partial_ms": self.first_partial_ms,
            "final_ms": self.final_ms,
            "compute_ms": self.compute_ms,
            "turn_end_ms": self.turn_end_ms,
            "turns": self.turns,
            "cut_off_pauses_ms": self.cut_off_pauses_ms,
            "cpu_share": self.cpu_s / self.spoken_s if self.spoken_s else None,
        }


class NotedRecognizer:
    """Passes everything on, and keeps the last final hypothesis."""

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer
        self.final: Hypothesis | None = None

    async def transcribe(self, samples: Pcm, *, is_final: bool) -> Hypothesis:
        hypothesis = await self._recognizer.transcribe(samples, is_final=is_final)
        if is_final:
            self.final = hypothesis
        return hypothesis

    async def turn_end_probability(self, samples: Pcm) -> float:
        return await self._recognizer.turn_end_probability(samples)


class Trial:
    """One clip, played to one listener."""

    def __init__(self, clip: Clip, samples: Pcm, recognizer: Recognizer, worker_pid: int) -> None:
        self._clip = clip
        self._recognizer = NotedRecognizer(recognizer)
        self._worker = psutil.Process(worker_pid)
        first, last = voiced_part(samples)
        n_before, n_after = int(_BEFORE_S * _RATE_HZ), int(_AFTER_S * _RATE_HZ)
        sound = np.pad(samples, (n_before, n_after)).astype(np.int32)
        sound += np.random.default_rng(0).normal(0, 8, len(sound)).astype(np.int32)
        self._sound: Pcm = sound.clip(-32_768, 32_767).astype(np.int16)
        self._voice = ((n_before + first) / _RATE_HZ, (n_before + last) / _RATE_HZ)
        """When it begins and ends, in seconds of the sound."""

        self._started_at_s = 0.0
        self._started_cpu_s = 0.0

    async def run(self, detector: SpeechDetector, config: Config) -> Result:
        listener = Listener(
            detector=detector,
            recognizer=self._recognizer,
            ears=config.ears,
            endpointing=config.endpointing,
        )
        async with (
            asyncio.TaskGroup() as tasks,
            listener.listening(self._microphone()) as utterances,
        ):
            following = [tasks.create_task(self._follow(each)) async for each in utterances]
        return self._result([task.result() for task in following])

    async def _microphone(self) -> AsyncIterator[AudioFrame]:
        self._started_at_s = time.monotonic()
        begins_s, _ = self._voice
        for start in range(0, len(self._sound) - _FRAME_SAMPLES + 1, _FRAME_SAMPLES):
            at_s = self._started_at_s + start / _RATE_HZ
            frame = self._sound[start : start + _FRAME_SAMPLES]
            await asyncio.sleep(at_s + len(frame) / _RATE_HZ - time.monotonic())
            if start / _RATE_HZ <= begins_s:
                self._started_cpu_s = self._cpu_s()
            yield AudioFrame(samples=frame, sample_rate_hz=_RATE_HZ, captured_at_s=at_s)

    async def _follow(self, utterance: Utterance) -> Turn:
        turn = Turn()
        async for heard in utterance.follow():
            words, now_s = heard.transcript, time.monotonic()
            if words.is_final:
                turn.final_at_s = turn.final_at_s or now_s
            else:
                turn.final_at_s = None
                if words.text:
                    turn.first_words_at_s = turn.first_words_at_s or now_s
        heard = utterance.heard
        turn.text, turn.started_at_s = heard.transcript.text, heard.started_at_s
        turn.voice_stopped_at_s = heard.voice_stopped_at_s or turn.started_at_s
        turn.ended_at_s, turn.ended_cpu_s = time.monotonic(), self._cpu_s()
        return turn

    def _cpu_s(self) -> float:
        own, worker = psutil.Process().cpu_times(), self._worker.cpu_times()
        return float(own.user + own.system + worker.user + worker.system)

    def _result(self, utterances: list[Turn]) -> Result:
        turns = [turn for turn in utterances if turn.text]
        begins_s, ends_s = (self._started_at_s + at_s for at_s in self._voice)
        hypothesis = self._recognizer.final
        return Result(
            clip=self._clip,
            heard=spliced(*(turn.text for turn in turns)),
            language=hypothesis.language if hypothesis and turns else None,
            compute_ms=hypothesis.compute_ms if hypothesis and turns else None,
            first_partial_ms=_since_ms(begins_s, turns[0].first_words_at_s) if turns else None,
            final_ms=_since_ms(ends_s, turns[-1].final_at_s) if turns else None,
            turn_end_ms=_since_ms(ends_s, turns[-1].ended_at_s) if turns else None,
            turns=len(turns),
            cut_off_pauses_ms=tuple(
                1_000 * (later.started_at_s - turn.voice_stopped_at_s)
                for turn, later in pairwise(turns)
            ),
            cpu_s=turns[-1].ended_cpu_s - self._started_cpu_s if turns else 0.0,
            spoken_s=turns[-1].ended_at_s - begins_s if turns else 0.0,
        )


def _since_ms(start_s: float, end_s: float | None) -> float | None:
    return None if end_s is None else 1_000 * (end_s - start_s)
