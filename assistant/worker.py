"""The one bridge to a worker process: call, stream, leave, restart.

Native engines block, compete for cores and can take a whole process down. Each lives in a process
of its own, at a lower priority than the one that moves the sound. Parent and worker talk in pickled
messages over a socket pair; nobody else knows that there are processes.

    parent                               worker
    Start(job, method, args)  ─────▶     runs engine.method(*args) on a thread of its own
    More(job)                 ─────▶     room for one more item of a stream
    Leave(job)                ─────▶     `leaving` is set: the method returns as soon as it can
                              ◀─────     Item(job, value)     one item of a stream
                              ◀─────     End(job, value, error)     the engine is idle again
    Ping()               ◀─────▶     Ping()     a worker that does not answer is killed
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import socket
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from assistant import log
from assistant.config import WorkersConfig
from assistant.errors import StageError
from assistant.shortfalls import Shortfall
from assistant.worker_host import LENGTH, End, EngineSpec, Item, Leave, More, Ping, Start, encode
from assistant.worker_host import Leaving as Leaving

logger = logging.getLogger(__name__)

_THREADS_THAT_SLEEP = {
    "OMP_WAIT_POLICY": "PASSIVE",
    "GOMP_SPINCOUNT": "20000",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Threads that wait must not spin for long. OpenMP's default starves a loaded machine (1184 ms a
token against 90). NumPy's second thread spun all the while that the recognizer ran: it doubled what
hearing costs and made nothing faster."""


@dataclass(slots=True)
class _Job:
    """What the parent knows of one call or stream."""

    ended: asyncio.Future[Any]
    items: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)
    """Bounded by the room that the worker was given; nothing is dropped."""


