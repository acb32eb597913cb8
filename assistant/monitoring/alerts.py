"""Which stage is over its limit, judged anew after each turn."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence

from assistant.config import AlertConfig
from assistant.events import AlertChanged
from assistant.loop_lag import percentile
from assistant.monitoring.percentiles import latest, waits_ms
from assistant.records import TurnRecord

logger = logging.getLogger(__name__)

_FEWEST_TURNS = 10
_OVER_UNTIL = 0.9
"""Of the limit: an alert that comes and goes with every turn is no news."""


class Alerts:
    """Says when an alert begins, and when it ends."""

    def __init__(
        self,
        rules: Iterable[AlertConfig],
        turns: Sequence[TurnRecord],
        tell: Callable[[AlertChanged], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`turns`: all that are known, the newest last; it grows. `tell` must not wait."""
        self._rules = tuple(rules)
        self._turns = turns
        self._tell = tell
        self._clock = clock
        self._over: dict[AlertConfig, AlertChanged] = {}

    @property
    def over(self) -> tuple[AlertChanged, ...]:
        """Those that go on, as they stand."""
        return tuple(self._over.values())

    def take(self, _: TurnRecord) -> None:
        """One more turn is over."""
        for rule in self._rules:
            was_over = rule in self._over
            now = judge(rule, self._turns, was_over=was_over, now=self._clock())
            self._over.pop(rule, None)
            if now.is_over:
                self._over[rule] = now
            if now.is_over == was_over:
                continue
            logger.log(logging.WARNING if now.is_over else logging.INFO, "%s", sentence(now))
            self._tell(now)


def judge(
    rule: AlertConfig, turns: Sequence[TurnRecord], *, was_over: bool, now: float
) -> AlertChanged:
    """Pure. `now`: seconds since the epoch."""
    window = latest(turns, at_most=rule.window_turns, since=now - 60 * rule.window_minutes)
    values = [waits[rule.stage] for waits in map(waits_ms, window) if rule.stage in waits]
    value_ms = percentile(values, rule.percentile) if len(values) >= _FEWEST_TURNS else None
    limit_ms = rule.limit_ms * (_OVER_UNTIL if was_over else 1.0)
    return AlertChanged(
        stage=rule.stage,
        percentile=rule.percentile,
        is_over=value_ms is not None and value_ms > limit_ms,
        value_ms=value_ms,
        limit_ms=rule.limit_ms,
        n_turns=len(values),
    )


def sentence(alert: AlertChanged) -> str:
    """For the log and for whoever reads the webhook's messages."""
    what = f"{alert.stage} P{alert.percentile}"
    if alert.value_ms is None:
        return f"alert over: {what} is not known, there were too few turns"
    found = f"{what} is {alert.value_ms:.0f} ms over the last {alert.n_turns} turns"
    return f"{'alert' if alert.is_over else 'alert over'}: {found}, the limit {alert.limit_ms} ms"
