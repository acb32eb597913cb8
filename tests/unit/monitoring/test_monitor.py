"""All that looks on, together: one turn reaches everybody who wants to know."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from assistant.config import AlertConfig, Config, MonitoringConfig
from assistant.errors import ConfigError
from assistant.events import AlertChanged
from assistant.loop_lag import LoopLag
from assistant.monitoring.monitor import monitoring
from tests.fakes import ScriptedPeer
from tests.unit.monitoring.fakes import FakeWorker
from tests.unit.monitoring.test_webhook import receiver
from tests.unit.monitoring.turns import GOOD, waiting


def configured(**settings: object) -> Config:
    return replace(Config(), monitoring=MonitoringConfig(**settings))  # type: ignore[arg-type]


async def test_a_turn_reaches_the_metrics_and_the_dashboard() -> None:
    with monitoring(Config(), LoopLag()) as monitor:
        monitor.vitals.workers = [FakeWorker("brain")]
        seen = monitor.live.version
        with monitor.live.one_more(ScriptedPeer()) as live:
            monitor.books.record(replace(GOOD, session_id=live.session_id))
            now = await monitor.dashboard.now(seen)
        text = monitor.metrics.expose("")[0].decode()
        assert "parley_voice_to_voice_seconds_count 1.0" in text
        assert 'parley_worker_ready{worker="brain"} 1.0' in text
        assert now["sessions"][0]["n_turns"] == 1
        assert now["last_turn"] == f"{live.session_id} turn_1"
        assert monitor.dashboard.report()["quality"]["turns"] == 1


async def test_an_alert_reaches_the_pages_the_webhook_and_the_dashboard() -> None:
    peer = ScriptedPeer()
    with receiver() as (url, taken):
        config = configured(webhook=url, alerts=(AlertConfig(limit_ms=1_000),))
        with monitoring(config, LoopLag()) as monitor, monitor.live.one_more(peer):
            for _ in range(10):
                monitor.books.record(waiting(1_500, ended_at=2e9))
            assert taken.get(timeout=10)["status"] == "firing"
            assert len(monitor.dashboard.report()["alerts"]) == 1
    assert [event.is_over for event in peer.events if isinstance(event, AlertChanged)] == [True]


def test_spans_without_their_extra_are_refused_at_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    config = configured(otlp_endpoint="http://localhost:4318/v1/traces")
    with pytest.raises(ConfigError, match="otel"), monitoring(config, LoopLag()):
        pass
