from __future__ import annotations

import os

from assistant.loop_lag import LoopLag
from assistant.monitoring.vitals import Vitals
from tests.unit.monitoring.fakes import FakeWorker


def test_memory_is_that_of_each_process() -> None:
    worker = FakeWorker("brain", pid=os.getpid(), n_jobs=2, restarts=1)
    signs = Vitals(n_sessions=lambda: 3, lag=LoopLag(), workers=[worker]).signs()
    assert signs.n_sessions == 3
    assert signs.memory_bytes > 1e6
    (brain,) = signs.workers
    assert (brain.name, brain.n_jobs, brain.restarts) == ("brain", 2, 1)
    assert brain.memory_bytes > 1e6


def test_a_worker_that_is_gone_has_no_memory() -> None:
    gone = [FakeWorker("ears"), FakeWorker("voice", pid=2**22)]
    signs = Vitals(n_sessions=lambda: 0, lag=LoopLag(), workers=gone).signs()
    assert [worker.memory_bytes for worker in signs.workers] == [0, 0]
