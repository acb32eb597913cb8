from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from typing import Any

import pytest

from assistant.events import AlertChanged
from assistant.monitoring.webhook import Webhook

OVER = AlertChanged(
    stage="tts", percentile=95, is_over=True, value_ms=420.0, limit_ms=300, n_turns=50
)


@contextmanager
def receiver(status: int = 200) -> Iterator[tuple[str, Queue[dict[str, Any]]]]:
    """Somebody who takes what is posted to this URL."""
    taken: Queue[dict[str, Any]] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", taken
        server.shutdown()
        thread.join()


@contextmanager
def silent_address() -> Iterator[str]:
    """Takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


def test_an_alert_is_posted_with_a_sentence_for_people() -> None:
    with receiver() as (url, taken), Webhook(url) as webhook:
        webhook.post(OVER)
        message = taken.get(timeout=10)
    assert message == {
        "text": "alert: tts P95 is 420 ms over the last 50 turns, the limit 300 ms",
        "status": "firing",
        "stage": "tts",
        "percentile": 95,
        "is_over": True,
        "value_ms": 420.0,
        "limit_ms": 300,
        "n_turns": 50,
    }


def test_a_refusal_is_logged_and_the_next_one_is_posted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with receiver(status=500) as (url, taken), Webhook(url) as webhook:
        webhook.post(OVER)
        webhook.post(OVER)
        taken.get(timeout=10)
        taken.get(timeout=10)
    assert "the webhook did not take an alert: HTTP Error 500" in caplog.text


def test_an_address_that_does_not_answer_holds_nobody_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with silent_address() as url, Webhook(url, within_s=60) as webhook:
        began_at_s = time.monotonic()
        for _ in range(40):
            webhook.post(OVER)
    assert time.monotonic() - began_at_s < 30
    assert "an alert was not posted" in caplog.text


def test_an_answer_is_not_waited_for_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    with silent_address() as url:
        webhook = Webhook(url, within_s=0.05)
        with webhook:
            webhook.post(OVER)
            while "did not take an alert: timed out" not in caplog.text:
                time.sleep(0.01)
        webhook._thread.join(timeout=10)
        assert not webhook._thread.is_alive()
