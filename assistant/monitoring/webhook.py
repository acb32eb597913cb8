"""Alerts for another program: JSON, posted to one address."""

from __future__ import annotations

import json
import logging
import queue
import threading
from dataclasses import asdict
from urllib.request import Request, urlopen

from assistant.events import AlertChanged
from assistant.monitoring.alerts import sentence

logger = logging.getLogger(__name__)

_MOST_WAITING = 16
_WITHIN_S = 5.0


class Webhook:
    """Posts in a thread of its own, one after another: neither a turn nor the loop waits for it.

    Leaving the block drops what still waits.
    """

    def __init__(self, url: str, *, within_s: float = _WITHIN_S) -> None:
        self._url = url
        self._within_s = within_s
        self._waiting: queue.Queue[AlertChanged | None] = queue.Queue(_MOST_WAITING)
        """What comes when it is full is dropped: the log has it."""

        # A daemon: an address that does not answer must not hold the program up.
        self._thread = threading.Thread(target=self._post_all, name="webhook", daemon=True)

    def __enter__(self) -> Webhook:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._waiting.put_nowait(None)

    def post(self, alert: AlertChanged) -> None:
        """Never waits."""
        try:
            self._waiting.put_nowait(alert)
        except queue.Full:
            logger.warning("the webhook does not keep up; an alert was not posted")

    def _post_all(self) -> None:
        while (alert := self._waiting.get()) is not None:
            try:
                self._post(alert)
            except (OSError, ValueError) as error:
                logger.warning("the webhook did not take an alert: %s", error)

    def _post(self, alert: AlertChanged) -> None:
        status = "firing" if alert.is_over else "resolved"
        message = {"text": sentence(alert), "status": status, **asdict(alert)}
        request = Request(
            self._url,
            data=json.dumps(message).encode(),
            headers={"Content-Type": "application/json", "User-Agent": "parley"},
        )
        with urlopen(request, timeout=self._within_s) as answer:
            answer.read(1)
