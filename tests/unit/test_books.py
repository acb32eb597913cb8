from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from assistant.books import Books, facts
from assistant.log import JsonFormatter
from assistant.records import TurnRecord
from tests.unit.monitoring.turns import APOLOGISED, GOOD, INTERRUPTED, LATE, TYPED


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        (GOOD, "5a1e turn_1: completed after 800 ms"),
        (TYPED, "5a1e turn_2: completed"),
        (LATE, "5a1e turn_5: completed after 1900 ms; first_phrase 900 ms late"),
    ],
)
def test_a_turn_is_one_line(turn: TurnRecord, says: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    Books().record(turn)
    assert caplog.messages == [says]


def test_the_line_says_as_json_where_the_time_went(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    Books().record(LATE)
    line = json.loads(JsonFormatter().format(caplog.records[0]))
    assert line["waits_ms"]["voice_to_voice"] == 1900
    assert line["waits_ms"]["first_phrase"] == 1350
    assert line["overruns_ms"] == {"first_phrase": 900}
    assert line["degraded"] == ["brain: acknowledged", "first_phrase: no_draft"]
    assert (line["cached_tokens"], line["prompt_tokens"]) == (600, 620)


def test_an_engine_s_own_words_are_not_in_the_line() -> None:
    failed = replace(APOLOGISED.degraded[0], reason="KeyError: what somebody said")
    assert "somebody" not in str(facts(replace(APOLOGISED, degraded=(failed,))))


@pytest.mark.parametrize(
    ("turn", "was_interrupted", "had_apology"),
    [
        (GOOD, False, False),
        (INTERRUPTED, True, False),
        (replace(INTERRUPTED, speech_s=0.0), False, False),
        (APOLOGISED, False, True),
    ],
)
def test_what_went_wrong_is_known(
    turn: TurnRecord, was_interrupted: bool, had_apology: bool
) -> None:
    assert (turn.was_interrupted, turn.had_apology) == (was_interrupted, had_apology)


def test_a_ledger_that_does_not_add_up_is_a_bug(caplog: pytest.LogCaptureFixture) -> None:
    Books().record(replace(GOOD, voice_to_voice_ms=900.0))
    assert "off by 100 ms: this is a bug" in caplog.text


def test_a_reader_that_fails_takes_no_other_down(caplog: pytest.LogCaptureFixture) -> None:
    books, seen = Books(), list[TurnRecord]()

    def fails(_: TurnRecord) -> None:
        raise RuntimeError("no")

    books.tell(fails)
    books.tell(seen.append)
    books.record(GOOD)
    assert seen == [GOOD]
    assert "a reader of the books failed" in caplog.text


def test_only_so_many_turns_are_kept() -> None:
    books = Books()
    for n in range(1_200):
        books.record(replace(GOOD, turn_id=f"turn_{n}"))
    assert len(books.turns) == 1_000
    assert books.turns[-1].turn_id == "turn_1199"
