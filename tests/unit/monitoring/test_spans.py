from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from assistant.errors import ConfigError
from assistant.events import Degraded
from assistant.monitoring.spans import Spans, spans_to
from assistant.records import TurnRecord
from assistant.shortfalls import Shortfall
from tests.unit.monitoring.turns import APOLOGISED, GOOD, LATE, TYPED


def spans_of(turn: TurnRecord) -> Sequence[ReadableSpan]:
    """In the order in which they ended: the turn's own comes last."""
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    Spans(provider.get_tracer("test")).take(turn)
    provider.shutdown()
    return exporter.get_finished_spans()


def times_ms(span: ReadableSpan) -> tuple[float, float]:
    assert span.start_time is not None
    assert span.end_time is not None
    return span.start_time / 1e6, span.end_time / 1e6


def test_a_turn_holds_its_stages_one_after_another() -> None:
    *stages, turn = spans_of(GOOD)
    assert [stage.name for stage in stages] == [
        *("endpointing", "asr", "queue", "prefill", "first_phrase", "tts"),
        *("end_of_turn", "pacing", "network", "speech"),
    ]
    assert turn.name == "turn"
    assert all(stage.parent == turn.context for stage in stages)
    # 720 ms to the first sample and 2.5 s of speech, up to second 1000.
    assert times_ms(turn) == pytest.approx((996_780.0, 1_000_000.0))
    assert times_ms(stages[0]) == pytest.approx((996_780.0, 996_910.0))
    assert times_ms(stages[-1]) == pytest.approx((997_500.0, 1_000_000.0))


def test_a_turn_says_what_it_cost() -> None:
    attributes = spans_of(GOOD)[-1].attributes
    assert attributes is not None
    assert attributes["parley.voice_to_voice_ms"] == 800.0
    assert attributes["gen_ai.usage.input_tokens"] == 620
    assert attributes["gen_ai.usage.output_tokens"] == 24


def test_what_was_late_and_lesser_are_events() -> None:
    events = spans_of(LATE)[-1].events
    assert [(event.name, (event.attributes or {})["parley.stage"]) for event in events] == [
        ("degraded", "brain"),
        ("degraded", "first_phrase"),
        ("overrun", "first_phrase"),
    ]


def test_a_failed_turn_is_an_error() -> None:
    assert spans_of(APOLOGISED)[-1].status.status_code is StatusCode.ERROR
    assert spans_of(GOOD)[-1].status.status_code is StatusCode.UNSET


def test_a_turn_without_a_wait_has_only_its_speech() -> None:
    assert [span.name for span in spans_of(TYPED)] == ["speech", "turn"]


def test_an_engine_s_own_words_do_not_leave() -> None:
    said = Degraded(stage="brain", code=Shortfall.ERROR, reason="KeyError: what somebody said")
    spans = spans_of(replace(GOOD, degraded=(said,)))
    assert "somebody" not in "".join(span.to_json() for span in spans)


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(ConfigError, match="otel"), spans_to("http://localhost:4318/v1/traces"):
        pass


def test_an_endpoint_that_is_away_holds_nobody_up() -> None:
    began_at_s = time.monotonic()
    with spans_to("http://127.0.0.1:9/v1/traces") as take:
        for _ in range(100):
            take(GOOD)
    assert time.monotonic() - began_at_s < 60
    for thread in threading.enumerate():
        if thread.name == "last spans":
            thread.join(timeout=30)
            assert not thread.is_alive()
