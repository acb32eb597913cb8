"""What a replay says of its turns, and of the difference between two runs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assistant.bench.report import Report
from assistant.config import Config
from assistant.errors import RecordingError
from assistant.events import LedgerLine
from assistant.records import TurnRecord
from assistant.replay import command
from assistant.replay.page import page, rows
from assistant.replay.report import Run, compare, is_slower, summarise
from tests.unit.monitoring.turns import APOLOGISED, GOOD, TYPED


def turn(asr_ms: float, brain_ms: float, *, queue_ms: float = 0.0) -> TurnRecord:
    lines, at_ms = list[LedgerLine](), 0.0
    for name, ms in (("asr", asr_ms), ("queue", queue_ms), ("first phrase", brain_ms)):
        lines.append(LedgerLine(name=name, start_ms=at_ms, duration_ms=ms, overlapped=False))
        at_ms += ms
    return replace(GOOD, voice_to_voice_ms=at_ms, lines=tuple(lines))


def report(turns: Sequence[TurnRecord]) -> Report:
    cpu_share = {"ears": 0.2, "brain": 0.9, "loop": 0.05}
    run = Run(turns=tuple(turns), took_s=60.0, cpu_share=cpu_share)
    about = {"sessions": 1, "speed": 1.0, "load_1min": [0.5, 0.7], "cores": 2}
    return about | summarise(run, promise_ms=1_000)


SLOW_BRAIN = [turn(100 + n, 800 + 20 * n) for n in range(10)]
SLOW_EARS = [turn(800 + 20 * n, 100 + n) for n in range(10)]


def test_percentiles_were_seen_and_lie_in_their_intervals() -> None:
    stages = report(SLOW_BRAIN)["stages"]
    assert stages["asr"]["n"] == 10
    for each in stages.values():
        for percent in ("p50", "p95", "p99"):
            low, high = each[percent]["spread_ms"]
            assert low <= each[percent]["ms"] <= high
    assert stages["asr"]["p99"]["ms"] == 109


@pytest.mark.parametrize(
    ("turns", "stage", "process"),
    [(SLOW_BRAIN, "first_phrase", "brain"), (SLOW_EARS, "asr", "ears")],
)
def test_the_stage_that_is_waited_for_most_is_named(
    turns: list[TurnRecord], stage: str, process: str
) -> None:
    found = report(turns)["bottleneck"]
    assert (found["stage"], found["process"]) == (stage, process)
    assert found["share"] > 0.5


def test_turns_over_the_promise_and_turns_without_an_answer_are_told() -> None:
    told = report([turn(100, 800), turn(100, 1_200), TYPED, APOLOGISED])
    assert len(told["broken"]) == 1
    assert (told["n"], told["failures"]) == (4, 1)


def test_nobody_who_waited_is_no_bottleneck() -> None:
    assert report([TYPED])["bottleneck"] is None
    assert report([])["stages"] == {}


def test_only_what_chance_does_not_explain_is_slower() -> None:
    before = report(SLOW_BRAIN)
    same = report([turn(101 + n, 790 + 20 * n) for n in range(10)])
    slower = report([turn(100 + n, 1_400 + 20 * n) for n in range(10)])
    assert not is_slower(compare(before, same))
    changes = compare(before, slower)
    assert is_slower(changes)
    assert not is_slower(compare(slower, before))
    assert changes["first_phrase"]["change_ms"] == pytest.approx(600)
    assert not changes["asr"]["is_real"]


def test_few_turns_say_nothing() -> None:
    assert compare(report(SLOW_BRAIN[:3]), report(SLOW_EARS[:3])) == {}


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.n_drawings = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.n_drawings += tag == "svg"
        self.links += [value or "" for name, value in attributes if name in ("src", "href")]


def test_the_page_needs_nothing_else_and_shows_every_turn() -> None:
    before, after = report(SLOW_BRAIN), report(SLOW_EARS)
    written = page(after, compare(before, after))
    reader = Reader()
    reader.feed(written)
    assert reader.links == []
    assert reader.n_drawings == 1 + len(SLOW_EARS)
    assert "first phrase" in written
    assert page(report([]))


def test_the_table_has_a_row_for_each_stage() -> None:
    assert [row[0] for row in rows(report(SLOW_BRAIN))] == [
        "asr",
        "queue",
        "first phrase",
        "voice to voice",
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}", "{"])
def test_what_is_no_report_is_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(RecordingError, match=r"report\.json"):
        command.run(Config(), _options(tmp_path, against=path))


def test_a_folder_without_recordings_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="holds no recordings"):
        command.run(Config(), _options(tmp_path))


def _options(folder: Path, against: Path | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    more = ["--against", str(against)] if against else []
    return parser.parse_args([str(folder), *more])


def test_a_report_survives_json() -> None:
    before = report(SLOW_BRAIN)
    again = json.loads(json.dumps(before))
    assert compare(again, before)["voice_to_voice"]["change_ms"] == 0
