"""Where a server can be reached, by what names, and whether from more than this machine."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from aioice import ice

ANYWHERE = ("0.0.0.0", "::")


def is_local(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def own_addresses() -> list[str]:
    """Of this machine, but for loopback and link-local ones; IPv4 first."""
    found = ice.get_host_addresses(use_ipv4=True, use_ipv6=True)
    usable = [address for address in found if not ip_address(address).is_link_local]
    return sorted(usable, key=lambda address: ":" in address)


def own_names() -> list[str]:
    """By which this machine may be known on its network."""
    name = socket.gethostname().lower()
    return [name, f"{name.partition('.')[0]}.local"]


def in_url(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def is_known_host(header: str, names: tuple[str, ...]) -> bool:
    """Whether a request's Host names us.

    Somebody else's name that was made to lead here (DNS rebinding) would let their page in; an
    address is nobody's name. `names`: others that are ours; "*" for all.
    """
    host = header.rpartition(":")[0] if header.rpartition(":")[2].isdigit() else header
    host = host.strip("[]").lower().rstrip(".")
    if "*" in names or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return host in {*own_names(), *(name.lower() for name in names)}
    return True
