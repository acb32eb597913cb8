"""Numbers on a command line, and reports that are read again."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from assistant.bench.report import read_report, within
from assistant.errors import RecordingError


@pytest.mark.parametrize(("text", "expected"), [("1", 1), ("7", 7)])
def test_a_number_in_its_range_is_taken(text: str, expected: int) -> None:
    assert within(int, 1)(text) == expected


@pytest.mark.parametrize(
    ("text", "most", "sentence"),
    [
        ("0", float("inf"), "must be 1 or more, not 0"),
        ("9", 8, "must be between 1 and 8, not 9"),
        ("nan", 8, "must be between 1 and 8, not nan"),
    ],
)
def test_another_number_is_told(text: str, most: float, sentence: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=sentence):
        within(float, 1, most)(text)


@pytest.mark.parametrize("text", ["", "[]", '{"turns": []}'])
def test_what_is_no_report_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "run.json"
    file.write_text(text)
    with pytest.raises(RecordingError, match=r"run\.json"):
        read_report(file, keys={"turns", "stages"}, command="assistant replay")


def test_a_report_is_read_with_all_that_it_has(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text('{"turns": [], "stages": {}, "n": 3}')
    report = read_report(file, keys={"turns", "stages"}, command="assistant replay")
    assert report == {"turns": [], "stages": {}, "n": 3}
