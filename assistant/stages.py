"""The seams. Everything that can be swapped is a Protocol here, and nowhere else.

A stage streams through an async context manager: leaving the block, for whatever reason,
cancellation included, means the stage is idle again and its buffers are empty.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from assistant.events import Command, Event, TurnDetection
from assistant.types import (
    AudioFrame,
    Heard,
    Hypothesis,
    ImageFrame,
    Pcm,
    Prompt,
    ReplyPiece,
    Scene,
    Spoken,
)

T_co = TypeVar("T_co", covariant=True)
Stream = AbstractAsyncContextManager[AsyncIterator[T_co]]


class SpeechDetector(Protocol):
    """Voice activity detection (VAD). One for each microphone: it keeps state between windows."""

    def speech_probability(self, window: NDArray[np.float32]) -> float:
        """`window`: shape (512,), 16 kHz mono in [-1, 1], directly after the one before."""
        ...

    def reset(self) -> None: ...


class Recognizer(Protocol):
    """Speech to text (ASR) and the judgement whether a turn is complete."""

    async def transcribe(self, samples: Pcm, *, is_final: bool) -> Hypothesis:
        """One hypothesis about the whole of `samples` (16 kHz). Raises RecognizerError."""
        ...

    async def turn_end_probability(self, samples: Pcm) -> float:
        """0 to 1: has the person finished? `samples`: the utterance so far, 16 kHz."""
        ...


class Utterance(Protocol):
    """What one person is saying, while it is being said."""

    @property
    def heard(self) -> Heard:
        """The newest state."""
        ...

    def follow(self) -> AsyncIterator[Heard]:
        """The newest state now and after each change, to `ENDED` inclusive.

        States conflate: a slow reader misses some, never the last. Any number may follow.
        """
        ...


class Listener(Protocol):
    """Microphone frames to utterances. One for each person."""

    def listening(
        self, microphone: AsyncIterator[AudioFrame]
    ) -> AbstractAsyncContextManager[AsyncIterator[Utterance]]:
        """The utterances in 16 kHz frames, each as soon as it begins."""
        ...

    async def write_down(self, samples: Pcm) -> str:
        """The words of a recording (16 kHz), "" for noise. Raises RecognizerError."""
        ...

    def detect_turns(self, wanted: TurnDetection) -> None:
        """From now on."""
        ...

    def forget(self) -> None:
        """What is being said was not meant: it ends without words."""
        ...

    def mute(self, muted: bool) -> None: ...

    def push_to_talk(self, pressed: bool) -> None:
        """While pressed, silence ends no turn; letting go ends it."""
        ...


class Brain(Protocol):
    """Text and pictures to text (LLM)."""

    async def prefill(self, prompt: Prompt) -> None:
        """Bring the KV cache to `prompt`, reusing its longest common prefix."""
        ...

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        """Prefill what is missing, then decode. Raises BrainError."""
        ...


class Voice(Protocol):
    """Text to speech (TTS)."""

    def speak(self, phrase: str, *, voice: str, speed: float) -> Stream[AudioFrame]:
        """48 kHz frames of `phrase`, the first as early as possible. Raises VoiceError.

        `voice`: the id of one that is here; `speed`: 1 is its own.
        """
        ...


class Eyes(Protocol):
    """A camera frame to facts, or to what a brain that sees can take."""

    async def look(self, frame: ImageFrame, *, image_side_px: int = 0) -> Scene:
        """`image_side_px`: the longer side of the scene's image; 0 for none. Raises EyesError."""
        ...


class Camera(Protocol):
    """What there is to see."""

    def pick(self, *, unlike: ImageFrame | None = None) -> ImageFrame | None:
        """A good picture of what the camera shows now.

        None when there is no camera, when it has sent nothing for a while, or when it shows the
        same as `unlike`.
        """
        ...

    async def refreshed(self) -> bool:
        """Wait for a fresh frame, where there is none but one is to be expected soon.

        True when it came: `pick` has something new.
        """
        ...


class Speaker(Protocol):
    """One turn's share of the outgoing audio track: the truth about what was heard."""

    @property
    def spoken(self) -> Spoken:
        """The words that the person has heard so far."""
        ...

    @property
    def first_sent_at_s(self) -> float | None:
        """Monotonic time at which the first sample went out; None while none has."""
        ...

    @property
    def is_audible(self) -> bool:
        """Whether the person has heard any of it, and it is not over."""
        ...

    @property
    def is_dry(self) -> bool:
        """Whether all that was queued has gone out."""
        ...

    @property
    def ends_in_ms(self) -> float | None:
        """How much sound is left, once all of it has been made; None before."""
        ...

    def begin(self, phrase: str) -> None:
        """The frames that follow speak `phrase`; with none it is seen but not heard."""
        ...

    async def play(self, frame: AudioFrame) -> None:
        """Queue a 48 kHz frame. Waits while more than the buffer limit is queued."""
        ...

    def fill(self, frame: AudioFrame) -> None:
        """Sound to pass the time with: the reply cuts it off, and it never counts as heard."""
        ...

    def open(self) -> None:
        """Open the gate: until then frames are queued and nothing is heard."""
        ...

    async def drained(self) -> None:
        """Wait until all that was queued has been heard."""
        ...

    def pause(self) -> None:
        """Fall silent, keeping the place, until `resume`."""
        ...

    def resume(self) -> None: ...

    def stop(self) -> None:
        """Drop what is queued and take no more. Never waits; may be called twice."""
        ...


class Peer(Protocol):
    """The other end of a connection: somebody's browser, or a client program."""

    @property
    def camera(self) -> Camera: ...

    def microphone(self) -> AsyncIterator[AudioFrame]:
        """16 kHz mono frames of 20 ms; ends when the peer is gone."""
        ...

    def commands(self) -> AsyncIterator[Command]:
        """What the person does other than speak; ends when the peer is gone."""
        ...

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker:
        """A reply's share of the outgoing track. The last one made is the one that is heard.

        `on_phrase` is called with each phrase when its first sample goes out.
        """
        ...

    def send(self, event: Event) -> None:
        """Tell the other end. Never waits; dropped when the peer is gone."""
        ...
