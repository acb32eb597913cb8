from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from assistant.config import StageName
from assistant.events import LedgerLine
from assistant.monitoring.percentiles import WHOLE, ends_ms, latest, spreads, stage_of, waits_ms
from assistant.records import TurnRecord
from assistant.timeline import Mark, TurnTimeline
from tests.unit.monitoring.turns import GOOD, LATE, TYPED, waiting


@pytest.mark.parametrize("turn", [GOOD, LATE])
def test_what_the_stages_added_is_the_whole(turn: TurnRecord) -> None:
    waits = waits_ms(turn)
    assert sum(waits.values()) == 2 * waits[WHOLE]


def test_work_beside_others_added_nothing_but_ended_when_it_ended() -> None:
    beside = LedgerLine(name="end of turn", start_ms=0.0, duration_ms=260.0, overlapped=True)
    turn = replace(GOOD, lines=(beside,))
    assert waits_ms(turn)["end_of_turn"] == 0.0
    assert ends_ms(turn)["end_of_turn"] == 260.0


def test_nobody_waited_in_a_typed_turn() -> None:
    assert waits_ms(TYPED) == {}
    assert ends_ms(TYPED) == {}
    assert latest([GOOD, TYPED], at_most=10) == [GOOD]


def test_percentiles_are_values_that_were_seen() -> None:
    spread = spreads({"tts": float(ms)} for ms in range(1, 201))["tts"]
    assert (spread.n, spread.p50_ms, spread.p95_ms, spread.p99_ms) == (200, 100, 190, 198)


def test_a_stage_that_some_turns_lack_is_spread_over_those_that_had_it() -> None:
    found = spreads([{"tts": 10.0}, {"tts": 30.0, "vision": 5.0}])
    assert {stage: spread.n for stage, spread in found.items()} == {"tts": 2, "vision": 1}


def test_the_window_is_the_last_turns_that_are_not_too_old() -> None:
    turns = [waiting(ms, ended_at=ms) for ms in (100.0, 200.0, 300.0, 400.0)]
    assert latest(turns, at_most=2) == turns[2:]
    assert latest(turns, at_most=3, since=350.0) == turns[3:]


def test_every_line_of_a_ledger_has_a_name_that_settings_know() -> None:
    timeline = TurnTimeline(at_s={mark: float(n) for n, mark in enumerate(Mark)}, stats=GOOD.stats)
    named = {stage_of(line.name) for line in timeline.ledger()}
    assert named | {WHOLE} == set(get_args(StageName))
