"""Who came, who was turned away, and what was set: a line each in a log of its own name.

Never a key, a token, a code or anybody's words: settings are named, not quoted.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from dataclasses import fields

from assistant.transport.settings import SessionUpdate

logger = logging.getLogger("assistant.audit")

call: ContextVar[str] = ContextVar("call", default="")
"""Whose settings they are; set once for all tasks of a call."""


def begun(call_id: str, address: str) -> None:
    logger.info("%s begins, from %s", call_id, address)


def resumed(call_id: str, address: str) -> None:
    logger.info("%s was called again, from %s", call_id, address)


def ended(call_id: str) -> None:
    logger.info("%s is over", call_id)


def refused(address: str, path: str, code: str) -> None:
    logger.info("%s was refused at %s: %s", address, path, code)


def secret_made(address: str, good_for_s: int) -> None:
    logger.info("a client secret was made from %s, good for %d s", address, good_for_s)


def settings_changed(update: SessionUpdate) -> None:
    changed = [
        field.name
        for field in fields(update)
        if field.name != "event_id" and getattr(update, field.name) is not None
    ]
    logger.info("%s sets %s", call.get() or "a call", ", ".join(changed) or "nothing")
