"""All that looks on, put together: what one server knows of its turns, and whom it tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from assistant.books import Books
from assistant.config import Config
from assistant.events import AlertChanged
from assistant.loop_lag import LoopLag
from assistant.monitoring.alerts import Alerts
from assistant.monitoring.dashboard import Dashboard
from assistant.monitoring.live import Live
from assistant.monitoring.metrics import Metrics
from assistant.monitoring.spans import spans_to
from assistant.monitoring.vitals import Vitals
from assistant.monitoring.webhook import Webhook


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    books: Books
    live: Live
    vitals: Vitals
    metrics: Metrics
    dashboard: Dashboard


@contextmanager
def monitoring(config: Config, lag: LoopLag) -> Iterator[Monitor]:
    """Looks on inside the block. Raises ConfigError when spans are wanted and their extra lacks."""
    books, live = Books(), Live()
    vitals = Vitals(n_sessions=lambda: len(live.sessions), lag=lag)
    metrics = Metrics(config.budget, vitals)
    with ExitStack() as stack:
        webhook = None
        if config.monitoring.webhook:
            webhook = stack.enter_context(Webhook(config.monitoring.webhook))

        def tell(alert: AlertChanged) -> None:
            live.tell(alert)
            if webhook is not None:
                webhook.post(alert)

        alerts = Alerts(config.monitoring.alerts, books.turns, tell)
        books.tell(metrics.take)
        if config.monitoring.otlp_endpoint:
            books.tell(stack.enter_context(spans_to(config.monitoring.otlp_endpoint)))
        books.tell(alerts.take)
        books.tell(live.take)  # the last: whoever looks on finds all that the others noted
        yield Monitor(
            books=books,
            live=live,
            vitals=vitals,
            metrics=metrics,
            dashboard=Dashboard(
                budget=config.budget, turns=books.turns, live=live, vitals=vitals, alerts=alerts
            ),
        )
