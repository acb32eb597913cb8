"""How often somebody at one address may ask. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from assistant.errors import TooManyError

MAX_ADDRESSES = 10_000
"""That are remembered; whoever asked longest ago is forgotten first."""


class Allowance:
    """So many a minute for each address, that many at once included (a token bucket)."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}
        """By network: what is left, and when that was."""

    def check(self, address: str) -> None:
        """Raises TooManyError where nothing is left."""
        if self._left_now(network_of(address)) < 1:
            raise TooManyError("That is too often. Try again in a minute.")

    def use(self, address: str) -> None:
        """Take one, and raise TooManyError where there is none."""
        self.check(address)
        network = network_of(address)
        left = self._left_now(network)
        self._left.pop(network, None)
        self._left[network] = (left - 1, self._clock())
        if len(self._left) > MAX_ADDRESSES:
            del self._left[next(iter(self._left))]

    def _left_now(self, network: str) -> float:
        left, at_s = self._left.get(network, (self._per_minute, 0.0))
        return min(self._per_minute, left + (self._clock() - at_s) * self._per_minute / 60)


def network_of(address: str) -> str:
    """Whoever has one IPv6 address has 2 to the 64 of them."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> 64 << 64))
    return address