class Worker:
    """One engine in its process: started, watched, and started again when it dies."""

    def __init__(
        self, name: str, engine: EngineSpec, *, error: type[StageError], config: WorkersConfig
    ) -> None:
        self.name = name
        self._engine = engine
        self._error = error
        self._config = config
        self._jobs: dict[int, _Job] = {}
        self._next_job = count(1)
        self._ready = asyncio.Event()
        self._writer: asyncio.StreamWriter | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._answered_at_s = 0.0
        self.restarts = 0

    @property
    def is_ready(self) -> bool:
        return self._ready.is_set()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def n_jobs(self) -> int:
        """Calls and streams that are under way or wait for the engine."""
        return len(self._jobs)

    async def __aenter__(self) -> Worker:
        """Start the process. Does not wait for the engine: see `wait_ready`."""
        self._supervisor = asyncio.create_task(self._supervise(), name=f"{self.name} supervisor")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._supervisor is not None
        self._supervisor.cancel()
        await asyncio.wait([self._supervisor])

    async def wait_ready(self) -> None:
        """Wait until the engine is loaded and warm. Raises its StageError when it never will be."""
        assert self._supervisor is not None
        ready = asyncio.ensure_future(self._ready.wait())
        try:
            await asyncio.wait([ready, self._supervisor], return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                await self._supervisor
        finally:
            ready.cancel()

    async def call(self, method: str, *arguments: Any) -> Any:
        """Run a method of the engine. Cancelling tells it to leave and waits until it has."""
        job, record = await self._start(method, arguments, room=0)
        try:
            return await asyncio.shield(record.ended)
        except asyncio.CancelledError:
            await self._leave(job, record)
            raise
        finally:
            self._jobs.pop(job, None)

    @asynccontextmanager
    async def stream(
        self, method: str, *arguments: Any, max_buffered: int = 32
    ) -> AsyncGenerator[AsyncIterator[Any], None]:
        """Read a generator method of the engine. Leaving the block waits until it has returned."""
        job, record = await self._start(method, arguments, room=max_buffered)
        record.ended.add_done_callback(lambda _: record.items.put_nowait(None))

        async def read() -> AsyncIterator[Any]:
            while (boxed := await record.items.get()) is not None:
                self._send(More(job))
                yield boxed[0]
            await asyncio.shield(record.ended)  # raises what the engine raised

        try:
            yield read()
        finally:
            await self._leave(job, record)
            self._jobs.pop(job, None)

    async def _start(self, method: str, arguments: tuple[Any, ...], room: int) -> tuple[int, _Job]:
        try:
            async with asyncio.timeout(self._config.restart_wait_ms / 1_000):
                await self._ready.wait()
        except TimeoutError:
            sentence = f"the {self.name} engine is not running; see its log"
            raise self._error(sentence, code=Shortfall.AWAY) from None
        job = next(self._next_job)
        record = self._jobs[job] = _Job(ended=asyncio.get_running_loop().create_future())
        record.ended.add_done_callback(_retrieve)
        self._send(Start(job, method, arguments, room))
        return job, record

    async def _leave(self, job: int, record: _Job) -> None:
        """Tell the engine to leave; return when it has, even if we are cancelled meanwhile."""
        if record.ended.done():
            return
        self._send(Leave(job))
        cancelled = False
        while not record.ended.done():
            try:
                await asyncio.wait([record.ended])
            except asyncio.CancelledError:
                cancelled = True  # the engine is told already: it only has to finish
        if cancelled:
            raise asyncio.CancelledError

    def _send(self, message: NamedTuple) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(encode(message))

    async def _supervise(self) -> None:
        """Keep one process running. Ends only by cancellation or when the engine cannot start."""
        pause_s = 0.0
        while True:
            started_at_s = time.monotonic()
            try:
                await self._run_once()
            finally:
                self._ready.clear()
                self._abandon_jobs()
            self.restarts += 1
            lived_s = time.monotonic() - started_at_s
            pause_s = 0.0 if lived_s > 10 else min(30.0, 2 * pause_s + 0.2)
            logger.warning("the %s engine died after %.0f s; restarting", self.name, lived_s)
            await asyncio.sleep(pause_s)

    async def _run_once(self) -> None:
        """One process from its start to its end."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "assistant.worker_host",
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                env={**os.environ, **_THREADS_THAT_SLEEP},
            )
        reader, self._writer = await asyncio.open_connection(sock=ours)
        try:
            niceness, logged = self._config.niceness, log.settings_in_force()
            self._writer.write(encode((self.name, self._engine, self._error, niceness, logged)))
            async with asyncio.timeout(self._config.start_timeout_ms / 1_000):
                first = await _receive(reader)
            if first is None:
                return
            if first.error is not None and self.restarts == 0:
                raise self._error(first.error)
            self._answered_at_s = time.monotonic()
            self._ready.set()
            async with asyncio.TaskGroup() as tasks:
                watching = tasks.create_task(self._watch(self._process))
                while (message := await _receive(reader)) is not None:
                    self._take(message)
                watching.cancel()
        finally:
            self._writer.close()
            self._writer = None
            if self._process.returncode is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Kill a process that hangs: it would hold its jobs, and who waits for them, for ever."""
        limit_s = self._config.hung_after_ms / 1_000
        while True:
            self._send(Ping())
            await asyncio.sleep(limit_s / 4)
            if time.monotonic() - self._answered_at_s > limit_s:
                logger.warning("the %s engine does not answer; it is killed", self.name)
                process.kill()
                return

    def _take(self, message: Item | End | Ping) -> None:
        if isinstance(message, Ping):
            self._answered_at_s = time.monotonic()
            return
        record = self._jobs.get(message.job)
        if record is None or record.ended.done():
            return
        match message:
            case Item(value=value):
                record.items.put_nowait((value,))
            case End(error=Exception() as error):
                record.ended.set_exception(error)
            case End(value=value):
                record.ended.set_result(value)

    def _abandon_jobs(self) -> None:
        for record in self._jobs.values():
            if not record.ended.done():
                died = self._error(f"the {self.name} engine died", code=Shortfall.DIED)
                record.ended.set_exception(died)


def _retrieve(ended: asyncio.Future[Any]) -> None:
    """Look at the error of a job whose reader has gone, so that nobody is warned about it."""
    if not ended.cancelled():
        ended.exception()


async def _receive(reader: asyncio.StreamReader) -> Any:
    """The next message; None when the worker is gone."""
    try:
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return pickle.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
