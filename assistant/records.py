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

    ended_at: float = field(default_factory=time.time)
    """Seconds since the epoch."""

    @property
    def ledger_error_ms(self) -> float:
        """How far the critical path is from what was measured."""
        if self.voice_to_voice_ms is None:
            return 0.0
        path_ms = sum(line.duration_ms for line in self.lines if not line.overlapped)
        return abs(path_ms - self.voice_to_voice_ms)
