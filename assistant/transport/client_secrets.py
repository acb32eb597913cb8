"""Who may talk to the assistant: whoever has the API key, or a short-lived secret made with it."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from assistant.errors import ServerError, UnauthorizedError
from assistant.transport.fields import Fields
from assistant.transport.settings import SessionUpdate, read_session

DEFAULT_S = 600
MIN_S, MAX_S = 10, 7_200
"""Between which a secret may be good. The protocol's own range."""

MAX_SECRETS = 1_000
"""At a time; the oldest are forgotten."""

SUBPROTOCOL = "openai-insecure-api-key."
"""Browsers cannot send a header with a WebSocket, but the name of a subprotocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSecret:
    """Good for any number of sessions until it expires; those go on."""

    value: str
    expires_at_s: int
    """Since 1970."""

    settings: SessionUpdate | None = None
    """What every session that is begun with it starts from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretWanted:
    good_for_s: int = DEFAULT_S
    settings: SessionUpdate | None = None


def read_wanted(fields: Fields) -> SecretWanted:
    """The body of a request for a secret. Raises ProtocolError."""
    good_for_s = DEFAULT_S
    if expiry := fields.object_or_none("expires_after"):
        expiry.choice_or_none("anchor", ("created_at",))
        good_for_s = expiry.whole_or_none("seconds", MIN_S, MAX_S) or DEFAULT_S
        expiry.end()
    session = fields.object_or_none("session")
    fields.end()
    return SecretWanted(good_for_s=good_for_s, settings=read_session(session) if session else None)


class Keys:
    """The API key, where there is one, and the secrets that were made."""

    def __init__(self, api_key: str | None, clock: Callable[[], float] = time.time) -> None:
        self._api_key = api_key
        self._clock = clock
        self._secrets: dict[bytes, ClientSecret] = {}
        """By their digests, so that looking one up tells nothing of the others."""

    def make_secret(self, wanted: SecretWanted) -> ClientSecret:
        self._forget_expired()
        secret = ClientSecret(
            value=f"ek_{secrets.token_urlsafe(24)}",
            expires_at_s=int(self._clock()) + wanted.good_for_s,
            settings=wanted.settings,
        )
        if len(self._secrets) >= MAX_SECRETS:
            del self._secrets[next(iter(self._secrets))]
        self._secrets[_digest(secret.value)] = secret
        return secret

    def check_key(self, token: str | None) -> None:
        """Raises UnauthorizedError: this takes the API key itself."""
        if self._api_key is not None and not _is_same(token or "", self._api_key):
            raise UnauthorizedError("This needs the server's API key, as Bearer.")

    def admit(self, token: str | None) -> SessionUpdate | None:
        """What a session that is begun with `token` starts from.

        Raises UnauthorizedError. Without an API key all are admitted, whatever they say: programs
        send some key always.
        """
        self._forget_expired()
        secret = self._secrets.get(_digest(token or ""))
        if secret is not None:
            return secret.settings
        try:
            self.check_key(token)
        except UnauthorizedError as error:
            raise UnauthorizedError(
                "This needs the server's API key, or a client secret that is still good, as Bearer."
            ) from error
        return None

    def _forget_expired(self) -> None:
        now_s = self._clock()
        self._secrets = {
            digest: secret
            for digest, secret in self._secrets.items()
            if secret.expires_at_s > now_s
        }


def read_key(path: Path, *, setting: str = "server.api_key_file") -> str | None:
    """The first line of a file; None for no file at all. Raises ServerError."""
    if path == Path():
        return None
    try:
        lines = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ServerError(f"{setting}: {path} cannot be read: {error}.") from error
    if len(lines) != 1:
        raise ServerError(f"{setting}: {path} must hold one key and nothing else.")
    return lines[0]


def token_in(authorization: str | None, subprotocols: Iterable[str] = ()) -> str | None:
    """What a client shows for itself."""
    kind, _, token = (authorization or "").partition(" ")
    if kind.lower() == "bearer":
        return token.strip()
    named = (name for name in subprotocols if name.startswith(SUBPROTOCOL))
    return next((name.removeprefix(SUBPROTOCOL) for name in named), None)


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogateescape")).digest()


def _is_same(token: str, key: str) -> bool:
    return hmac.compare_digest(_digest(token), _digest(key))
