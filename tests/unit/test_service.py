"""systemd is told when we are ready, and hears of us until the loop hangs."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.service import notify, show_life


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


def test_it_is_told(systemd: socket.socket) -> None:
    notify("READY=1")
    assert systemd.recv(100) == b"READY=1"


def test_an_abstract_address_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("\0parley-test")
        monkeypatch.setenv("NOTIFY_SOCKET", "@parley-test")
        notify("READY=1")
        assert listener.recv(100) == b"READY=1"


def test_without_systemd_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")


async def test_life_is_shown_until_it_ends(
    systemd: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "60000")
    showing = asyncio.create_task(show_life())
    for _ in range(3):
        assert await asyncio.get_running_loop().sock_recv(systemd, 100) == b"WATCHDOG=1"
    showing.cancel()


async def test_where_nobody_watches_it_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    await asyncio.wait_for(show_life(), 5)
