"""The books on every turn of every session: the last ones, and one line of log for each."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from assistant.monitoring.percentiles import waits_ms
from assistant.records import TurnRecord

logger = logging.getLogger(__name__)

_KEPT_TURNS = 1_000
"""About 2 KB each."""

_ALLOWED_ERROR_MS, _ALLOWED_ERROR_SHARE = 10.0, 0.02


class Books:
    """Told about each turn once it is over; tells those who want to know."""

    def __init__(self) -> None:
        self.turns: deque[TurnRecord] = deque(maxlen=_KEPT_TURNS)
        """The newest last; the oldest are dropped."""

        self._readers: list[Callable[[TurnRecord], None]] = []

    def tell(self, reader: Callable[[TurnRecord], None]) -> None:
        """Have `reader` called with every turn from now on."""
        self._readers.append(reader)

    def record(self, turn: TurnRecord) -> None:
        """A reader that fails takes neither the turn nor the other readers down."""
        self.turns.append(turn)
        logger.info("%s", _sentence(turn), extra={"facts": facts(turn)})
        allowed_ms = max(_ALLOWED_ERROR_MS, _ALLOWED_ERROR_SHARE * (turn.voice_to_voice_ms or 0.0))
        if turn.ledger_error_ms > allowed_ms:
            logger.error(
                "%s %s: the ledger is off by %.0f ms: this is a bug",
                turn.session_id,
                turn.turn_id,
                turn.ledger_error_ms,
            )
        for reader in self._readers:
            try:
                reader(turn)
            except Exception:
                logger.exception("a reader of the books failed")


def _sentence(turn: TurnRecord) -> str:
    waited = "" if turn.voice_to_voice_ms is None else f" after {turn.voice_to_voice_ms:.0f} ms"
    late = ", ".join(f"{o.stage} {o.late_ms:.0f} ms late" for o in turn.overruns)
    return f"{turn.session_id} {turn.turn_id}: {turn.status}{waited}{late and f'; {late}'}"


def facts(turn: TurnRecord) -> dict[str, Any]:
    """The turn as JSON, for a line of log. Times and codes, never words."""
    stats = turn.stats
    return {
        "session": turn.session_id,
        "turn": turn.turn_id,
        "status": turn.status.value,
        "typed": turn.was_typed,
        "waits_ms": {stage: round(ms, 1) for stage, ms in waits_ms(turn).items()},
        "overruns_ms": {o.stage.value: round(o.late_ms, 1) for o in turn.overruns},
        "degraded": [f"{each.stage}: {each.code}" for each in turn.degraded],
        "prompt_tokens": stats and stats.prompt_tokens,
        "cached_tokens": stats and stats.cached_tokens,
        "reply_tokens": stats and stats.reply_tokens,
        "ttft_ms": stats and round(stats.ttft_ms, 1),
        "tpot_ms": stats and stats.tpot_ms and round(stats.tpot_ms, 1),
        "recalled": stats and stats.recalled,
        "brain": stats and stats.by and f"{stats.by.tier}: {stats.by.model}",
        "cost": stats and stats.cost,
        "filler": turn.had_filler,
        "interrupted": turn.was_interrupted,
        "repeat": turn.is_repeat,
        "speech_s": round(turn.speech_s, 2),
    }
