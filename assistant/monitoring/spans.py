"""Turns as OpenTelemetry spans: one for each turn, and in it one for each stage.

Needs the extra `otel`. Spans are made when a turn is over, from its record, and sent by a thread of
the exporter's own. They hold times, counts and codes, never words.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assistant import __version__
from assistant.errors import ConfigError
from assistant.events import ReplyStatus
from assistant.monitoring.percentiles import stage_of
from assistant.records import TurnRecord

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer
    from opentelemetry.util.types import AttributeValue

_NETWORK = "network"
_LAST_SENT_WITHIN_S = 2.0
"""An endpoint that does not answer must not hold the program's end up."""


class Spans:
    """Told about each turn."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def take(self, turn: TurnRecord) -> None:
        """A turn is over: its span goes from the end of speech to the end of the answer."""
        from opentelemetry.trace import Status, StatusCode, set_span_in_context

        silent_at_s = _speech_ended_at(turn)
        span = self._tracer.start_span(
            "turn", start_time=_ns(silent_at_s), attributes=_attributes(turn)
        )
        if turn.status is ReplyStatus.FAILED:
            span.set_status(Status(StatusCode.ERROR))
        for degraded in turn.degraded:
            about = {"parley.stage": degraded.stage, "parley.reason": degraded.code.value}
            span.add_event("degraded", about, _ns(turn.ended_at))
        for overrun in turn.overruns:
            late = {"parley.stage": overrun.stage.value, "parley.late_ms": overrun.late_ms}
            span.add_event("overrun", late, _ns(turn.ended_at))
        inside = set_span_in_context(span)
        for line in turn.lines:
            start_at_s = silent_at_s + line.start_ms / 1_000
            stage = self._tracer.start_span(
                stage_of(line.name),
                inside,
                start_time=_ns(start_at_s),
                attributes={"parley.overlapped": line.overlapped},
            )
            stage.end(_ns(start_at_s + line.duration_ms / 1_000))
        if turn.speech_s:
            speech = self._tracer.start_span(
                "speech", inside, start_time=_ns(turn.ended_at - turn.speech_s)
            )
            speech.end(_ns(turn.ended_at))
        span.end(_ns(turn.ended_at))


@contextmanager
def spans_to(endpoint: str) -> Iterator[Callable[[TurnRecord], None]]:
    """A reader of turns that sends spans there. Raises ConfigError without the extra."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigError(
            "monitoring.otlp_endpoint needs the extra: pip install 'parley-assistant[otel]'"
        ) from error
    resource = Resource.create({"service.name": "parley", "service.version": __version__})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=endpoint)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        yield Spans(provider.get_tracer("assistant", __version__)).take
    finally:
        ending = threading.Thread(target=provider.shutdown, name="last spans", daemon=True)
        ending.start()
        ending.join(_LAST_SENT_WITHIN_S)
        if ending.is_alive():
            exporter.shutdown()  # type: ignore[no-untyped-call]


def _speech_ended_at(turn: TurnRecord) -> float:
    """Seconds since the epoch, counted back from the end of the turn."""
    sent_after_ms = sum(
        line.duration_ms
        for line in turn.lines
        if not line.overlapped and stage_of(line.name) != _NETWORK
    )
    return turn.ended_at - turn.speech_s - sent_after_ms / 1_000


def _attributes(turn: TurnRecord) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue | None] = {
        "session.id": turn.session_id,
        "parley.turn": turn.turn_id,
        "parley.status": turn.status.value,
        "parley.typed": turn.was_typed,
        "parley.filler": turn.had_filler,
        "parley.interrupted": turn.was_interrupted,
        "parley.repeat": turn.is_repeat,
        "parley.voice_to_voice_ms": turn.voice_to_voice_ms,
    }
    if (stats := turn.stats) is not None:
        found |= {
            "gen_ai.usage.input_tokens": stats.prompt_tokens,
            "gen_ai.usage.output_tokens": stats.reply_tokens,
            "parley.cached_tokens": stats.cached_tokens,
            "parley.drafted_tokens": stats.drafted_tokens,
            "parley.accepted_tokens": stats.accepted_tokens,
            "parley.ttft_ms": stats.ttft_ms,
            "parley.tpot_ms": stats.tpot_ms,
        }
    return {name: value for name, value in found.items() if value is not None}


def _ns(at_s: float) -> int:
    return round(at_s * 1_000_000_000)
