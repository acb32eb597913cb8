"""What simulated callers wait."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.plan.crowd import Machine, Waits, calibrated, most_within, simulate
from assistant.plan.measured import TurnWork

WORK = TurnWork(
    speech_s=2.0,
    pause_s=0.13,
    asr_s=0.1,
    vision_s=0.0,
    prefill_s=0.2,
    first_phrase_s=0.2,
    tts_s=0.1,
    gate_s=0.4,
    rest_s=0.5,
    sound_s=3.0,
    way_s=0.05,
)


def test_alone_a_caller_waits_what_the_stages_take() -> None:
    machine = Machine()
    waits = simulate(calibrated([WORK], machine), machine, callers=1)
    assert waits.percentile(50) == pytest.approx(780, rel=0.02)


def test_the_gate_is_waited_for_where_it_opens_last() -> None:
    waits = simulate([replace(WORK, gate_s=1.5)], Machine(), callers=1)
    assert waits.percentile(50) == pytest.approx(1_550, rel=0.01)


def test_more_callers_never_wait_less() -> None:
    p95s = [simulate([WORK], Machine(), callers=n).percentile(95) for n in (1, 2, 4, 8)]
    assert p95s == sorted(p95s)
    assert p95s[-1] > 1.5 * p95s[0]


@pytest.mark.parametrize(
    "better", [Machine(cores=8), Machine(speed=2), Machine(gpu=10), Machine(batch_growth=0.0)]
)
def test_a_better_machine_makes_many_wait_less(better: Machine) -> None:
    plain = simulate([WORK], Machine(), callers=4)
    assert simulate([WORK], better, callers=4).percentile(95) < plain.percentile(95)


def test_a_long_way_is_waited_for() -> None:
    near, far = (
        simulate([WORK], Machine(round_trip_ms=ms), callers=1).percentile(50) for ms in (0, 80)
    )
    assert far - near == pytest.approx(80)


def test_the_most_callers_keep_the_promise_and_one_more_breaks_it() -> None:
    most = most_within([WORK], Machine(), promise_ms=1_100)
    assert most >= 1
    assert simulate([WORK], Machine(), callers=most).percentile(95) <= 1_100
    assert simulate([WORK], Machine(), callers=most + 1).percentile(95) > 1_100


def test_a_promise_that_nobody_can_keep_bears_no_callers() -> None:
    assert most_within([WORK], Machine(), promise_ms=100) == 0


@pytest.mark.parametrize(("percent", "expected"), [(50, 2.0), (95, 4.0), (1, 1.0)])
def test_percentiles_are_values_that_were_seen(percent: float, expected: float) -> None:
    assert Waits(callers=1, waits_ms=(1.0, 2.0, 3.0, 4.0)).percentile(percent) == expected
