"""The read system prompt, kept between runs, so that a restart does not read it again."""

from __future__ import annotations

import hashlib
import logging
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

logger = logging.getLogger(__name__)

_MAGIC = b"parley-prefix-1\n"
_DIGEST_BYTES = 16
_HEAD_BYTES = len(_MAGIC) + 2 * _DIGEST_BYTES


def prefix_key(*parts: bytes) -> bytes:
    """Everything that a saved state depends on: model, llama.cpp build, shape of cache, prompt."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class PrefixFile:
    """One state on disk: magic, key, checksum of the state, state.

    llama.cpp trusts what it is given, so a file is used only when all three are right.
    """

    path: Path
    key: bytes

    def load(self) -> bytes | None:
        """The state; None when there is none that fits, with the reason in the log."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            logger.warning("%s: cannot be read: %s", self.path, error.strerror)
            return None
        reason = self._fault(content)
        if reason is not None:
            logger.warning("%s: %s; the system prompt is read anew", self.path, reason)
            return None
        return content[_HEAD_BYTES:]

    def _fault(self, content: bytes) -> str | None:
        begins = len(_MAGIC)
        key = content[begins : begins + _DIGEST_BYTES]
        checksum = content[begins + _DIGEST_BYTES : _HEAD_BYTES]
        if not content.startswith(_MAGIC) or checksum != _checksum(content[_HEAD_BYTES:]):
            return "damaged"
        return None if key == self.key else "of another model, prompt or version"

    def save(self, state: bytes) -> None:
        """Atomic: a reader sees the old file or the new one. Only speed is lost when it fails."""
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(_MAGIC + self.key + _checksum(state) + state)
            unfinished.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink()
            logger.warning("%s: cannot be written: %s", self.path, error.strerror)


def _checksum(state: bytes) -> bytes:
    return hashlib.blake2b(state, digest_size=_DIGEST_BYTES).digest()
