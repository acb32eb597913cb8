"""Every setting as a TOML file, with its default, its range and its docstring as a comment."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from assistant import config, config_answers
from assistant.config import Config

_WIDTH = 96


def default_toml() -> str:
    """What configs/default.toml holds."""
    docs = _docstrings()
    lines = [
        "# Every setting and its default. A file of your own needs only what differs:",
        "#     assistant serve --config my.toml --set server.port=9000",
    ]
    for section in fields(Config):
        lines += [
            "",
            f"[{section.name}]",
            *_keys(section.name, getattr(Config(), section.name), docs),
        ]
    return "\n".join(lines) + "\n"


def _keys(name: str, values: Any, docs: dict[tuple[str, str], str]) -> Iterator[str]:
    """The keys of a section, each below its comment; lists of tables have to come last."""
    hints = get_type_hints(type(values), include_extras=True)
    for key in fields(values):
        value = getattr(values, key.name)
        doc = docs.get((type(values).__name__, key.name), "")
        comment = " ".join(part for part in (doc, _range(hints[key.name])) if part)
        tables = value if isinstance(value, tuple) and all(map(is_dataclass, value)) else ()
        yield from [""] if tables else []
        yield from (f"# {line}" for line in textwrap.wrap(comment, _WIDTH))
        for table in tables:
            yield f"[[{name}.{key.name}]]"
            yield from _keys(f"{name}.{key.name}", table, docs)
        if not tables:
            yield f"{key.name} = {_toml(value)}"


def _docstrings() -> dict[tuple[str, str], str]:
    """(class, field) to the string literal below the field."""
    docs: dict[tuple[str, str], str] = {}
    sources = map(inspect.getsource, (config, config_answers))
    for node in (node for source in sources for node in ast.parse(source).body):
        if not isinstance(node, ast.ClassDef):
            continue
        for field, below in zip(node.body, node.body[1:], strict=False):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    docs[node.name, name] = " ".join(text.split())
    return docs


def _range(kind: Any) -> str:
    if get_origin(kind) is not Annotated:
        return ""
    _, allowed = get_args(kind)
    return f"From {allowed.low:g} to {allowed.high:g}."


def _toml(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str() | Path():
            text = "" if value == Path("") else str(value)
            escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{escaped}"'
        case tuple():
            return f"[{', '.join(_toml(item) for item in value)}]"
        case _:
            return str(value)
