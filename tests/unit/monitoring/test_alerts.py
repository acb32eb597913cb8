from __future__ import annotations

import logging

import pytest

from assistant.config import AlertConfig, StageName
from assistant.events import AlertChanged
from assistant.monitoring.alerts import Alerts, judge
from assistant.records import TurnRecord
from tests.unit.monitoring.turns import TYPED, waiting

RULE = AlertConfig(limit_ms=1_000, window_turns=20, window_minutes=10)


class Watch:
    """Alerts, and the turns that they look at, one a second."""

    def __init__(self, *rules: AlertConfig) -> None:
        self.turns: list[TurnRecord] = []
        self.told: list[AlertChanged] = []
        self.now = 0.0
        self.alerts = Alerts(rules, self.turns, self.told.append, clock=lambda: self.now)

    def take(self, *waits_ms: float) -> None:
        for wait_ms in waits_ms:
            self.now += 1
            self.turns.append(waiting(wait_ms, ended_at=self.now))
            self.alerts.take(self.turns[-1])

    def changes(self) -> list[bool]:
        return [alert.is_over for alert in self.told]


@pytest.mark.parametrize(
    ("waits_ms", "changes"),
    [
        ([500] * 30, []),
        # Nine turns say nothing, however slow.
        ([5_000] * 9, []),
        ([5_000] * 10, [True]),
        # P95 of twenty is the second slowest.
        ([500] * 19 + [5_000], []),
        ([500] * 18 + [5_000] * 2, [True]),
        # It is over once the slow ones have left the window.
        ([500] * 18 + [5_000] * 2 + [500] * 19, [True, False]),
        # Just below the limit does not end it.
        ([1_100] * 20 + [950] * 40, [True]),
        ([1_100] * 20 + [900] * 40, [True, False]),
    ],
)
def test_an_alert_begins_and_ends_once(waits_ms: list[float], changes: list[bool]) -> None:
    watch = Watch(RULE)
    watch.take(*waits_ms)
    assert watch.changes() == changes
    assert bool(watch.alerts.over) == (changes[-1:] == [True])


def test_old_turns_say_nothing() -> None:
    watch = Watch(RULE)
    watch.take(*[5_000] * 10)
    watch.now += 3_600
    watch.take(500)
    assert watch.changes() == [True, False]
    assert watch.told[1].value_ms is None


@pytest.mark.parametrize(
    ("stage", "percentile", "is_over"),
    [
        ("first_phrase", 50, True),
        ("first_phrase", 10, False),
        ("tts", 50, False),
    ],
)
def test_a_rule_looks_at_its_stage_and_percentile(
    stage: StageName, percentile: int, is_over: bool
) -> None:
    turns = [waiting(500)] * 4 + [waiting(1_500)] * 12
    rule = AlertConfig(stage=stage, percentile=percentile, limit_ms=1_000)
    assert judge(rule, turns, was_over=False, now=1_000.0).is_over == is_over


def test_typed_turns_do_not_count() -> None:
    found = judge(RULE, [TYPED] * 30, was_over=False, now=1_000.0)
    assert (found.is_over, found.n_turns) == (False, 0)


def test_each_rule_stands_for_itself() -> None:
    watch = Watch(RULE, AlertConfig(percentile=50, limit_ms=400, window_turns=20))
    watch.take(*[500] * 20)
    assert [alert.limit_ms for alert in watch.alerts.over] == [400]


def test_the_log_tells_when_it_begins_and_ends(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    watch = Watch(RULE)
    watch.take(*[1_500] * 10, *[500] * 30)
    assert [(record.levelname, record.message) for record in caplog.records] == [
        (
            "WARNING",
            "alert: voice_to_voice P95 is 1500 ms over the last 10 turns, the limit 1000 ms",
        ),
        (
            "INFO",
            "alert over: voice_to_voice P95 is 500 ms over the last 20 turns, the limit 1000 ms",
        ),
    ]
