"""Stand-ins for what is watched."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FakeWorker:
    """A worker without a process."""

    name: str
    is_ready: bool = True
    n_jobs: int = 0
    restarts: int = 0
    pid: int | None = None
