"""Bits for the outgoing speech: down where packets are lost or wait, and up again."""

from __future__ import annotations

import pytest

from assistant.transport.rate import MAX_BITS_PER_S, MIN_BITS_PER_S, Rate


def after(*reports: tuple[float, float | None]) -> Rate:
    rate = Rate()
    for loss, round_trip_s in reports:
        rate.report(loss=loss, round_trip_s=round_trip_s)
    return rate


@pytest.mark.parametrize(
    ("reports", "share"),
    [
        ([(0.0, 0.05)], 1.0),
        ([(0.05, 0.05)], 1.0),  # redundancy is enough
        ([(0.2, 0.05)], 0.9),
        ([(0.0, 0.05), (0.0, 0.4)], 0.8),  # packets wait in line
        ([(0.0, 0.4), (0.0, 0.4)], 1.0),  # far away
        ([(0.2, None)], 0.9),
    ],
)
def test_what_a_report_does(reports: list[tuple[float, float | None]], share: float) -> None:
    assert after(*reports).bits_per_s == pytest.approx(share * MAX_BITS_PER_S, rel=0.01)


def test_it_never_leaves_its_range() -> None:
    assert after(*[(1.0, 0.05)] * 50).bits_per_s == MIN_BITS_PER_S
    assert after(*[(1.0, 0.05)] * 50, *[(0.0, 0.05)] * 50).bits_per_s == MAX_BITS_PER_S


def test_redundancy_stays_a_while_after_a_bad_moment() -> None:
    assert after((0.2, None)).loss == 0.2
    assert 0.05 < after((0.2, None), *[(0.0, None)] * 3).loss < 0.2
    assert after((0.2, None), *[(0.0, None)] * 20).loss < 0.01
