"""The calculator of drafting."""

from __future__ import annotations

import pytest

from assistant.plan.drafting import best, by_length


def test_tokens_a_step_are_the_geometric_sum() -> None:
    drafted = by_length(acceptance=0.5, draft_cost=0.0)
    assert [each.tokens_per_step for each in drafted[:4]] == [1.0, 1.5, 1.75, 1.875]


def test_speed_is_tokens_by_cost() -> None:
    drafted = by_length(acceptance=0.5, draft_cost=0.1, check_cost=0.15)
    assert drafted[2].speed_up == pytest.approx(1.75 / 1.5)


@pytest.mark.parametrize(
    ("acceptance", "draft_cost", "check_cost", "expected"),
    [
        (0.0, 0.1, 0.0, 0),  # nothing is ever right
        (1.0, 0.0, 0.0, 12),  # everything is, for nothing
        (0.7, 0.1, 0.05, 3),
        (0.9, 0.5, 0.6, 0),  # right, but dearer than what it saves
    ],
)
def test_the_best_length_is_where_more_would_cost_more(
    acceptance: float, draft_cost: float, check_cost: float, expected: int
) -> None:
    drafted = by_length(acceptance=acceptance, draft_cost=draft_cost, check_cost=check_cost)
    assert best(drafted).length == expected
