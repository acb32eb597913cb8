"""How often somebody may ask."""

from __future__ import annotations

import pytest

from assistant.errors import TooManyError
from assistant.transport import limits
from assistant.transport.limits import Allowance, network_of
from tests.virtual_time import Clock


def n_used(allowance: Allowance, address: str = "192.0.2.1") -> int:
    """How often it could be used."""
    n = 0
    try:
        while n < 1_000:
            allowance.use(address)
            n += 1
    except TooManyError:
        pass
    return n


def test_so_many_at_once_and_as_many_again_in_a_minute() -> None:
    clock = Clock()
    allowance = Allowance(6, clock)
    assert n_used(allowance) == 6
    clock.now_s += 10
    assert n_used(allowance) == 1
    clock.now_s += 3_600
    assert n_used(allowance) == 6


def test_each_address_has_its_own() -> None:
    allowance = Allowance(3, Clock())
    assert n_used(allowance, "192.0.2.1") == 3
    assert n_used(allowance, "192.0.2.2") == 3
    assert n_used(allowance, "192.0.2.1") == 0


def test_asking_costs_nothing() -> None:
    allowance = Allowance(1, Clock())
    for _ in range(10):
        allowance.check("192.0.2.1")
    assert n_used(allowance) == 1


def test_no_more_addresses_are_remembered_than_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ADDRESSES", 10)
    allowance = Allowance(1, Clock())
    for n in range(50):
        allowance.use(f"192.0.2.{n}")
    assert len(allowance._left) == 10


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_the_network_of_an_address(address: str, network: str) -> None:
    assert network_of(address) == network
