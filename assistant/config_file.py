"""A TOML file of settings and overrides to the settings; what is wrong is named with its place."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from assistant.config import Config
from assistant.errors import ConfigError
from assistant.shipped import shipped

T = TypeVar("T")

_PLAINLY = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
    Path: "a path in quotes",
}


def load(path: Path | None = None, overrides: Iterable[str] = ()) -> Config:
    """Read a TOML file, then apply overrides such as "server.port=9000".

    Raises ConfigError naming the file (or the override), the dotted key and what is allowed.
    """
    config = Config()
    if path is not None:
        path = _found(path)
        try:
            config = _merge(config, tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, ConfigError) as error:
            raise ConfigError(f"{path}: {error}") from error
    for override in overrides:
        try:
            config = _merge(config, _parse_override(override))
        except ConfigError as error:
            raise ConfigError(f"--set {override}: {error}") from error
    return config


def _found(path: Path) -> Path:
    """One of the profiles that came with the program may be named without its folder."""
    ours = shipped("configs") / path.name
    return ours if not path.exists() and path.name == str(path) and ours.is_file() else path


def _parse_override(override: str) -> dict[str, Any]:
    """ "a.b=c" to {"a": {"b": c}}; c is TOML where it parses as TOML, else a string."""
    dotted, separator, text = override.partition("=")
    if not separator:
        raise ConfigError("expected KEY=VALUE, such as server.port=9000")
    try:
        value: Any = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    for key in reversed(dotted.strip().split(".")):
        value = {key: value}
    return dict(value)


def _merge(old: T, table: dict[str, Any], *, at: str = "") -> T:
    """`old` with the values of a TOML table, refusing unknown keys and wrong values."""
    hints = get_type_hints(type(old), include_extras=True)
    known = {f.name for f in fields(old)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in table.items():
        dotted = f"{at}{key}"
        if key not in known:
            raise ConfigError(f"unknown key {dotted!r}; known here: {', '.join(sorted(known))}")
        current = getattr(old, key)
        if is_dataclass(current):
            if not isinstance(value, dict):
                raise ConfigError(f"{dotted} is a section: write [{dotted}] and its keys below")
            values[key] = _merge(current, value, at=f"{dotted}.")
        else:
            values[key] = _convert(hints[key], value, dotted)
    return replace(old, **values)  # type: ignore[type-var]


def _convert(kind: Any, value: Any, dotted: str) -> Any:
    if get_origin(kind) is Annotated:
        kind, allowed = get_args(kind)
        number = _convert(kind, value, dotted)
        if not allowed.low <= number <= allowed.high:
            raise ConfigError(
                f"{dotted} must be from {allowed.low:g} to {allowed.high:g}, not {value!r}"
            )
        return number
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ConfigError(f"{dotted} must be one of {get_args(kind)}, not {value!r}")
        return value
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{dotted} must be a list, not {value!r}")
        item_kind = get_args(kind)[0]
        return tuple(_convert(item_kind, item, f"{dotted}[{n}]") for n, item in enumerate(value))
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise ConfigError(f"{dotted} must be a table of keys, not {value!r}")
        return _merge(kind(), value, at=f"{dotted}.")  # type: ignore[operator]
    if kind is Path and isinstance(value, str):
        return Path(value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ConfigError(f"{dotted} must be {_PLAINLY[kind]}, not {value!r}")
    return value
