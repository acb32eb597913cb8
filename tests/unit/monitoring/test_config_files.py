"""The files for Prometheus and Grafana speak of metrics that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assistant.config import BudgetConfig
from assistant.loop_lag import LoopLag
from assistant.monitoring.metrics import Metrics
from assistant.monitoring.vitals import Vitals
from tests.unit.monitoring.fakes import FakeWorker
from tests.unit.monitoring.turns import LATE

FOLDER = Path(__file__).parents[3] / "configs/monitoring"


@pytest.fixture(scope="module")
def exposed() -> str:
    vitals = Vitals(n_sessions=lambda: 1, lag=LoopLag(), workers=[FakeWorker("brain")])
    metrics = Metrics(BudgetConfig(), vitals)
    metrics.take(LATE)
    return metrics.expose("")[0].decode()


@pytest.mark.parametrize("name", ["rules.yml", "grafana.json"])
def test_every_metric_is_one_that_is_exposed(name: str, exposed: str) -> None:
    known = set(re.findall(r"^(parley_\w+)[ {]", exposed, re.MULTILINE))
    wanted = set(re.findall(r"\bparley_\w+", (FOLDER / name).read_text()))
    assert wanted
    assert wanted <= known


@pytest.mark.parametrize("name", ["rules.yml", "grafana.json"])
def test_every_label_is_one_that_a_metric_has(name: str, exposed: str) -> None:
    known = {*re.findall(r'(\w+)="', exposed), "instance"}
    text = (FOLDER / name).read_text()
    wanted = {
        label.strip()
        for labels in re.findall(r"\bby \(([^)]*)\)", text)
        for label in labels.split(",")
    }
    assert wanted
    assert wanted <= known


def test_panels_do_not_overlap() -> None:
    taken = set[tuple[int, int]]()
    for panel in json.loads((FOLDER / "grafana.json").read_text())["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken
        taken |= cells
