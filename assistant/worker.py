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
import signal
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

_PINGS = 4
"""So many without an answer: it hangs."""

_FIRST_STARTS = 3
"""How often an engine that never ran may die while it loads."""


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
        self._decided = asyncio.Event()
        """Set while the engine is ready, or could not be started: nobody need wait to know."""

        self._writer: asyncio.StreamWriter | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._n_unanswered = 0
        """Pings since the last answer."""

        self._fault: str | None = None
        """Why the engine could not be started the last time; None once it runs."""

        self._has_run = False
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
                await self._decided.wait()
        except TimeoutError:
            sentence = f"the {self.name} engine is not running; see its log"
            raise self._error(sentence, code=Shortfall.AWAY) from None
        if self._fault is not None:
            raise self._error(self._fault, code=Shortfall.AWAY)
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
        """Keep one process running. Ends only by cancellation, or when the engine never ran."""
        pause_s = 0.0
        while True:
            started_at_s = time.monotonic()
            try:
                how = await self._run_once()
                self._decided.clear()
            except _StartError as error:
                how = self._fault = str(error)
                self._decided.set()
                n_tried = self.restarts + 1
                if not (self._has_run or (error.may_pass and n_tried < _FIRST_STARTS)):
                    raise self._error(how) from None
            finally:
                self._ready.clear()
                self._abandon_jobs()
            self.restarts += 1
            lived_s = time.monotonic() - started_at_s
            has_lived_well = self._fault is None and lived_s > 10
            pause_s = 0.0 if has_lived_well else min(30.0, 2 * pause_s + 0.2)
            sentence = "the %s engine ended after %.0f s (%s); it is started again in %.1f s"
            logger.warning(sentence, self.name, lived_s, how, pause_s)
            await asyncio.sleep(pause_s)

    async def _run_once(self) -> str:
        """One process from its start to its end. Returns how it ended, or raises _StartError."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._process = process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    "assistant.worker_host",
                    str(theirs.fileno()),
                    pass_fds=[theirs.fileno()],
                    env={**os.environ, **_THREADS_THAT_SLEEP},
                )
        except OSError as error:
            ours.close()
            sentence = f"the {self.name} engine is given no process: {error}"
            raise _StartError(sentence, may_pass=True) from None
        reader, self._writer = await asyncio.open_connection(sock=ours)
        try:
            await self._load(reader, process)
            self._fault, self._has_run, self._n_unanswered = None, True, 0
            self._ready.set()
            self._decided.set()
            async with asyncio.TaskGroup() as tasks:
                watching = tasks.create_task(self._watch(process))
                while (message := await _receive(reader)) is not None:
                    self._take(message)
                watching.cancel()
            return await _end_of(process)
        finally:
            self._writer.close()
            self._writer = None
            await _end_of(process)

    async def _load(
        self, reader: asyncio.StreamReader, process: asyncio.subprocess.Process
    ) -> None:
        """Have the engine built, and wait for that. Raises _StartError."""
        assert self._writer is not None
        niceness, logged = self._config.niceness, log.settings_in_force()
        self._writer.write(encode((self.name, self._engine, self._error, niceness, logged)))
        limit_s = self._config.start_timeout_ms / 1_000
        try:
            async with asyncio.timeout(limit_s):
                first = await _receive(reader)
        except TimeoutError:
            sentence = f"the {self.name} engine was not loaded within {limit_s:.0f} s"
            raise _StartError(sentence) from None
        if first is None:
            how = await _end_of(process)
            sentence = (
                f"the {self.name} engine died while it loaded ({how}): is there enough memory?"
            )
            raise _StartError(sentence, may_pass=True)
        if first.error is not None:
            raise _StartError(first.error)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Kill a process that hangs: it would hold its jobs, and who waits for them, for ever.

        Answers are counted, not seconds: if it was us who were stopped, nobody is to blame.
        """
        while self._n_unanswered < _PINGS:
            self._send(Ping())
            self._n_unanswered += 1
            await asyncio.sleep(self._config.hung_after_ms / 1_000 / _PINGS)
        logger.warning("the %s engine does not answer; it is killed", self.name)
        _kill(process)

    def _take(self, message: Item | End | Ping) -> None:
        if isinstance(message, Ping):
            self._n_unanswered = 0
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


class _StartError(Exception):
    """The engine could not be loaded. `may_pass`: whether that may have been the moment's fault."""

    def __init__(self, message: str, *, may_pass: bool = False) -> None:
        super().__init__(message)
        self.may_pass = may_pass


async def _end_of(process: asyncio.subprocess.Process) -> str:
    """Wait until it has ended, as it does now. Returns how it did."""
    _kill(process)
    status = await process.wait()
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def _kill(process: asyncio.subprocess.Process) -> None:
    """Not by its own method: that would fetch the exit status for which asyncio waits."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


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
