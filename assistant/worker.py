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
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import logging
import os
import pickle
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from assistant.config import WorkersConfig
from assistant.errors import AssistantError, StageError

logger = logging.getLogger(__name__)

_LENGTH = struct.Struct("!I")
_SPINS = "20000"
"""Turns that an idle OpenMP thread spins before it sleeps. The default starves a loaded machine
(1184 ms a token against 90); this costs nothing on an idle one."""


class Leaving(threading.Event):
    """Set when the reader of a stream has left; the engine then returns as soon as it can."""

    def __init__(self) -> None:
        super().__init__()
        self._callbacks: list[Callable[[], None]] = []
        self._guard = threading.Lock()

    def on_set(self, callback: Callable[[], None]) -> None:
        """Have `callback` called once, when this is set; at once if it is set already."""
        with self._guard:
            if not self.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def set(self) -> None:
        with self._guard:
            super().set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """How a worker builds its engine."""

    path: str
    """ "package.module:Class"."""

    arguments: tuple[Any, ...] = ()

    def build(self) -> Any:
        module, _, name = self.path.partition(":")
        return getattr(importlib.import_module(module), name)(*self.arguments)


class _Start(NamedTuple):
    job: int
    method: str
    arguments: tuple[Any, ...]
    room: int


class _More(NamedTuple):
    job: int


class _Leave(NamedTuple):
    job: int


class _Ready(NamedTuple):
    error: str | None = None


class _Item(NamedTuple):
    job: int
    value: Any


class _End(NamedTuple):
    job: int
    value: Any = None
    error: Exception | None = None


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
        self.restarts = 0

    @property
    def is_ready(self) -> bool:
        return self._ready.is_set()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

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
                self._send(_More(job))
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
            raise self._error(f"the {self.name} engine is not running; see its log") from None
        job = next(self._next_job)
        record = self._jobs[job] = _Job(ended=asyncio.get_running_loop().create_future())
        record.ended.add_done_callback(_retrieve)
        self._send(_Start(job, method, arguments, room))
        return job, record

    async def _leave(self, job: int, record: _Job) -> None:
        """Tell the engine to leave; return when it has, even if we are cancelled meanwhile."""
        if record.ended.done():
            return
        self._send(_Leave(job))
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
            self._writer.write(_encode(message))

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
                "assistant.worker",
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": _SPINS},
            )
        reader, self._writer = await asyncio.open_connection(sock=ours)
        try:
            level = logging.getLogger().getEffectiveLevel()
            self._writer.write(
                _encode((self.name, self._engine, self._error, self._config.niceness, level))
            )
            async with asyncio.timeout(self._config.start_timeout_ms / 1_000):
                first = await _receive(reader)
            if first is None:
                return
            if first.error is not None and self.restarts == 0:
                raise self._error(first.error)
            self._ready.set()
            while (message := await _receive(reader)) is not None:
                self._take(message)
        finally:
            self._writer.close()
            self._writer = None
            if self._process.returncode is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()

    def _take(self, message: _Item | _End) -> None:
        record = self._jobs.get(message.job)
        if record is None or record.ended.done():
            return
        match message:
            case _Item(value=value):
                record.items.put_nowait((value,))
            case _End(error=Exception() as error):
                record.ended.set_exception(error)
            case _End(value=value):
                record.ended.set_result(value)

    def _abandon_jobs(self) -> None:
        for record in self._jobs.values():
            if not record.ended.done():
                record.ended.set_exception(self._error(f"the {self.name} engine died"))


def _retrieve(ended: asyncio.Future[Any]) -> None:
    """Look at the error of a job whose reader has gone, so that nobody is warned about it."""
    if not ended.cancelled():
        ended.exception()


def _encode(message: Any) -> bytes:
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


async def _receive(reader: asyncio.StreamReader) -> Any:
    """The next message; None when the worker is gone."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        return pickle.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


class _Host:
    """The worker's side: one engine, and a thread for each job that it has."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._incoming = connection.makefile("rb")
        self._sending = threading.Lock()
        self._running: dict[int, tuple[Leaving, threading.Semaphore]] = {}

    def serve(self) -> None:
        name, spec, self._error, niceness, level = self._receive()
        logging.basicConfig(level=level, format=f"%(asctime)s {name}: %(message)s")
        os.nice(niceness)
        try:
            self._engine = spec.build()
        except Exception as error:
            if not isinstance(error, AssistantError):
                logger.exception("the %s engine cannot start", name)
            self._send(_Ready(error=_sentence(error)))
            return
        self._send(_Ready())
        while (message := self._receive()) is not None:
            match message:
                case _Start():
                    room = threading.Semaphore(message.room)
                    self._running[message.job] = (Leaving(), room)
                    threading.Thread(target=self._run, args=[message], daemon=True).start()
                case _More(job) if job in self._running:
                    self._running[job][1].release()
                case _Leave(job) if job in self._running:
                    leaving, room = self._running[job]
                    leaving.set()
                    room.release()

    def _run(self, start: _Start) -> None:
        leaving, room = self._running[start.job]
        value, error = None, None
        try:
            method = getattr(self._engine, start.method)
            takes_leaving = "leaving" in inspect.signature(method).parameters
            value = method(*start.arguments, *([leaving] if takes_leaving else []))
            if inspect.isgenerator(value):
                self._pump(start.job, value, leaving, room)
                value = None
        except StageError as stage_error:
            error = stage_error
        except Exception as other:
            logger.exception("%s failed", start.method)
            error = self._error(_sentence(other))
        self._running.pop(start.job)
        self._send(_End(start.job, value, error))

    def _pump(self, job: int, items: Any, leaving: Leaving, room: threading.Semaphore) -> None:
        try:
            for item in items:
                room.acquire()
                if leaving.is_set():
                    return
                self._send(_Item(job, item))
        finally:
            items.close()

    def _send(self, message: NamedTuple) -> None:
        with self._sending:
            self._connection.sendall(_encode(message))

    def _receive(self) -> Any:
        """The next message; None when the parent is gone."""
        head = self._incoming.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            return None
        return pickle.loads(self._incoming.read(_LENGTH.unpack(head)[0]))


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, AssistantError) else f"{type(error).__name__}: {error}"


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with suppress(ConnectionError):
        _Host(socket.socket(fileno=int(sys.argv[1]))).serve()
    os._exit(0)  # jobs that still run belong to a parent that is gone


if __name__ == "__main__":
    # Under its real name, so that both sides pickle the same message classes.
    importlib.import_module("assistant.worker").main()
