"""A Python function with a typed signature as a tool: its schema, and its arguments checked."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from assistant.tools import Tool

DEADLINE_S = 4.0
"""Less than the silence after which a brain counts as dead."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What a call brought."""

    text: str
    sources: tuple[str, ...] = ()
    """Where it stands, for a person who wants to read on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTool:
    tool: Tool
    run: Callable[[Mapping[str, Any]], Awaitable[Brought]]
    """Raises ValueError with a sentence about arguments that cannot be."""

    doing: str = "looking that up"
    """What is going on while it runs, as a person would say it."""

    has_effect: bool = False
    """It is carried out only once it is certain that the person has finished."""

    asks_first: bool = False
    """It changes the world outside: the person is asked before."""

    is_announced: bool = False
    """What is going on is said at once: the brain takes its time to read what this brings."""

    deadline_s: float = DEADLINE_S


def own_tool(
    function: Callable[..., Any],
    *,
    doing: str = "looking that up",
    has_effect: bool = False,
    asks_first: bool = False,
    is_announced: bool = False,
    deadline_s: float = DEADLINE_S,
) -> OwnTool:
    """`function`: plain or async; its name, the first line of its docstring, and its parameters'
    types and defaults are what the brain is told. It returns what can be told, or Brought."""
    hints = get_type_hints(function)
    parameters = inspect.signature(function).parameters
    fields: list[Any] = [
        (name, hints[name])
        if each.default is inspect.Parameter.empty
        else (name, hints[name], each.default)
        for name, each in parameters.items()
    ]
    arguments_type = msgspec.defstruct(
        "arguments", fields, kw_only=True, forbid_unknown_fields=True
    )

    async def run(arguments: Mapping[str, Any]) -> Brought:
        try:
            # Small models write numbers as strings.
            checked = msgspec.convert(dict(arguments), arguments_type, strict=False)
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error
        result = function(**{name: getattr(checked, name) for name in parameters})
        brought = await result if inspect.isawaitable(result) else result
        return brought if isinstance(brought, Brought) else Brought(str(brought))

    return OwnTool(
        tool=Tool(
            name=function.__name__,
            description=(inspect.getdoc(function) or "").partition("\n")[0],
            parameters=json.dumps(_schema(arguments_type)),
        ),
        run=run,
        doing=doing,
        has_effect=has_effect,
        asks_first=asks_first,
        is_announced=is_announced,
        deadline_s=deadline_s,
    )


def _schema(arguments_type: type) -> dict[str, Any]:
    """Without what a brain need not read."""
    _, components = msgspec.json.schema_components([arguments_type])
    schema = components["arguments"]
    return {
        "type": "object",
        "properties": schema["properties"],
        "required": schema.get("required", []),
    }
