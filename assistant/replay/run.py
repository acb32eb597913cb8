"""Many recorded conversations at once, on one set of engines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import psutil

from assistant.app import new_session
from assistant.books import Books
from assistant.config import Config
from assistant.engines import Engines, start_engines
from assistant.recording.trace import Trace
from assistant.replay.actor import Actor
from assistant.replay.report import Run


async def replay(traces: Sequence[Trace], config: Config, *, sessions: int, speed: float) -> Run:
    """Play every trace once, `sessions` of them at a time. Raises StageError, ModelFileError."""
    books = Books()
    waiting = asyncio.Queue[Trace]()
    for trace in traces:
        waiting.put_nowait(trace)
    async with start_engines(config) as engines:
        await engines.wait_ready()
        began_at_s, began_cpu_s = time.monotonic(), _cpu_s(engines)
        async with asyncio.TaskGroup() as tasks:
            for _ in range(sessions):
                tasks.create_task(_play(waiting, engines, config, books, speed))
        took_s = time.monotonic() - began_at_s
        cpu_share = {
            name: (cpu_s - began_cpu_s.get(name, 0.0)) / took_s
            for name, cpu_s in _cpu_s(engines).items()
        }
    return Run(turns=tuple(books.turns), took_s=took_s, cpu_share=cpu_share)


async def _play(
    waiting: asyncio.Queue[Trace], engines: Engines, config: Config, books: Books, speed: float
) -> None:
    while not waiting.empty():
        actor = Actor(waiting.get_nowait(), buffer_ms=config.voice.buffer_ms, speed=speed)
        await actor.perform(new_session(engines, config, actor, books))


def _cpu_s(engines: Engines) -> dict[str, float]:
    """An engine that was started again in between begins anew: its share is then too small."""
    processes = {worker.name: worker.pid for worker in engines.workers} | {"loop": None}
    times = {name: psutil.Process(pid).cpu_times() for name, pid in processes.items()}
    return {name: each.user + each.system for name, each in times.items()}
