"""The outgoing sound of one connection: what is queued, what goes out, what was heard.

The transport pulls from a `Playout` at its own pace; each reply has a `ReplySpeaker`, its share of
that sound. All of it runs on the event loop's thread.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from assistant.types import AudioFrame, Pcm, Spoken, SpokenFrame

SAMPLE_RATE_HZ = 48_000
_FADE_SAMPLES = SAMPLE_RATE_HZ // 200
"""5 ms: enough that falling silent does not click."""

_REMEMBERED_S = 6.0
"""More than it takes to notice that a line is dead."""

_SAMPLES_PER_CHARACTER = SAMPLE_RATE_HZ // 15
"""Piper speaks about 15 characters a second; used while a phrase is not yet all there."""


@dataclass(slots=True)
class _Phrase:
    """One phrase: what of its sound waits, and how much has gone out."""

    text: str
    waiting: deque[tuple[Pcm, int | None]] = field(default_factory=deque)
    """Each frame's samples, and the characters that have been said at its end where known."""

    total_samples: int = 0
    played_samples: int = 0
    said_characters: int | None = None
    is_whole: bool = False
    """Whether all of its sound has been queued."""

    is_announced: bool = False

    @property
    def is_over(self) -> bool:
        return self.is_whole and not self.waiting

    @property
    def heard(self) -> str:
        """Its words up to the sample that went out last: as the voice timed them, else by
        proportion, to the word."""
        if self.is_announced and self.is_over:
            return self.text
        if self.said_characters is not None:
            return self.text[: self.said_characters]
        if not self.played_samples:
            return ""
        total = self.total_samples
        if not self.is_whole:
            total = max(total, len(self.text) * _SAMPLES_PER_CHARACTER)
        cut = int(len(self.text) * self.played_samples / total)
        return self.text[: max(self.text.rfind(" ", 0, cut + 1), 0)]


class ReplySpeaker:
    """One reply's share of the outgoing sound: the truth about what was heard of it."""

    def __init__(self, *, buffer_ms: float, on_phrase: Callable[[str], None]) -> None:
        self._buffer_samples = int(buffer_ms * SAMPLE_RATE_HZ / 1_000)
        self._on_phrase = on_phrase
        self._phrases: list[_Phrase] = []
        self._next = 0
        """Index of the phrase that goes out, or will."""

        self._filler: deque[Pcm] = deque()
        self._moved = asyncio.Event()
        self._is_open = False
        self._is_paused = False
        self._is_stopped = False
        self._was_cut_off = False
        self._is_whole = False
        self._tail = np.zeros(0, np.int16)
        self._sent_samples = 0
        self._marks: list[tuple[float, int]] = []
        self.first_sent_at_s: float | None = None
        """Monotonic time at which the first sample went out."""

    @property
    def heard(self) -> str:
        return "".join(phrase.heard for phrase in self._phrases).rstrip()

    @property
    def spoken(self) -> Spoken:
        return Spoken(self.heard, tuple(self._marks))

    @property
    def is_audible(self) -> bool:
        return self.first_sent_at_s is not None and not self._is_stopped

    @property
    def is_wanted(self) -> bool:
        """Whether what it said may still be heard: nobody made it wait or cut it off."""
        return not self._is_paused and not self._was_cut_off

    @property
    def is_dry(self) -> bool:
        """Whether all that was queued has gone out."""
        return not any(phrase.waiting for phrase in self._phrases[self._next :])

    @property
    def ends_in_ms(self) -> float | None:
        if not self._is_whole:
            return None
        return 1_000 * self._waiting_samples / SAMPLE_RATE_HZ

    def begin(self, phrase: str) -> None:
        self._finish_phrase()
        if not self._is_stopped:
            self._phrases.append(_Phrase(phrase))

    async def play(self, frame: AudioFrame) -> None:
        assert frame.sample_rate_hz == SAMPLE_RATE_HZ
        if self._is_stopped:
            return
        said = frame.said_characters if isinstance(frame, SpokenFrame) else None
        self._phrases[-1].waiting.append((frame.samples, said))
        self._phrases[-1].total_samples += len(frame.samples)
        while self._waiting_samples > self._buffer_samples and not self._is_stopped:
            await self._wait_for_move()

    @property
    def _waiting_samples(self) -> int:
        return sum(p.total_samples - p.played_samples for p in self._phrases[self._next :])

    def _finish_phrase(self) -> None:
        if self._phrases:
            self._phrases[-1].is_whole = True

    def fill(self, frame: AudioFrame) -> None:
        """Sound to pass the time with until the reply begins. It does not count as heard."""
        if self.first_sent_at_s is None and not self._is_stopped:
            self._filler.append(frame.samples)

    def open(self) -> None:
        self._is_open = True

    async def drained(self) -> None:
        self._finish_phrase()
        self._is_whole = True
        while not self._is_stopped and not all(p.is_over and p.is_announced for p in self._phrases):
            await self._wait_for_move()

    async def _wait_for_move(self) -> None:
        self._moved.clear()
        await self._moved.wait()

    def pause(self) -> None:
        if not self._is_paused:
            self._tail = self._fade_out()
            self._is_paused = True

    def resume(self) -> None:
        self._is_paused = False

    def stop(self) -> None:
        if not self._is_stopped:
            if not self._is_paused:
                self._tail = self._fade_out()
            self._is_stopped = True
            self._was_cut_off = self._next < len(self._phrases)
            self._moved.set()

    def _fade_out(self) -> Pcm:
        """The next few milliseconds, fading: they go out in place of what would have."""
        samples = np.zeros(0, np.int16)
        if self._filler:
            samples = self._filler[0][:_FADE_SAMPLES]
        elif self.is_audible and self._next < len(self._phrases):
            waiting = self._phrases[self._next].waiting
            samples = waiting[0][0][:_FADE_SAMPLES] if waiting else samples
        return (samples * np.linspace(1, 0, len(samples), dtype=np.float32)).astype(np.int16)

    def draw(self, n_samples: int) -> Pcm:
        """What goes out next, as far as there is something: up to `n_samples`."""
        sound = self._draw(n_samples)
        self._sent_samples += len(sound)
        n_characters = len(self.heard)
        if n_characters > (self._marks[-1][1] if self._marks else 0):
            self._marks.append((1_000 * self._sent_samples / SAMPLE_RATE_HZ, n_characters))
        return sound

    def _draw(self, n_samples: int) -> Pcm:
        if self._filler and self._is_open and self._has_begun:
            self._tail = self._fade_out()  # the reply is there: nothing is spoken over it
            self._filler.clear()
        out = np.zeros(n_samples, np.int16)
        filled = min(len(self._tail), n_samples)
        out[:filled] = self._tail[:filled]
        self._tail = self._tail[filled:]
        if not self._is_open or self._is_paused or self._is_stopped:
            return out[:filled]
        while self._filler and filled < n_samples:
            filled = _pour(self._filler, out, filled)
        while self._next < len(self._phrases):
            phrase = self._phrases[self._next]
            if phrase.waiting or phrase.is_whole:
                self._announce(phrase)
            while phrase.waiting and filled < n_samples:
                samples, said = phrase.waiting.popleft()
                taken = samples[: n_samples - filled]
                out[filled : filled + len(taken)] = taken
                filled += len(taken)
                phrase.played_samples += len(taken)
                if len(taken) < len(samples):
                    phrase.waiting.appendleft((samples[len(taken) :], said))
                elif said is not None:
                    phrase.said_characters = said
            if not phrase.is_over:
                break
            self._next += 1
        self._moved.set()
        return out[:filled]

    @property
    def _has_begun(self) -> bool:
        """Whether there is something of the reply to be heard."""
        return any(phrase.waiting or phrase.is_whole for phrase in self._phrases)

    def _announce(self, phrase: _Phrase) -> None:
        if phrase.is_announced:
            return
        phrase.is_announced = True
        if self.first_sent_at_s is None:
            self.first_sent_at_s = time.monotonic()
        self._on_phrase(phrase.text)


