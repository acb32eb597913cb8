"""What is kept of a turn once it is over: times and reasons, never words."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from assistant.budget import Overrun
from assistant.events import Degraded, LedgerLine, ReplyStatus
from assistant.types import ReplyStats


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """One turn, for the log, the metrics and the dashboard."""

    session_id: str
    turn_id: str
    status: ReplyStatus
    was_typed: bool
    voice_to_voice_ms: float | None
    lines: tuple[LedgerLine, ...]
    overruns: tuple[Overrun, ...]
    degraded: tuple[Degraded, ...]
    stats: ReplyStats | None
    had_filler: bool
    speech_s: float
    """How long the answer sounded."""

    is_repeat: bool = False
    """Whether the person had to say again what they had said in the turn before."""

    ended_at: float = field(default_factory=time.time)
    """Seconds since the epoch."""

    @property
    def was_interrupted(self) -> bool:
        """Whether the answer was cut off while it was heard."""
        return self.status is ReplyStatus.CANCELLED and self.speech_s > 0

    @property
    def had_apology(self) -> bool:
        """Whether the person was asked to excuse that there is no answer."""
        return self.status is ReplyStatus.FAILED

    @property
    def ledger_error_ms(self) -> float:
        """How far the critical path is from what was measured."""
        if self.voice_to_voice_ms is None:
            return 0.0
        path_ms = sum(line.duration_ms for line in self.lines if not line.overlapped)
        return abs(path_ms - self.voice_to_voice_ms)
