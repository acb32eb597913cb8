"""The circuit breaker, step by step."""

from __future__ import annotations

import pytest

from assistant.remote.breaker import LONGEST_OPEN_S, OPEN_S, OPENS_AFTER, Breaker


def test_opens_after_failures_in_a_row() -> None:
    breaker = Breaker()
    for _ in range(OPENS_AFTER - 1):
        breaker.failed(0.0)
    assert breaker.admit(0.0)
    breaker.succeeded()
    for _ in range(OPENS_AFTER - 1):
        breaker.failed(0.0)
    assert breaker.admit(0.0)
    breaker.failed(0.0)
    assert not breaker.admit(OPEN_S - 0.1)


def test_one_probe_decides() -> None:
    breaker = Breaker()
    breaker.failed(0.0, at_once=True)
    assert not breaker.admit(1.0)
    assert breaker.admit(OPEN_S)
    assert not breaker.admit(OPEN_S)  # one at a time
    breaker.failed(OPEN_S)
    assert not breaker.admit(2 * OPEN_S)  # it waits twice as long now
    assert breaker.admit(3 * OPEN_S)
    breaker.succeeded()
    assert breaker.admit(3 * OPEN_S)
    assert breaker.admit(3 * OPEN_S)


def test_probe_that_was_left_leaves_room_for_another() -> None:
    breaker = Breaker()
    breaker.failed(0.0, at_once=True)
    assert breaker.admit(OPEN_S)
    breaker.abandoned()
    assert breaker.admit(OPEN_S)


@pytest.mark.parametrize(("wait_s", "open_s"), [(5.0, OPEN_S), (60.0, 60.0), (1e6, LONGEST_OPEN_S)])
def test_server_is_left_alone_as_long_as_it_asks(wait_s: float, open_s: float) -> None:
    breaker = Breaker()
    breaker.failed(100.0, wait_s=wait_s)
    assert not breaker.admit(100.0 + open_s - 0.1)
    assert breaker.admit(100.0 + open_s)
