"""What systemd wants to know of a service: that it is ready, and that it still lives."""

from __future__ import annotations

import asyncio
import os
import socket

_PER_WATCHDOG_TIME = 3
"""Signs of life in the time after which systemd would restart us."""


def notify(state: str) -> None:
    """Tell systemd, where it started us and wants to be told (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.connect("\0" + address[1:] if address.startswith("@") else address)
        channel.sendall(state.encode())


async def show_life() -> None:
    """Run until cancelled. A loop that hangs sends nothing, and systemd starts us again."""
    watchdog_s = int(os.environ.get("WATCHDOG_USEC", "0")) / 1e6
    while watchdog_s:
        notify("WATCHDOG=1")
        await asyncio.sleep(watchdog_s / _PER_WATCHDOG_TIME)