def _pour(source: deque[Pcm], out: Pcm, filled: int) -> int:
    """Fill `out` from `filled` on with what is first in `source`; return how far that got."""
    samples = source.popleft()
    taken = samples[: len(out) - filled]
    out[filled : filled + len(taken)] = taken
    if len(taken) < len(samples):
        source.appendleft(samples[len(taken) :])
    return filled + len(taken)


class Playout:
    """All that goes out to one peer. The newest reply's speaker is the one that is heard."""

    def __init__(self, *, buffer_ms: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._buffer_ms = buffer_ms
        self._clock = clock
        self._speaker: ReplySpeaker | None = None
        self._sent: deque[tuple[float, Pcm]] = deque()
        """What went out of this reply in the last seconds, and when."""

        self._again: deque[Pcm] = deque()
        """What went out on a line that was dead."""

    def new_speaker(self, on_phrase: Callable[[str], None]) -> ReplySpeaker:
        if self._speaker is not None:
            self._speaker.stop()
        self._speaker = ReplySpeaker(buffer_ms=self._buffer_ms, on_phrase=on_phrase)
        self._sent.clear()
        self._again.clear()
        return self._speaker

    def draw(self, n_samples: int) -> Pcm:
        """What there is to be heard next, up to `n_samples` of 48 kHz mono."""
        if self._speaker is None or n_samples <= 0:
            return np.zeros(0, np.int16)
        if self._again and self._speaker.is_wanted:
            sound = np.zeros(n_samples, np.int16)
            filled = 0
            while self._again and filled < n_samples:
                filled = _pour(self._again, sound, filled)
            sound = sound[:filled]
        else:
            sound = self._speaker.draw(n_samples)
        now_s = self._clock()
        if len(sound):
            self._sent.append((now_s, sound))
        while self._sent and self._sent[0][0] < now_s - _REMEMBERED_S:
            self._sent.popleft()
        return sound

    def rewind(self, since_s: float) -> None:
        """What went out since then (monotonic) was lost on the way: it goes out again, unless the
        person has interrupted it meanwhile."""
        lost = [sound for sent_at_s, sound in self._sent if sent_at_s >= since_s]
        self._sent.clear()
        self._again.extendleft(reversed(lost))

    def pull(self, n_samples: int) -> Pcm:
        """The same, with silence where there is nothing. Shape (n_samples,)."""
        sound = self.draw(n_samples)
        return np.pad(sound, (0, n_samples - len(sound)))
