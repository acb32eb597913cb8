"""STUN and TURN servers, and credentials for the latter that expire.

TURN servers share a secret with us and check what we sign with it (coturn's `use-auth-secret`,
draft-uberti-behave-turn-rest-00). Every line gets credentials of its own, so none outlives them.
"""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha1

from assistant.config import ServerConfig
from assistant.transport.client_secrets import read_key

GOOD_FOR_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class IceServers:
    """Of one kind; a TURN server's with what lets us in."""

    urls: tuple[str, ...]
    username: str | None = None
    credential: str | None = None

    def as_json(self) -> dict[str, object]:
        """As a browser wants it."""
        known = {"urls": list(self.urls)}
        if self.username is None:
            return {**known}
        return {**known, "username": self.username, "credential": self.credential}


def ice_servers(
    config: ServerConfig, clock: Callable[[], float] = time.time
) -> tuple[IceServers, ...]:
    """Raises ServerError where the secret cannot be read."""
    turn = tuple(url for url in config.ice_servers if url.startswith(("turn:", "turns:")))
    others = tuple(url for url in config.ice_servers if url not in turn)
    secret = read_key(config.turn_secret_file, setting="server.turn_secret_file")
    servers = [IceServers(urls=others)] if others else []
    if turn and secret is None:
        servers.append(IceServers(urls=turn))
    elif turn and secret is not None:
        username = f"{int(clock()) + GOOD_FOR_S}:parley"
        signed = hmac.digest(secret.encode(), username.encode(), sha1)
        credential = base64.b64encode(signed).decode()
        servers.append(IceServers(urls=turn, username=username, credential=credential))
    return tuple(servers)
