"""An assistant to be measured from outside, in a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import sys
import time
import urllib.request
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import psutil

from assistant.errors import ServerError

_STARTING_S = 240.0


class Server:
    """`assistant serve` in a process of its own."""

    def __init__(self, url: str, pid: int) -> None:
        self.url = url
        self._process = psutil.Process(pid)

    def health(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as answer:
            told: dict[str, Any] = json.load(answer)
        return told

    def holdings(self) -> tuple[float, int, int]:
        """Resident MB, descriptors, threads."""
        resident_mb = self._process.memory_info().rss / 1e6
        return resident_mb, self._process.num_fds(), self._process.num_threads()

    def cpu_s(self) -> float:
        """Processor time that it and its workers have taken."""
        family = [self._process, *self._process.children(recursive=True)]
        times = [process.cpu_times() for process in family]
        return float(sum(each.user + each.system for each in times))

    async def settled(self) -> tuple[float, int, int]:
        """The same once nobody is talking; who was killed is away by then."""
        async with asyncio.timeout(30):
            while True:
                now = await asyncio.to_thread(self.health)
                if not now["sessions"]:
                    break
                await asyncio.sleep(0.2)
        await asyncio.sleep(1)
        return self.holdings()


@asynccontextmanager
async def serving(
    options: argparse.Namespace, overrides: Mapping[str, object]
) -> AsyncGenerator[Server]:
    """With the command line's settings, and `overrides`. Raises ServerError."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    here = {"server.port": port, "server.host": "127.0.0.1", "server.tls": "false"}
    ours = {**here, **overrides}
    given = ["--config", str(options.config)] if options.config else []
    settings = [*options.set, *(f"{key}={value}" for key, value in ours.items())]
    arguments = given + [word for setting in settings for word in ("--set", setting)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "assistant", "serve", *arguments, stderr=asyncio.subprocess.DEVNULL
    )
    server = Server(f"http://127.0.0.1:{port}", process.pid)
    try:
        yield await _ready(server, process)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _ready(server: Server, process: asyncio.subprocess.Process) -> Server:
    give_up_at_s = time.monotonic() + _STARTING_S
    while process.returncode is None and time.monotonic() < give_up_at_s:
        try:
            await asyncio.to_thread(server.health)
            return server
        except OSError:
            await asyncio.sleep(0.3)
    raise ServerError("The server to be measured did not start; see `assistant serve`.")
