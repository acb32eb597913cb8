"""Time-outs come from the budget; pauses between tries have jitter."""

from __future__ import annotations

import pytest

from assistant.config import BudgetConfig
from assistant.remote.patience import patience, pause_s


def test_waits_are_parts_of_the_promise() -> None:
    budget = BudgetConfig()
    waits = patience(budget)
    assert waits.connect_ms == budget.prefill_ms + budget.first_phrase_ms
    assert waits.first_token_ms == 2 * budget.voice_to_voice_ms


@pytest.mark.parametrize(
    ("n_tries", "luck", "asked_s", "expected_s"),
    [
        (1, 1.0, None, 0.1),
        (2, 1.0, None, 0.2),
        (3, 0.5, None, 0.2),
        (1, 0.0, None, 0.0),
        (1, 1.0, 0.5, 0.6),
        (1, 0.0, 0.5, 0.5),
    ],
)
def test_pauses(n_tries: int, luck: float, asked_s: float | None, expected_s: float) -> None:
    assert pause_s(n_tries, luck, asked_s=asked_s) == pytest.approx(expected_s)
