"""What callers ask of the scheduler: a prompt to read, and a reply to write."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum
from queue import SimpleQueue

import numpy as np

from assistant.errors import BrainError
from assistant.llm.context import Run, Sampler
from assistant.llm.draft import Guess
from assistant.llm.kv_cache import Slot
from assistant.llm.prefix import Cell
from assistant.llm.vision import Encoded
from assistant.types import ImageFrame


class Priority(IntEnum):
    REPLY = 0
    """Somebody waits for it."""

    READ_ALONG = 1
    """Somebody will, if the prompt goes on as it began."""

    BACKGROUND = 2
    """It may save somebody the time later."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A job is over; its slot is idle."""

    error: BrainError | None = None


@dataclass(eq=False, slots=True, kw_only=True)
class Reply:
    """The writing half of a job."""

    sampler: Sampler
    random: np.random.Generator
    max_tokens: int
    may_guess: bool = True
    tokens: list[int] = field(default_factory=list)
    n_drafted: int = 0
    n_accepted: int = 0
    first_token_at_s: float = 0.0
    last_token_at_s: float = 0.0


@dataclass(eq=False, slots=True, kw_only=True)
class Job:
    """A prompt to read and, with `reply`, to go on from."""

    cells: list[Cell]
    """The prompt, and every token of the reply as soon as it is drawn."""

    reply: Reply | None = None
    in_background: bool = False
    frames: Mapping[str, ImageFrame] = field(default_factory=dict)
    """The pixels of the pictures among the cells, by key."""

    submitted_at_s: float = field(default_factory=time.monotonic)
    started_at_s: float | None = None
    cached_cells: int = 0
    slot: Slot | None = None
    has_left: bool = False
    events: SimpleQueue[int | Ended] = field(default_factory=SimpleQueue)
    """Tokens, then `Ended`. Bounded by the reply's `max_tokens`."""

    ended: threading.Event = field(default_factory=threading.Event)
    encodings: dict[str, Future[Encoded]] = field(default_factory=dict)
    """Of the pictures that are yet to be read."""

    @property
    def priority(self) -> Priority:
        if self.reply is not None:
            return Priority.REPLY
        return Priority.BACKGROUND if self.in_background else Priority.READ_ALONG

    @property
    def n_read(self) -> int:
        return len(self.slot.cells) if self.slot else 0

    @property
    def is_live(self) -> bool:
        """Whether only the reply's newest token is left to read."""
        return bool(self.reply and self.reply.tokens and self.n_read == len(self.cells) - 1)


@dataclass(frozen=True, slots=True)
class Part:
    """A job's share of a batch."""

    job: Job
    run: Run
    picture: Encoded | None = None
    """Read in place of the run's tokens, which are none."""

    guesses: Sequence[Guess] = ()
    """The last of the run's tokens, which the job has not said yet."""

    @property
    def n_cells(self) -> int:
        """How many of the job's cells it reads."""
        return 1 if self.picture else len(self.run.tokens) - len(self.guesses)
