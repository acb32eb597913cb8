"""From a microphone to utterances.

    frames ─▶ windows ─▶ speech detector ─▶ endpointing ─▶ started, paused, resumed, ended
                  │                                            │
                  └────────▶ scribe ◀──────────────────────────┘
                                └─▶ partial and final transcripts ─▶ LiveUtterance

A question to the recognizer belongs to the task that asks it, and the task to one utterance or one
pause of it. Speech that goes on cancels the tasks of the pause, and a cancelled task delivers
nothing: a late result cannot become the words of anything else.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import numpy as np

from assistant.config import EarsConfig, EndpointingConfig
from assistant.endpointing import (
    WINDOW_MS,
    WINDOW_SAMPLES,
    Change,
    Endpointer,
    adapted,
    n_windows,
)
from assistant.errors import RecognizerError
from assistant.events import TurnDetection
from assistant.loudness import Loudness
from assistant.scribe import Scribe
from assistant.stages import Recognizer, SpeechDetector
from assistant.types import AudioFrame, Heard, Pcm, Phase, Transcript
from assistant.utterance import LiveUtterance

logger = logging.getLogger(__name__)

_RATE_HZ = 16_000

_KEPT_SILENCE_MS = 1_000
"""What a pause adds to the recording at most, however long the talk button is held down."""

_MISSING_SOUND_S = 1.5
"""A microphone that sends nothing for this long has been let go."""

_GIVEN_UP_AFTER = 3
"""A final transcript that takes so many times as long as it may is not waited for any more."""

_MAX_WAITING_UTTERANCES = 8


class Listener:
    """One microphone. `listening` may be entered once."""

    def __init__(
        self,
        *,
        detector: SpeechDetector,
        recognizer: Recognizer,
        ears: EarsConfig,
        endpointing: EndpointingConfig,
        final_wait_ms: Callable[[], float] = lambda: 1_000,
    ) -> None:
        """`final_wait_ms`: how long a final transcript may take at the moment."""
        self._detector = detector
        self._recognizer = recognizer
        self._ears = ears
        self._settings = endpointing
        self._final_wait_ms = final_wait_ms
        self._endpointer = Endpointer(endpointing)
        self._is_muted = False
        self._windows = Windows()
        self._aside: deque[AudioFrame] = deque(maxlen=_n_before(endpointing))
        """Windows that are part of no utterance yet. The oldest is dropped."""

        self._voice_stopped_at_s = 0.0
        self._newest_at_s = 0.0
        self._scribe: Scribe
        self._loudness: Loudness
        self._utterance: LiveUtterance | None = None
        self._utterances: asyncio.Queue[LiveUtterance | None] = asyncio.Queue(
            _MAX_WAITING_UTTERANCES
        )
        """The oldest is dropped: who is that far behind has no use for it."""

        self._tasks: asyncio.TaskGroup
        self._partial: asyncio.Task[None] | None = None
        self._final: asyncio.Task[None] | None = None
        self._judgement: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def listening(
        self, microphone: AsyncIterator[AudioFrame]
    ) -> AsyncGenerator[AsyncIterator[LiveUtterance]]:
        """The utterances in `microphone` (16 kHz). Nothing of it runs after the block."""
        hearing = asyncio.create_task(self._hear(microphone), name="hearing")
        try:
            yield self._read_utterances()
        finally:
            hearing.cancel()
            await asyncio.wait([hearing])
        if not hearing.cancelled():
            hearing.result()  # raises what went wrong

    async def write_down(self, samples: Pcm) -> str:
        """The words of a recording, "" for noise. Raises RecognizerError."""
        scribe = Scribe(self._recognizer, self._ears)
        scribe.add(samples)
        return (await scribe.final()).text

    def detect_turns(self, wanted: TurnDetection) -> None:
        """From now on."""
        self._endpointer.config = adapted(self._settings, wanted)
        self._aside = deque(self._aside, maxlen=_n_before(self._endpointer.config))

    def forget(self) -> None:
        """What is being said was not meant: it ends without words."""
        self._cancel(self._partial, self._final, self._judgement)
        self._abandon()
        self._let_go()

    def mute(self, muted: bool) -> None:
        """Hear nothing; what was being said ends here."""
        self._is_muted = muted
        if not self._is_open:
            self._let_go()

    def push_to_talk(self, pressed: bool) -> None:
        """Pressed, silence ends no turn and muting does not count; releasing ends the turn."""
        self._endpointer.is_held = pressed
        if not pressed:
            self._let_go()

    @property
    def _is_open(self) -> bool:
        return not self._is_muted or self._endpointer.is_held

    async def _read_utterances(self) -> AsyncIterator[LiveUtterance]:
        while (utterance := await self._utterances.get()) is not None:
            yield utterance

    async def _hear(self, microphone: AsyncIterator[AudioFrame]) -> None:
        loop = asyncio.get_running_loop()
        missing = loop.call_later(_MISSING_SOUND_S, self._let_go)
        try:
            async with asyncio.TaskGroup() as self._tasks:
                async for frame in microphone:
                    missing.cancel()
                    missing = loop.call_later(_MISSING_SOUND_S, self._let_go)
                    if self._is_open:
                        for window in self._windows.cut(frame):
                            self._take(window)
                missing.cancel()
                self._let_go()
        finally:
            missing.cancel()
            self._abandon()
            self._announce(None)

    def _take(self, window: AudioFrame) -> None:
        endpointer = self._endpointer
        samples = window.samples.astype(np.float32) / np.float32(32_768)
        change = endpointer.hear(self._detector.speech_probability(samples))
        is_voice = endpointer.phase is Phase.SPEAKING and endpointer.silence_ms == 0
        self._newest_at_s = window.captured_at_s + WINDOW_MS / 1_000
        if is_voice:
            self._voice_stopped_at_s = self._newest_at_s
        self._aside.append(window)
        self._react(change)
        if endpointer.phase is not None and endpointer.silence_ms <= _KEPT_SILENCE_MS:
            while self._aside:
                self._scribe.add(self._aside.popleft().samples)
        if is_voice:
            self._go_on(window)

    def _react(self, change: Change | None) -> None:
        match change:
            case Change.STARTED:
                self._begin()
            case Change.PAUSED:
                self._pause()
            case Change.RESUMED:
                self._cancel(self._final, self._judgement)
                self._publish(
                    replace(
                        self._heard,
                        phase=Phase.SPEAKING,
                        transcript=self._scribe.transcript,
                        voice_stopped_at_s=None,
                        paused_at_s=None,
                        failure=None,
                    )
                )
            case Change.ENDED:
                self._cancel(self._judgement)
                self._publish(replace(self._heard, phase=Phase.ENDED))
                self._utterance = None

    def _begin(self) -> None:
        speech_ms = self._endpointer.speech_ms
        started_at_s = self._aside[-(speech_ms // WINDOW_MS)].captured_at_s
        self._scribe = Scribe(self._recognizer, self._ears)
        self._loudness = Loudness()
        self._utterance = LiveUtterance(
            Heard(phase=Phase.SPEAKING, speech_ms=speech_ms, started_at_s=started_at_s)
        )
        self._announce(self._utterance)

    def _go_on(self, window: AudioFrame) -> None:
        """The person is speaking right now."""
        self._loudness.add(window.samples)
        speech_ms = self._endpointer.speech_ms
        self._publish(replace(self._heard, speech_ms=speech_ms, loudness_db=self._loudness.db))
        is_asked = self._partial is not None and not self._partial.done()
        if not is_asked and self._scribe.partial_is_due(speech_ms):
            self._partial = self._tasks.create_task(self._write_partial(self._scribe, speech_ms))

    def _pause(self) -> None:
        self._cancel(self._partial)
        self._publish(
            replace(
                self._heard,
                phase=Phase.PAUSED,
                voice_stopped_at_s=self._voice_stopped_at_s,
                paused_at_s=self._newest_at_s,
            )
        )
        self._final = self._tasks.create_task(self._write_final(self._scribe))
        self._judgement = self._tasks.create_task(self._judge(self._scribe))

    async def _write_partial(self, scribe: Scribe, speech_ms: float) -> None:
        try:
            transcript = await scribe.partial(speech_ms)
        except RecognizerError as error:
            logger.warning("no partial transcript: %s", error)
        else:
            self._publish(replace(self._heard, transcript=transcript))

    async def _write_final(self, scribe: Scribe) -> None:
        """Where it is late, the last partial stands in for it; at last, for good."""
        writing = self._tasks.create_task(_final(scribe))
        try:
            wait_s = self._final_wait_ms() / 1_000
            await asyncio.wait([writing], timeout=wait_s)
            partial = replace(scribe.transcript, is_stand_in=True)
            if not writing.done() and partial.text:
                self._publish(replace(self._heard, transcript=partial))
                await asyncio.wait([writing], timeout=(_GIVEN_UP_AFTER - 1) * wait_s)
            if not writing.done() and partial.text:
                transcript, failure = replace(partial, is_final=True), None
            else:
                transcript, failure = await writing
        finally:
            writing.cancel()
        self._publish(replace(self._heard, transcript=transcript, failure=failure))
        self._react(self._endpointer.transcribed(transcript.text))

    async def _judge(self, scribe: Scribe) -> None:
        try:
            probability = await scribe.turn_end_probability()
        except RecognizerError as error:
            logger.warning("silence alone ends this turn: %s", error)
        else:
            self._react(self._endpointer.judged(probability))

    def _let_go(self) -> None:
        """Nothing more of what is being said will be heard."""
        self._react(self._endpointer.close())
        self._windows = Windows()
        self._detector.reset()
        self._aside.clear()

    def _abandon(self) -> None:
        """Nobody will answer any more; those who follow must not wait for ever."""
        if self._utterance is not None:
            self._publish(
                replace(self._heard, phase=Phase.ENDED, transcript=Transcript(is_final=True))
            )
            self._utterance = None
        is_held = self._endpointer.is_held
        self._endpointer = Endpointer(self._endpointer.config)
        self._endpointer.is_held = is_held

    @property
    def _heard(self) -> Heard:
        assert self._utterance is not None
        return self._utterance.heard

    def _publish(self, heard: Heard) -> None:
        assert self._utterance is not None
        self._utterance.publish(heard)

    def _announce(self, utterance: LiveUtterance | None) -> None:
        if self._utterances.full():
            self._utterances.get_nowait()
        self._utterances.put_nowait(utterance)

    @staticmethod
    def _cancel(*tasks: asyncio.Task[None] | None) -> None:
        for task in tasks:
            if task is not None and task is not asyncio.current_task():
                task.cancel()


async def _final(scribe: Scribe) -> tuple[Transcript, RecognizerError | None]:
    """The final transcript, or why there is none."""
    try:
        return await scribe.final(), None
    except RecognizerError as error:
        logger.warning("no transcript: %s", error)
        return Transcript(is_final=True), error


def _n_before(config: EndpointingConfig) -> int:
    """Windows that are kept from before speech is noticed."""
    return n_windows(config.preroll_ms) + n_windows(config.min_speech_ms)


class Windows:
    """Cuts frames of any length into the windows of the speech detector."""

    def __init__(self) -> None:
        self._rest: Pcm = np.zeros(0, np.int16)
        self._rest_at_s = 0.0

    def cut(self, frame: AudioFrame) -> list[AudioFrame]:
        """The windows that `frame` completes."""
        assert frame.sample_rate_hz == _RATE_HZ, frame.sample_rate_hz
        if not len(self._rest):
            self._rest_at_s = frame.captured_at_s
        # Where the frame's first sample lies; what comes before it was captured earlier.
        offset = len(self._rest)
        samples = np.concatenate([self._rest, frame.samples])
        windows = []
        for start in range(0, len(samples) - WINDOW_SAMPLES + 1, WINDOW_SAMPLES):
            windows.append(
                AudioFrame(
                    samples=samples[start : start + WINDOW_SAMPLES],
                    sample_rate_hz=_RATE_HZ,
                    captured_at_s=self._rest_at_s,
                )
            )
            self._rest_at_s = frame.captured_at_s + (start + WINDOW_SAMPLES - offset) / _RATE_HZ
        self._rest = samples[len(windows) * WINDOW_SAMPLES :]
        return windows
