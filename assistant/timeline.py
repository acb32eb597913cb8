"""One turn's stopwatch, and the ledger whose lines add up to what was measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.events import LedgerLine
from assistant.types import ReplyStats


class Mark(StrEnum):
    """Moments of a turn, in the order in which they normally happen."""

    SPEECH_STARTED = "speech_started"
    SPEECH_CAPTURED = "speech_captured"
    """The person's last voiced sample, at the microphone, as the listener's end reckons."""

    SPEECH_ENDED = "speech_ended"
    """The same sample, when it arrived here."""

    PAUSE_NOTICED = "pause_noticed"
    TRANSCRIPT_FINAL = "transcript_final"
    SCENE_KNOWN = "scene_known"
    """What the camera shows is known, or no longer waited for: the brain can be asked."""

    FIRST_TOKEN = "first_token"
    FIRST_PHRASE = "first_phrase"
    FIRST_AUDIO = "first_audio"
    """The first sample of the reply was made; it may still wait for the gate."""

    TURN_CONFIRMED = "turn_confirmed"
    """The end of turn was certain: the gate opened."""

    FIRST_SENT = "first_sent"
    """The first sample of the reply went out."""

    FILLER_SENT = "filler_sent"
    """An acknowledgement went out while the answer was late. It is no answer."""

    FILLER_HEARD = "filler_heard"

    FIRST_HEARD = "first_heard"
    """The reply's first sample sounded at the listener, as the listener's end reported."""

    DONE = "done"


_WORK = (
    ("pause", Mark.PAUSE_NOTICED),
    ("asr", Mark.TRANSCRIPT_FINAL),
    ("vision", Mark.SCENE_KNOWN),
    ("prefill", Mark.FIRST_TOKEN),
    ("first phrase", Mark.FIRST_PHRASE),
    ("tts", Mark.FIRST_AUDIO),
)
"""The way to the first sound, each stage ending with its mark. The end of turn is decided beside
it, and the gate opens when both are there."""

_LONGEST_WAY_S = 5.0
"""A first sample that is reported later than this was another sound."""

_LONGEST_FILLER_WAY_S = 1.0
"""The same of a filler, which may have gone unnoticed while the reply followed."""

_OF_THE_REPLY = (
    Mark.SCENE_KNOWN,
    Mark.TRANSCRIPT_FINAL,
    Mark.FIRST_TOKEN,
    Mark.FIRST_PHRASE,
    Mark.FIRST_AUDIO,
    Mark.PAUSE_NOTICED,
)


@dataclass(slots=True)
class TurnTimeline:
    """When each moment of a turn first happened, on one monotonic clock."""

    clock: Callable[[], float] = time.monotonic
    at_s: dict[Mark, float] = field(default_factory=dict)
    stats: ReplyStats | None = None
    on_change: Callable[[], None] = lambda: None
    """Called when a moment was noted, or forgotten."""

    def mark(self, mark: Mark, at_s: float | None = None) -> None:
        """Note the first time `mark` happens, now or at `at_s`; later calls change nothing."""
        if mark not in self.at_s:
            self.at_s[mark] = self.clock() if at_s is None else at_s
            if mark is Mark.FIRST_SENT:
                self._hear_after_filler()
            self.on_change()

    def forget_reply(self) -> None:
        """What was begun was thrown away: speech went on."""
        for mark in _OF_THE_REPLY:
            self.at_s.pop(mark, None)
        self.on_change()

    def between_ms(self, start: Mark, end: Mark) -> float | None:
        """Milliseconds from `start` to `end`; None unless both happened."""
        if start not in self.at_s or end not in self.at_s:
            return None
        return 1_000 * (self.at_s[end] - self.at_s[start])

    def since_ms(self, mark: Mark) -> float | None:
        """Milliseconds from `mark` to now; None unless it happened."""
        return 1_000 * (self.clock() - self.at_s[mark]) if mark in self.at_s else None

    @property
    def voice_to_voice_ms(self) -> float | None:
        """The person's last voiced sample to our first one, at their end where that is known."""
        end = Mark.FIRST_HEARD if Mark.FIRST_HEARD in self.at_s else Mark.FIRST_SENT
        return self.between_ms(self._silence, end)

    @property
    def _silence(self) -> Mark:
        is_known = Mark.SPEECH_CAPTURED in self.at_s and Mark.SPEECH_ENDED in self.at_s
        return Mark.SPEECH_CAPTURED if is_known else Mark.SPEECH_ENDED

    def came_by(self, uplink_ms: float) -> None:
        """What the person says takes so long from the microphone to here."""
        if Mark.SPEECH_ENDED in self.at_s and 0 <= uplink_ms <= 1_000 * _LONGEST_WAY_S:
            captured_at_s = self.at_s[Mark.SPEECH_ENDED] - uplink_ms / 1_000
            self.mark(Mark.SPEECH_CAPTURED, captured_at_s)

    def heard(self, at_s: float) -> bool:
        """The listener heard something begin; whether now it is known when they heard the reply.

        A filler that the reply cuts off leaves no silence in which another beginning would be
        noticed: then the reply took as long to the listener as the filler did just before.
        """
        if self._is_of(Mark.FILLER_SENT, Mark.FILLER_HEARD, at_s, within_s=_LONGEST_FILLER_WAY_S):
            self.mark(Mark.FILLER_HEARD, at_s)
            self._hear_after_filler()
            return Mark.FIRST_HEARD in self.at_s
        if self._is_of(Mark.FIRST_SENT, Mark.FIRST_HEARD, at_s, within_s=_LONGEST_WAY_S):
            self.mark(Mark.FIRST_HEARD, at_s)
            return True
        return False

    def _is_of(self, sent: Mark, heard: Mark, at_s: float, *, within_s: float) -> bool:
        """Whether what was heard at `at_s` may be what was `sent`, and nothing was yet."""
        if sent not in self.at_s or heard in self.at_s:
            return False
        return 0 <= at_s - self.at_s[sent] <= within_s

    def _hear_after_filler(self) -> None:
        way_ms = self.between_ms(Mark.FILLER_SENT, Mark.FILLER_HEARD)
        if way_ms is not None and Mark.FIRST_SENT in self.at_s:
            self.mark(Mark.FIRST_HEARD, self.at_s[Mark.FIRST_SENT] + way_ms / 1_000)

    def ledger(self) -> tuple[LedgerLine, ...]:
        """The lines from the end of speech, at the microphone where that is known, to the first
        sample of the reply that was sent, or heard.

        Lines that are not `overlapped` follow one another without a gap, so their durations add
        up to `voice_to_voice_ms`. Work that was done before the person stopped costs nothing.
        """
        if self.voice_to_voice_ms is None:
            return ()
        lines = list[LedgerLine]()
        reached_ms = 0.0
        if self._silence is Mark.SPEECH_CAPTURED:
            reached_ms = self._add(lines, "capture and uplink", reached_ms, Mark.SPEECH_ENDED)
        arrived_ms = reached_ms
        for name, mark in _WORK:
            if mark is Mark.FIRST_TOKEN:
                reached_ms = self._add_queue(lines, reached_ms)
            reached_ms = self._add(lines, name, reached_ms, mark)
        confirmed_ms = self.between_ms(self._silence, Mark.TURN_CONFIRMED)
        if confirmed_ms is not None and confirmed_ms <= reached_ms:
            lines.append(
                LedgerLine(
                    name="end of turn",
                    start_ms=arrived_ms,
                    duration_ms=confirmed_ms - arrived_ms,
                    overlapped=True,
                )
            )
        else:
            reached_ms = self._add(lines, "end of turn", reached_ms, Mark.TURN_CONFIRMED)
        reached_ms = self._add(lines, "pacing", reached_ms, Mark.FIRST_SENT)
        self._add(lines, "network and playout", reached_ms, Mark.FIRST_HEARD)
        return tuple(lines)

    def _add_queue(self, lines: list[LedgerLine], start_ms: float) -> float:
        """The part of the wait for the first token in which the brain was busy with others."""
        first_token_ms = self.between_ms(self._silence, Mark.FIRST_TOKEN)
        if self.stats is None or first_token_ms is None:
            return start_ms
        end_ms = min(start_ms + self.stats.queue_ms, max(start_ms, first_token_ms))
        return _append(lines, "queue", start_ms, end_ms)

    def _add(self, lines: list[LedgerLine], name: str, start_ms: float, mark: Mark) -> float:
        """Append the line that ends with `mark`; return where it ends."""
        end_ms = self.between_ms(self._silence, mark)
        if end_ms is None:
            return start_ms
        return _append(lines, name, start_ms, max(start_ms, end_ms))


def _append(lines: list[LedgerLine], name: str, start_ms: float, end_ms: float) -> float:
    duration_ms = end_ms - start_ms
    lines.append(
        LedgerLine(name=name, start_ms=start_ms, duration_ms=duration_ms, overlapped=False)
    )
    return end_ms
