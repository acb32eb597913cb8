from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from assistant.config import BudgetConfig
from assistant.loop_lag import LoopLag
from assistant.monitoring.metrics import Metrics
from assistant.monitoring.vitals import Vitals
from tests.unit.monitoring.fakes import FakeWorker
from tests.unit.monitoring.turns import APOLOGISED, GOOD, INTERRUPTED, LATE, TYPED

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture
def metrics() -> Metrics:
    workers = [FakeWorker("ears"), FakeWorker("brain", n_jobs=3, restarts=2, is_ready=False)]
    return Metrics(BudgetConfig(), Vitals(n_sessions=lambda: 2, lag=LoopLag(), workers=workers))


def samples(metrics: Metrics) -> Samples:
    text = metrics.expose("")[0].decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return samples(metrics)[f"parley_{name}", tuple(sorted(labels.items()))]


def test_the_stages_of_a_turn_add_up_to_its_wait(metrics: Metrics) -> None:
    metrics.take(GOOD)
    metrics.take(LATE)
    stages = sum(
        v for (name, _), v in samples(metrics).items() if name == "parley_stage_seconds_sum"
    )
    assert stages == pytest.approx(2.7)
    assert value(metrics, "voice_to_voice_seconds_sum") == pytest.approx(2.7)
    assert value(metrics, "stage_seconds_count", stage="first_phrase") == 2


def test_turns_are_counted_by_how_they_went(metrics: Metrics) -> None:
    for turn in (GOOD, LATE, TYPED, INTERRUPTED, APOLOGISED):
        metrics.take(turn)
    assert value(metrics, "turns_total", status="completed", input="spoken") == 2
    assert value(metrics, "turns_total", status="completed", input="typed") == 1
    for counter in ("late_turns", "fillers", "apologies", "interruptions"):
        assert value(metrics, f"{counter}_total") == 1
    assert value(metrics, "overruns_total", stage="first_phrase") == 1
    assert value(metrics, "degradations_total", stage="brain", reason="died") == 1
    assert value(metrics, "degradations_total", stage="first_phrase", reason="no_draft") == 1


def test_the_promise_is_one_of_the_buckets() -> None:
    vitals = Vitals(n_sessions=lambda: 0, lag=LoopLag(), workers=())
    metrics = Metrics(BudgetConfig(voice_to_voice_ms=1_234), vitals)
    metrics.take(LATE)
    assert value(metrics, "voice_to_voice_seconds_bucket", le="1.234") == 0
    assert value(metrics, "promise_seconds") == 1.234


def test_counters_are_there_before_anything_happened(metrics: Metrics) -> None:
    assert value(metrics, "overruns_total", stage="tts") == 0
    assert value(metrics, "turns_total", status="failed", input="spoken") == 0


def test_the_program_s_own_signs_are_told(metrics: Metrics) -> None:
    assert value(metrics, "sessions") == 2
    assert value(metrics, "worker_jobs", worker="brain") == 3
    assert value(metrics, "worker_restarts_total", worker="brain") == 2
    assert value(metrics, "worker_ready", worker="brain") == 0
    assert value(metrics, "resident_memory_bytes", process="media") > 1e6
    assert value(metrics, "resident_memory_bytes", process="ears") == 0


def test_names_follow_the_rules(metrics: Metrics) -> None:
    """Base units at the end, `_total` for counters only, all in lower case."""
    for family in text_string_to_metric_families(metrics.expose("")[0].decode()):
        assert re.fullmatch(r"parley_[a-z_]+", family.name)
        assert not re.search(r"_(ms|milliseconds|mb|percent|count)$", family.name)
        assert family.documentation.endswith(".")
        for sample in family.samples:
            assert sample.name.endswith("_total") == (family.type == "counter")


def test_both_text_formats_can_be_read(metrics: Metrics) -> None:
    metrics.take(LATE)
    text, kind = metrics.expose("application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text")
    families = openmetrics.text_string_to_metric_families(text.decode())  # type: ignore[no-untyped-call]
    assert list(families)
    assert metrics.expose("text/html")[1].startswith("text/plain")


def test_the_readme_lists_every_metric_and_no_other(metrics: Metrics) -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    families = text_string_to_metric_families(metrics.expose("")[0].decode())
    exposed = {family.name + "_total" * (family.type == "counter") for family in families}
    assert set(re.findall(r"parley_[a-z_]+", readme)) == exposed
