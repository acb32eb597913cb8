"""How the program itself is doing at this moment: people, event loop, workers, memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import psutil

from assistant.loop_lag import LoopLag


class Watched(Protocol):
    """What there is to see of a worker."""

    @property
    def name(self) -> str: ...

    @property
    def is_ready(self) -> bool: ...

    @property
    def n_jobs(self) -> int: ...

    @property
    def restarts(self) -> int: ...

    @property
    def pid(self) -> int | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSigns:
    name: str
    is_ready: bool
    n_jobs: int
    """Under way, or waiting."""

    restarts: int
    memory_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    n_sessions: int
    loop_lag_ms: float
    """P99 over the last minute."""

    memory_bytes: int
    """Resident, of the process that moves the sound. Pages of model files count in each worker."""

    workers: tuple[WorkerSigns, ...]


class Vitals:
    """Looks when it is asked."""

    def __init__(
        self, *, n_sessions: Callable[[], int], lag: LoopLag, workers: Sequence[Watched] = ()
    ) -> None:
        self._n_sessions = n_sessions
        self._lag = lag
        self.workers = workers
        """Those that were started."""

    def signs(self) -> Signs:
        return Signs(
            n_sessions=self._n_sessions(),
            loop_lag_ms=self._lag.p99_ms(),
            memory_bytes=_memory_bytes(os.getpid()),
            workers=tuple(
                WorkerSigns(
                    name=worker.name,
                    is_ready=worker.is_ready,
                    n_jobs=worker.n_jobs,
                    restarts=worker.restarts,
                    memory_bytes=_memory_bytes(worker.pid),
                )
                for worker in self.workers
            ),
        )


def _memory_bytes(pid: int | None) -> int:
    """0 for a process that is gone."""
    if pid is None:
        return 0
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
