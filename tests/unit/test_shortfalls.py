from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from assistant.errors import BrainError, TooLongError, VoiceError
from assistant.ladders import LADDERS
from assistant.shortfalls import Shortfall


def test_the_page_has_a_sentence_for_every_code_in_both_languages() -> None:
    texts = (Path(__file__).parents[2] / "client_web/reasons.js").read_text()
    for code in Shortfall:
        assert texts.count(f"  {code}: ") == 2, code


def test_the_rungs_of_a_ladder_are_told_apart() -> None:
    for ladder in LADDERS.values():
        assert len({rung.code for rung in ladder}) == len(ladder)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BrainError("KeyError: 'x'"), Shortfall.ERROR),
        (TooLongError("too much"), Shortfall.TOO_LONG),
        (VoiceError("it died", code=Shortfall.DIED), Shortfall.DIED),
    ],
)
def test_a_failure_keeps_its_code_on_its_way_out_of_a_worker(
    error: BrainError | VoiceError, code: Shortfall
) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert (arrived.code, str(arrived)) == (code, str(error))
