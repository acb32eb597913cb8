"""The worker's side of worker.py: one engine, and a thread for each job that it has.

Also what both sides know: the messages, and the `Leaving` that engines are given.
"""

from __future__ import annotations

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
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from assistant import log
from assistant.errors import AssistantError, StageError

logger = logging.getLogger(__name__)

LENGTH = struct.Struct("!I")
"""Before each message: how many bytes it has."""


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


class Start(NamedTuple):
    job: int
    method: str
    arguments: tuple[Any, ...]
    room: int


class More(NamedTuple):
    job: int


class Leave(NamedTuple):
    job: int


class Ping(NamedTuple):
    """Sent back at once, whatever the engine does."""


class Ready(NamedTuple):
    error: str | None = None


class Item(NamedTuple):
    job: int
    value: Any


class End(NamedTuple):
    job: int
    value: Any = None
    error: Exception | None = None


def encode(message: Any) -> bytes:
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(body)) + body


class Host:
    """One engine, its jobs, and the connection to the parent."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._incoming = connection.makefile("rb")
        self._sending = threading.Lock()
        self._running: dict[int, tuple[Leaving, threading.Semaphore]] = {}

    def serve(self) -> None:
        if (begun := self._receive()) is None:
            return
        name, spec, self._error, niceness, log_settings = begun
        log.set_up(log_settings, name)
        os.nice(niceness)
        try:
            self._engine = spec.build()
        except Exception as error:
            if not isinstance(error, AssistantError):
                logger.exception("the %s engine cannot start", name)
            self._send(Ready(error=_sentence(error)))
            return
        self._send(Ready())
        while (message := self._receive()) is not None:
            match message:
                case Start():
                    room = threading.Semaphore(message.room)
                    self._running[message.job] = (Leaving(), room)
                    threading.Thread(target=self._run, args=[message], daemon=True).start()
                case Ping():
                    self._send(message)
                case More(job) if job in self._running:
                    self._running[job][1].release()
                case Leave(job) if job in self._running:
                    leaving, room = self._running[job]
                    leaving.set()
                    room.release()

    def _run(self, start: Start) -> None:
        leaving, room = self._running[start.job]
        value, error = None, None
        try:
            method = getattr(self._engine, start.method)
            takes_leaving = "leaving" in inspect.signature(method).parameters
            value = method(*start.arguments, *([leaving] if takes_leaving else []))
            if inspect.isgenerator(value):
                items, value = value, None
                self._pump(start.job, items, leaving, room)
        except StageError as stage_error:
            error = stage_error
        except Exception as other:
            logger.exception("%s failed", start.method)
            error = self._error(_sentence(other))
        self._running.pop(start.job)
        self._send(End(start.job, value, error))

    def _pump(self, job: int, items: Any, leaving: Leaving, room: threading.Semaphore) -> None:
        try:
            for item in items:
                room.acquire()
                if leaving.is_set():
                    return
                self._send(Item(job, item))
        finally:
            items.close()

    def _send(self, message: NamedTuple) -> None:
        with self._sending:
            self._connection.sendall(encode(message))

    def _receive(self) -> Any:
        """The next message; None when the parent is gone."""
        head = self._incoming.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return None
        return pickle.loads(self._incoming.read(LENGTH.unpack(head)[0]))


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, AssistantError) else f"{type(error).__name__}: {error}"


def main() -> None:
    # Ctrl-C, and an end for the whole group, are the parent's to handle: it then closes the line.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with suppress(ConnectionError):
        Host(socket.socket(fileno=int(sys.argv[1]))).serve()
    os._exit(0)  # jobs that still run belong to a parent that is gone


if __name__ == "__main__":
    # Under its real name, so that both sides pickle the same message classes.
    importlib.import_module("assistant.worker_host").main()
