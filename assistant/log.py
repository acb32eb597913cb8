"""How the log is written: a line of text for people, or a line of JSON for programs."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

LogFormat = Literal["text", "json"]

_CHATTY = ("aioice", "aiortc", "asyncio", "faster_whisper", "httpx2", "httpcore2")


class LogSettings(NamedTuple):
    """What a process tells the ones that it starts."""

    level: int = logging.INFO
    log_format: LogFormat = "text"


def set_up(settings: LogSettings, process: str = "") -> None:
    """Have this process log to standard error. `process`: whose lines these are."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter(process)
        if settings.log_format == "json"
        else logging.Formatter(f"%(asctime)s {process or '%(name)s'}: %(message)s")
    )
    logging.basicConfig(level=settings.level, handlers=[handler])
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def settings_in_force() -> LogSettings:
    """Of this process, for the ones that it starts."""
    root = logging.getLogger()
    is_json = any(isinstance(handler.formatter, JsonFormatter) for handler in root.handlers)
    return LogSettings(root.getEffectiveLevel(), "json" if is_json else "text")


class JsonFormatter(logging.Formatter):
    """One object a line: when, how bad, who, what; and the `facts` that the call gave as extra."""

    def __init__(self, process: str = "") -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if self._process:
            line["process"] = self._process
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        line |= getattr(record, "facts", {})
        return json.dumps(line, ensure_ascii=False)
