"""The books on every turn of every session: the last ones, and one line of log for each."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

from assistant.records import TurnRecord

logger = logging.getLogger(__name__)

_KEPT_TURNS = 50
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
        self.turns.append(turn)
        waited = "" if turn.voice_to_voice_ms is None else f" after {turn.voice_to_voice_ms:.0f} ms"
        late = ", ".join(f"{o.stage} {o.late_ms:.0f} ms late" for o in turn.overruns)
        logger.info(
            "%s %s: %s%s%s",
            turn.session_id,
            turn.turn_id,
            turn.status,
            waited,
            late and f"; {late}",
        )
        allowed_ms = max(_ALLOWED_ERROR_MS, _ALLOWED_ERROR_SHARE * (turn.voice_to_voice_ms or 0.0))
        if turn.ledger_error_ms > allowed_ms:
            logger.error(
                "%s %s: the ledger is off by %.0f ms: this is a bug",
                turn.session_id,
                turn.turn_id,
                turn.ledger_error_ms,
            )
        for reader in self._readers:
            reader(turn)
