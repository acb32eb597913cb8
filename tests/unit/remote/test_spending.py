"""Tokens and cost by day and tier, and the cap."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from assistant.errors import ConfigError
from assistant.remote.spending import Spending, Spent, Tariff

TARIFF = Tariff(prompt_price=1.0, reply_price=4.0)


def test_price_is_for_a_million_tokens() -> None:
    assert TARIFF.price(1_000_000, 500_000).cost == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("tariff", "tokens", "fits"),
    [
        (Tariff(), 10**9, True),
        (Tariff(daily_tokens=100), 100, True),
        (Tariff(daily_tokens=100), 101, False),
        (Tariff(prompt_price=1.0, daily_cost=1.0), 1_000_000, True),
        (Tariff(prompt_price=1.0, daily_cost=1.0), 1_000_001, False),
    ],
)
def test_cap(tariff: Tariff, tokens: int, fits: bool) -> None:
    assert Spending(tariff).reserve(tariff.price(tokens, 0)) == fits


def test_requests_that_are_under_way_count_against_the_cap() -> None:
    spending = Spending(Tariff(daily_tokens=100))
    most = spending.tariff.price(40, 20)
    assert spending.reserve(most)
    assert not spending.reserve(most)
    spending.settle("strong", most, None)
    assert spending.reserve(most)
    spending.settle("strong", most, spending.tariff.price(10, 5))
    assert spending.of_today().tokens == 15


def test_days_and_tiers_outlive_a_restart_and_a_day_begins_anew(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "spending.json"
    day = date(2030, 1, 31)
    spending = Spending(TARIFF, file, today=lambda: day)
    for tier in ("fast", "strong", "strong"):
        spending.settle(tier, Spent(), TARIFF.price(100, 10))
    again = Spending(TARIFF, file, today=lambda: day)
    assert {tier: spent.n_requests for tier, spent in again.by_tier().items()} == {
        "fast": 1,
        "strong": 2,
    }
    assert again.of_today() == spending.of_today()
    assert Spending(TARIFF, file, today=lambda: date(2030, 2, 1)).of_today() == Spent()


def test_damaged_file_stops_the_start(tmp_path: Path) -> None:
    file = tmp_path / "spending.json"
    file.write_text('{"2030-01-31": {"strong": {"n": 1}}}')
    with pytest.raises(ConfigError, match="cap"):
        Spending(TARIFF, file)


def test_file_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    spending = Spending(TARIFF, tmp_path / "file" / "spending.json")
    spending.settle("strong", Spent(), TARIFF.price(1, 1))
    assert spending.of_today().n_requests == 1
