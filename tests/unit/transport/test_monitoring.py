from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from assistant.transport.monitoring import monitoring_routes


@pytest.fixture
def client() -> TestClient:
    async def now(seen: int) -> dict[str, Any]:
        return {"version": seen + 1}

    routes = monitoring_routes(
        metrics=lambda accept: (f"for {accept}".encode(), "text/plain; version=0.0.4"),
        report=lambda: {"turns": []},
        now=now,
    )
    return TestClient(Starlette(routes=list(routes)))


def test_metrics_come_in_the_format_that_was_asked_for(client: TestClient) -> None:
    answer = client.get("/metrics", headers={"Accept": "text/plain"})
    assert answer.text == "for text/plain"
    assert answer.headers["content-type"] == "text/plain; version=0.0.4"


@pytest.mark.parametrize(("query", "version"), [("", 0), ("?seen=7", 8)])
def test_now_is_what_is_newer_than_was_seen(client: TestClient, query: str, version: int) -> None:
    answer = client.get(f"/v1/assistant/now{query}")
    assert answer.json() == {"version": version}
    assert answer.headers["cache-control"] == "no-store"


def test_the_report_is_never_kept(client: TestClient) -> None:
    answer = client.get("/v1/assistant/report")
    assert answer.json() == {"turns": []}
    assert answer.headers["cache-control"] == "no-store"


def test_no_version_is_refused(client: TestClient) -> None:
    answer = client.get("/v1/assistant/now?seen=yesterday")
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "seen"


def test_nothing_can_be_changed_here(client: TestClient) -> None:
    for path in ("/metrics", "/v1/assistant/report", "/v1/assistant/now"):
        assert client.post(path).status_code == 405
