"""The key of a remote brain: from a file that nobody else can read, or from the environment."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assistant.errors import ConfigError

VARIABLE = "PARLEY_REMOTE_API_KEY"


@dataclass(frozen=True, slots=True)
class Key:
    """Never shown: neither `repr` nor an error holds it."""

    secret: str = field(repr=False)


def read_key(file: Path, environment: Mapping[str, str] = os.environ) -> Key:
    """`file`: empty for the environment variable. A server without keys gets an empty one.

    Raises ConfigError about a file that others can read, or that holds no key.
    """
    if file == Path(""):
        return Key(_one_word(environment.get(VARIABLE, ""), VARIABLE))
    setting = f"remote.api_key_file: {file}"
    try:
        with file.open(encoding="utf-8") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            if mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise ConfigError(f"{setting} can be read by others: chmod 600 {file}")
            text = opened.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{setting} cannot be read as text") from error
    key = _one_word(text, setting)
    if not key:
        raise ConfigError(f"{setting} is empty")
    return Key(key)


def _one_word(text: str, source: str) -> str:
    words = text.split()
    if len(words) > 1 or not text.isascii():
        raise ConfigError(f"{source} must hold one key and nothing else")
    return words[0] if words else ""
