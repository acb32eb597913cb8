"""A bad network between a client and the assistant: a UDP relay that needs no privileges.

Each call goes over a link of its own. The client learns the link's front as the only address of the
server, and the server sees nothing but the link's back.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

Address = tuple[str, int]

HOST = "127.0.0.1"

QUEUE_S = 0.3
"""A packet that would wait longer than this for a thin link is dropped, as routers do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Of one way."""

    loss: float = 0.0
    """The share of packets that is dropped, 0 to 1."""

    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    """Up to this much more, evenly distributed: packets overtake each other."""

    bits_per_s: float | None = None
    """The rate of a thin link; None for a thick one."""


CLEAN = Conditions()


class Relay:
    """All links, and the weather over them. Leaving its block closes them."""

    def __init__(self, *, up: Conditions = CLEAN, down: Conditions = CLEAN, seed: int = 1) -> None:
        self.up, self.down = up, down
        self.is_dark = False
        """A blackout: nothing gets through, either way."""

        self._random = random.Random(seed)
        self._links: list[Link] = []

    async def __aenter__(self) -> Relay:
        return self

    async def __aexit__(self, *_: object) -> None:
        for link in self._links:
            link.close()

    async def link(self) -> Link:
        link = Link(self, self._random)
        self._links.append(link)
        loop = asyncio.get_running_loop()
        for end in (link.front, link.back):
            await loop.create_datagram_endpoint(lambda end=end: end, local_addr=(HOST, 0))  # type: ignore[misc]
        return link


class Link:
    """Between one client and the server."""

    def __init__(self, relay: Relay, chance: random.Random) -> None:
        self.front = _End(lambda data: self._carry(relay.up, self.back, data))
        self.back = _End(lambda data: self._carry(relay.down, self.front, data))
        self._relay = relay
        self._random = chance
        self._free_at_s: dict[_End, float] = {}
        """When the thin link towards an end has sent all that waits."""

    def close(self) -> None:
        for end in (self.front, self.back):
            end.transport.close()

    def hide(self, offer: str) -> str:
        """The client's SDP offer without its addresses."""
        lines = [line for line in offer.splitlines() if not line.startswith("a=candidate:")]
        return "\r\n".join(lines) + "\r\n"

    def through(self, answer: str) -> str:
        """The server's SDP answer, as if the link were the server."""
        address = next(
            line.split(" ")[4:6] for line in answer.splitlines() if _is_candidate(line, HOST)
        )
        self.back.other = (address[0], int(address[1]))
        host, port = self.front.address
        lines = [line for line in answer.splitlines() if not line.startswith("a=candidate:")]
        ours = f"a=candidate:1 1 udp 2130706431 {host} {port} typ host"
        return (
            "\r\n".join(
                more
                for line in lines
                for more in ([ours, line] if line == "a=end-of-candidates" else [line])
            )
            + "\r\n"
        )

    def _carry(self, conditions: Conditions, to: _End, data: bytes) -> None:
        if self._relay.is_dark or self._random.random() < conditions.loss:
            return
        loop = asyncio.get_running_loop()
        now_s = due_at_s = loop.time()
        if conditions.bits_per_s is not None:
            start_s = max(now_s, self._free_at_s.get(to, 0.0))
            if start_s - now_s > QUEUE_S:
                return
            due_at_s = start_s + 8 * len(data) / conditions.bits_per_s
            self._free_at_s[to] = due_at_s
        due_at_s += (conditions.delay_ms + self._random.random() * conditions.jitter_ms) / 1_000
        if due_at_s > now_s:
            loop.call_at(due_at_s, to.send, data)
        else:
            to.send(data)


class _End(asyncio.DatagramProtocol):
    """A socket that talks with whoever sent to it last."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self.transport: asyncio.DatagramTransport
        self.other: Address | None = None
        self._take = take

    @property
    def address(self) -> Address:
        return cast(Address, self.transport.get_extra_info("sockname"))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, sender: Address) -> None:
        # A browser probes from several sockets, and goes on with one.
        is_probe = data[:1] < b"\x04"
        if self.other is None or not is_probe:
            self.other = sender
        self._take(data)

    def send(self, data: bytes) -> None:
        if self.other is not None and not self.transport.is_closing():
            self.transport.sendto(data, self.other)


def _is_candidate(line: str, host: str) -> bool:
    return line.startswith("a=candidate:") and line.split(" ")[4] == host
