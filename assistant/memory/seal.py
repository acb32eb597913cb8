"""What is kept, made unreadable for whoever has the file and not the key."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from assistant.errors import ConfigError
from assistant.key import Key, read_key

VARIABLE = "PARLEY_MEMORY_KEY"

_SETTING = "memory.key_file"
_KEY_BYTES = 32
_NONCE_BYTES = 12


class BrokenSealError(ValueError):
    """Sealed with another key, or changed since."""


class Seal(Protocol):
    def close(self, plain: bytes, place: bytes) -> bytes:
        """`plain` sealed; it opens at this `place` alone, so that nobody can move it."""
        ...

    def open(self, sealed: bytes, place: bytes) -> bytes:
        """Raises BrokenSealError."""
        ...


class NoSeal:
    """Anybody who has the file can read it."""

    def close(self, plain: bytes, place: bytes) -> bytes:
        return plain

    def open(self, sealed: bytes, place: bytes) -> bytes:
        return sealed


class AesSeal:
    """AES-256-GCM, with a nonce of its own for each row."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def close(self, plain: bytes, place: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, plain, place)

    def open(self, sealed: bytes, place: bytes) -> bytes:
        nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, rest, place)
        except (InvalidTag, ValueError) as error:
            raise BrokenSealError("it is sealed with another key, or was changed") from error


def memory_key(file: Path, made_in: Path) -> bytes:
    """The key in `file`; without one that in the environment, or else one that is made once in the
    folder `made_in`. Raises ConfigError."""
    key = read_key(file, setting=_SETTING, variable=VARIABLE)
    if file == Path("") and not key.secret:
        file = made_in / "memory.key"
        _make_once(file)
        key = read_key(file, setting=_SETTING, variable=VARIABLE)
    return _decoded(key, VARIABLE if file == Path("") else str(file))


def _make_once(file: Path) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be made ({error.strerror}): name a key in {_SETTING}"
        ) from error
    with os.fdopen(opened, "wb") as out:
        out.write(base64.b64encode(os.urandom(_KEY_BYTES)) + b"\n")


def _decoded(key: Key, source: str) -> bytes:
    try:
        decoded = base64.b64decode(key.secret, validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if len(decoded) != _KEY_BYTES:
        raise ConfigError(
            f"{source} must hold {_KEY_BYTES} bytes in base64: openssl rand -base64 {_KEY_BYTES}"
        )
    return decoded
