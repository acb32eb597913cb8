"""The audit log: what left the machine, and what was done for somebody. JSON lines."""

from __future__ import annotations

import json
import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AuditLog:
    file: Path = Path("")
    """Made readable by its owner alone; empty for no log."""

    def note(self, what: str, **facts: Any) -> None:
        """One line, in one write: lines of several processes do not mix. Losing it ends no turn."""
        if self.file == Path(""):
            return
        now = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        line = json.dumps({"at": now, "what": what, **facts}, ensure_ascii=False) + "\n"
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            opened = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(opened, line.encode())
            finally:
                os.close(opened)
        except OSError as error:
            logger.warning("the audit log %s cannot be written: %s", self.file, error.strerror)
