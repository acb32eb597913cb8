"""The vocabulary: values that travel between stages. Imports nothing of ours but words.py."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from assistant.words import spliced

Pcm = NDArray[np.int16]
"""Mono PCM, shape (n_samples,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioFrame:
    """A short run of mono PCM."""

    samples: Pcm
    sample_rate_hz: int

    captured_at_s: float
    """Monotonic clock (time.monotonic) when the first sample was captured."""

    @property
    def duration_ms(self) -> float:
        return 1_000 * len(self.samples) / self.sample_rate_hz


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenFrame(AudioFrame):
    """Sound of a phrase, and how far into the phrase it goes."""

    said_characters: int
    """Characters of the written phrase, to the word, that have been said when this frame ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFrame:
    """One camera picture."""

    pixels: NDArray[np.uint8]
    """Shape (height, width, 3), RGB."""

    captured_at_s: float

    @property
    def content_hash(self) -> str:
        """The same for the same pixels, whenever they were captured."""
        shape = repr(self.pixels.shape).encode()
        return hashlib.blake2b(shape + self.pixels.tobytes(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One thing that was seen."""

    label: str
    confidence: float
    x: float
    """Of its middle: 0 at the left edge of the picture, 1 at the right one."""

    y: float
    """0 at the top, 1 at the bottom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What the eyes made of one frame."""

    facts: tuple[str, ...] = ()
    """Each is a phrase such as "a cat in the middle" or 'text that reads "OPEN 9-5"'."""

    things: tuple[Sighting, ...] = ()
    """What the next scene is compared with."""

    image: ImageFrame | None = None
    """The frame itself, scaled down, for a brain that sees."""

    preview: bytes = b""
    """The frame that was looked at, as a small JPEG for the person who showed it."""

    captured_at_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What the recognizer believes so far.

    `committed` never changes within one utterance; `tentative` may be revised by the next
    partial. A final transcript has no tentative text, unless it is a stand-in.
    """

    committed: str = ""
    tentative: str = ""
    is_final: bool = False
    is_stand_in: bool = False
    """The last partial: the final transcript is late, or was given up where this is final."""

    @property
    def text(self) -> str:
        return spliced(self.committed, self.tentative)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One answer of the recognizer about one stretch of audio."""

    text: str

    no_speech_probability: float
    """0 to 1: the recognizer's own belief that nobody spoke."""

    mean_log_probability: float
    """Mean over the tokens, natural logarithm; near 0 is certain."""

    language: str

    compute_ms: float


class Phase(StrEnum):
    """Where an utterance stands."""

    SPEAKING = "speaking"
    PAUSED = "paused"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Everything known about an utterance at one moment."""

    phase: Phase
    transcript: Transcript = Transcript()
    """Final (speculatively) once `PAUSED` long enough; certainly final in `ENDED`."""

    speech_ms: float = 0.0
    """Voiced time so far."""

    loudness_db: float | None = None
    """Root mean square of the voiced sound, below full scale; None where nobody measured it."""

    started_at_s: float = 0.0
    """Monotonic time of the first voiced sample."""

    voice_stopped_at_s: float | None = None
    """Monotonic time of the last voiced sample; None while the person speaks."""

    paused_at_s: float | None = None
    """Monotonic time at which the pause was noticed and the final transcript begun."""

    is_typed: bool = False
    """Written, not spoken: nobody stopped speaking, so there is nothing to wait for."""

    failure: Exception | None = None
    """Why there is no transcript though somebody spoke: the recognizer's StageError."""


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: Role
    text: str
    image: ImageFrame | None = None
    """Comes before the text in the prompt."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Words of an answer that were heard, and when."""

    text: str = ""
    marks: tuple[tuple[float, int], ...] = ()
    """Milliseconds since its first sound, and the characters that had been said by then."""

    def until(self, ms: float) -> Spoken:
        """Only what was said in the first `ms`."""
        marks = tuple(mark for mark in self.marks if mark[0] <= ms)
        return Spoken(self.text[: marks[-1][1]] if marks else "", marks)


Prompt = tuple[Message, ...]
"""A whole conversation, as a value. The brain compares it with its KV cache.

A prompt whose last message is the user's and that is passed to `Brain.prefill` is open-ended: more
words may follow. Passed to `Brain.reply` it is complete.
"""


class Recalled(StrEnum):
    """How an answer was found that no brain wrote this time."""

    TEMPLATE = "template"
    EXACT = "exact"
    SIMILAR = "similar"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyStats:
    """What a reply cost, as the brain saw it."""

    prompt_tokens: int
    cached_tokens: int
    """Prompt tokens that were not read again."""

    reply_tokens: int
    queue_ms: float
    prefill_ms: float
    ttft_ms: float
    """Request to first token."""

    tpot_ms: float | None
    """Mean time per output token after the first; None with fewer than two."""

    reread_tokens: int = 0
    """Tokens of earlier messages that had been read before, or might have been, and were not kept:
    somebody waited while they were read."""

    drafted_tokens: int = 0
    accepted_tokens: int = 0
    draft_length: int | None = None
    """Guesses per step that were last thought best, 0 for none; None without drafting."""

    predicted_speed_ratio: float | None = None
    """Tokens per second at that draft length, by those of plain decoding."""

    measured_speed_ratio: float | None = None
    """The same as it turned out, by plain decoding as last measured."""

    recalled: Recalled | None = None
    """None for an answer that a brain wrote."""

    sources: tuple[str, ...] = ()
    """Where in the person's documents the brain was shown something."""

    cost: float | None = None
    """In the currency of `[remote]`'s prices; None where nothing is charged."""

    by: Answerer | None = None
    """None where there is only one brain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerer:
    """Who answers, where several brains might."""

    tier: str
    model: str
    is_remote: bool
    reason: str
    """Why this one: a Reason of router.py."""

    expected_ms: float | None = None
    """How long its first phrase takes, going by the last ones; None where nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStep:
    """A call that was carried out within a reply, and what it brought."""

    call_id: str
    call: str
    """As the brain wrote it."""

    result: str
    sources: tuple[str, ...] = ()
    """Where that stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPiece:
    """Some text of a reply, as soon as it exists. Only the last piece carries `stats`."""

    text: str
    stats: ReplyStats | None = None
    by: Answerer | None = None
    """Who was asked just now; such a piece has no text."""

    shortcoming: str = ""
    """Why less is given than was meant to be; such a piece has no text."""

    is_kept: bool = False
    """With a shortcoming: what comes is an answer that was kept, in place of the brain's."""

    doing: str = ""
    """What is done before there is more to say; such a piece has no text."""

    step: ToolStep | None = None
    """Something was done; such a piece has no text."""
