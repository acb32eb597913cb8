"""A secret key: from a file that nobody else can read, or from the environment."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assistant.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Key:
    """Never shown: neither `repr` nor an error holds it."""

    secret: str = field(repr=False)


def read_key(
    file: Path, *, setting: str, variable: str, environment: Mapping[str, str] = os.environ
) -> Key:
    """`file`: empty for the environment's `variable`, which may be missing: then it is "".

    `setting` names the file. Raises ConfigError about one that others can read, or that holds no
    key.
    """
    if file == Path(""):
        return Key(_one_word(environment.get(variable, ""), variable))
    source = f"{setting}: {file}"
    try:
        with file.open(encoding="utf-8") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            if mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise ConfigError(f"{source} can be read by others: chmod 600 {file}")
            text = opened.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{source} cannot be read as text") from error
    key = _one_word(text, source)
    if not key:
        raise ConfigError(f"{source} is empty")
    return Key(key)


def _one_word(text: str, source: str) -> str:
    words = text.split()
    if len(words) > 1 or not text.isascii():
        raise ConfigError(f"{source} must hold one key and nothing else")
    return words[0] if words else ""
