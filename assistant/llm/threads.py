"""How many threads to decode with, and whose: as many as have a core to themselves.

Decoding waits for its slowest thread some hundred times a token, so one thread too many costs more
than one too few: beside two busy processes on two cores, 200 ms a token with two threads, 20 with
one.

OpenMP keeps helpers for every thread that ever computed, as long as that thread lives. Once there
are more of all these than cores, none spins while it waits for the others, and falls asleep some
hundred times a token: 98 ms instead of 73. So there is one thread that computes, and what is done
beside it is done in threads that end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")

_STAT = Path("/proc/stat")
_LOOK_EVERY_S = 0.15
"""The kernel counts in steps of 10 ms a core."""


def fitting_threads(*, wanted: int, n_cores: int, others_busy: float) -> int:
    """`others_busy`: cores' worth of work that is not ours. From half a core on it takes one."""
    return max(1, min(wanted, n_cores - int(others_busy + 0.5)))


class Usage(NamedTuple):
    """How much the cores have worked up to a moment, in seconds of one core."""

    now_s: float
    all_s: float
    ours_s: float


class ThreadCount:
    """Follows what the rest of the machine does. Where it cannot tell, `wanted` it is."""

    def __init__(
        self,
        wanted: int,
        *,
        n_cores: int,
        usage: Callable[[], Usage | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wanted = self._now = wanted
        self._n_cores = n_cores
        self._usage = usage or read_usage
        self._clock = clock
        self._last = self._usage()

    def look(self) -> int:
        """The number of threads for the next step. To read the usage takes 0.3 ms."""
        last = self._last
        if last is None or self._clock() - last.now_s < _LOOK_EVERY_S:
            return self._now
        usage = self._usage()
        if usage is not None:
            others_s = (usage.all_s - last.all_s) - (usage.ours_s - last.ours_s)
            self._now = fitting_threads(
                wanted=self._wanted,
                n_cores=self._n_cores,
                others_busy=others_s / (usage.now_s - last.now_s),
            )
            self._last = usage
        return self._now


def apart(work: Callable[[], T]) -> T:
    """Do `work` in a thread of its own, whose helpers end with it."""
    with ThreadPoolExecutor(1, thread_name_prefix="apart") as thread:
        return thread.submit(work).result()


def read_usage() -> Usage | None:
    """None but on Linux.

    Source: proc(5), /proc/stat: user, nice, system, idle, iowait, irq, softirq.
    """
    try:
        user, nice, system, _, _, irq, softirq = map(int, _STAT.read_text().split()[1:8])
    except (OSError, ValueError):
        return None
    all_s = (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    return Usage(time.monotonic(), all_s, time.process_time())
