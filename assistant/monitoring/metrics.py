"""What the turns were like and how the program is doing, for Prometheus.

Durations are in seconds, counters count from the start of the program. Labels hold stages and codes
of which there are only so many, never words.
"""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    disable_created_metrics,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from assistant.budget import Stage, deadlines_ms
from assistant.config import BudgetConfig
from assistant.events import ReplyStatus
from assistant.monitoring.percentiles import WHOLE, waits_ms
from assistant.monitoring.vitals import Vitals
from assistant.records import TurnRecord
from assistant.types import ReplyStats

_WHOLE_S = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 5.0, 8.0)
"""Closest together where talk turns into waiting; the promise is always one of them."""

_STAGE_S = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0)
"""A voice begins after some 50 ms, a cold prompt is read for seconds."""

_TOKEN_S = (0.01, 0.02, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.15, 0.25, 0.5)
"""Speech needs a token every 250 ms or so."""


class Metrics:
    """Told about each turn; asked by whoever scrapes."""

    def __init__(self, budget: BudgetConfig, vitals: Vitals) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._promise_ms = budget.voice_to_voice_ms
        self._registry = registry = CollectorRegistry()
        self._whole = Histogram(
            "parley_voice_to_voice_seconds",
            "The person's last voiced sample to the first sample of the answer.",
            buckets=sorted({*_WHOLE_S, self._promise_ms / 1_000}),
            registry=registry,
        )
        self._stage = Histogram(
            "parley_stage_seconds",
            "What each stage added to the wait; the stages of a turn add up to voice to voice.",
            ["stage"],
            buckets=_STAGE_S,
            registry=registry,
        )
        self._first_token = Histogram(
            "parley_first_token_seconds",
            "TTFT: the brain's request to its first token.",
            buckets=_STAGE_S,
            registry=registry,
        )
        self._token = Histogram(
            "parley_token_seconds",
            "TPOT: mean time per token after the first.",
            buckets=_TOKEN_S,
            registry=registry,
        )
        self._turns = self._counter("turns", "Turns that are over.", "status", "input")
        self._late = self._counter("late_turns", "Turns that took longer than the promise.")
        self._overruns = self._counter("overruns", "Turns that a stage made late.", "stage")
        self._degraded = self._counter(
            "degradations", "Times that less was given, and why.", "stage", "reason"
        )
        self._fillers = self._counter("fillers", "Turns in which something passed the time.")
        self._apologies = self._counter("apologies", "Turns that got an apology for an answer.")
        self._interruptions = self._counter("interruptions", "Answers cut off while heard.")
        self._repeats = self._counter("repeats", "Turns in which the last one was said again.")
        self._prompt = self._counter("prompt_tokens", "Tokens of prompts.")
        self._cached = self._counter("cached_tokens", "Tokens of prompts that were not read again.")
        self._reply = self._counter("reply_tokens", "Tokens of answers.")
        self._answers = self._counter("answers", "Answers by who gave them.", "tier", "model")
        self._cost = self._counter(
            "cost", "What answers cost, in the currency of the prices.", "tier"
        )
        self._drafted = self._counter("drafted_tokens", "Tokens that were guessed.")
        self._accepted = self._counter("accepted_tokens", "Guessed tokens that were right.")
        self._speech = self._counter("speech_seconds", "How long answers sounded.")
        self._set_out(budget)
        registry.register(_AsFound(vitals))

    def take(self, turn: TurnRecord) -> None:
        """A turn is over."""
        self._turns.labels(turn.status.value, "typed" if turn.was_typed else "spoken").inc()
        waits = waits_ms(turn)
        if WHOLE in waits:
            whole_ms = waits.pop(WHOLE)
            self._whole.observe(whole_ms / 1_000)
            self._late.inc(whole_ms > self._promise_ms)
        for stage, wait_ms in waits.items():
            self._stage.labels(stage).observe(wait_ms / 1_000)
        for overrun in turn.overruns:
            self._overruns.labels(overrun.stage.value).inc()
        for degraded in turn.degraded:
            self._degraded.labels(degraded.stage, degraded.code).inc()
        self._fillers.inc(turn.had_filler)
        self._apologies.inc(turn.had_apology)
        self._interruptions.inc(turn.was_interrupted)
        self._repeats.inc(turn.is_repeat)
        self._speech.inc(turn.speech_s)
        if turn.stats is not None:
            self._count_tokens(turn.stats)

    def expose(self, accept: str) -> tuple[bytes, str]:
        """All of it in the text format that `accept` asks for, and that format's name."""
        encode, content_type = choose_encoder(accept)
        return encode(self._registry), content_type

    def _count_tokens(self, stats: ReplyStats) -> None:
        self._first_token.observe(stats.ttft_ms / 1_000)
        if stats.tpot_ms is not None:
            self._token.observe(stats.tpot_ms / 1_000)
        self._prompt.inc(stats.prompt_tokens)
        self._cached.inc(stats.cached_tokens)
        self._reply.inc(stats.reply_tokens)
        if stats.by is not None:
            self._answers.labels(stats.by.tier, stats.by.model).inc()
            self._cost.labels(stats.by.tier).inc(stats.cost or 0.0)
        self._drafted.inc(stats.drafted_tokens)
        self._accepted.inc(stats.accepted_tokens)

    def _counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(f"parley_{name}", meaning, labels, registry=self._registry)

    def _set_out(self, budget: BudgetConfig) -> None:
        """What is fixed; and counters at zero, so that the first of anything is an increase."""
        deadline = Gauge(
            "parley_deadline_seconds",
            "When a stage has to be done, after the end of speech.",
            ["stage"],
            registry=self._registry,
        )
        promise = Gauge("parley_promise_seconds", "The promised wait.", registry=self._registry)
        promise.set(budget.voice_to_voice_ms / 1_000)
        for stage, at_ms in deadlines_ms(budget).items():
            deadline.labels(stage.value).set(at_ms / 1_000)
        for stage in Stage:
            self._overruns.labels(stage.value)
        for status in ReplyStatus:
            for kind in ("spoken", "typed"):
                self._turns.labels(status.value, kind)


class _AsFound(Collector):
    """What is looked up when somebody asks."""

    def __init__(self, vitals: Vitals) -> None:
        self._vitals = vitals

    def collect(self) -> Iterable[Metric]:
        signs = self._vitals.signs()
        yield GaugeMetricFamily("parley_sessions", "People who are talking.", signs.n_sessions)
        yield GaugeMetricFamily(
            "parley_event_loop_lag_seconds",
            "How late the event loop was: P99 over the last minute.",
            signs.loop_lag_ms / 1_000,
        )
        memory = GaugeMetricFamily(
            "parley_resident_memory_bytes",
            "Memory per process. Pages of a model file count in each that uses it.",
            labels=["process"],
        )
        ready = GaugeMetricFamily(
            "parley_worker_ready", "1 when the engine takes work.", labels=["worker"]
        )
        jobs = GaugeMetricFamily(
            "parley_worker_jobs", "Work that is under way or queued.", labels=["worker"]
        )
        restarts = CounterMetricFamily(
            "parley_worker_restarts", "Times that the engine died.", labels=["worker"]
        )
        memory.add_metric(["media"], signs.memory_bytes)
        for worker in signs.workers:
            memory.add_metric([worker.name], worker.memory_bytes)
            ready.add_metric([worker.name], worker.is_ready)
            jobs.add_metric([worker.name], worker.n_jobs)
            restarts.add_metric([worker.name], worker.restarts)
        yield from (memory, ready, jobs, restarts)
