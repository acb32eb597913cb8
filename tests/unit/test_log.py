from __future__ import annotations

import json
import logging
import subprocess
import sys

import pytest

from assistant.log import JsonFormatter

LOGS = """
import logging
from assistant.log import LogSettings, set_up, settings_in_force
set_up(LogSettings(logging.INFO, "{}"), "ears")
assert settings_in_force() == LogSettings(logging.INFO, "{}")
logging.getLogger("assistant.x").info("it is %s", "warm")
logging.getLogger("assistant.x").debug("what was said")
"""


def record(message: str, **extra: object) -> logging.LogRecord:
    logger = logging.getLogger("assistant.test")
    return logger.makeRecord(
        logger.name, logging.INFO, __file__, 1, message, (), None, extra=dict(extra)
    )


def test_facts_are_keys_of_their_own() -> None:
    line = json.loads(JsonFormatter("ears").format(record("done", facts={"turn": "turn_1"})))
    assert line.pop("at").endswith("+00:00")
    assert line == {
        "level": "info",
        "logger": "assistant.test",
        "message": "done",
        "process": "ears",
        "turn": "turn_1",
    }


def test_an_error_stays_on_one_line() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        broken = record("failed")
        broken.exc_info = sys.exc_info()
    line = JsonFormatter().format(broken)
    assert "\n" not in line
    assert "ValueError: two" in json.loads(line)["error"]


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_every_line_has_the_format_that_was_asked_for(log_format: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LOGS.format(log_format, log_format)],
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = ran.stderr.splitlines()
    assert "it is warm" in line
    assert line.startswith("{") == (log_format == "json")
