"""A typed function as a tool."""

from __future__ import annotations

import json

import pytest

from assistant.agent.own_tool import own_tool


def lend(book: str, days: int = 14, *, signed: bool = False) -> str:
    """Lend a book to somebody.

    What follows is for people.
    """
    return f"{book} {days + 1} {signed}"


def test_brain_is_told_name_purpose_and_schema() -> None:
    tool = own_tool(lend).tool
    assert (tool.name, tool.description) == ("lend", "Lend a book to somebody.")
    schema = json.loads(tool.parameters)
    assert schema["required"] == ["book"]
    assert schema["properties"]["days"]["type"] == "integer"


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"book": "Emma"}, "Emma 15 False"),
        ({"book": "Emma", "days": "3"}, "Emma 4 False"),
        ({"book": "Emma", "days": 3, "signed": True}, "Emma 4 True"),
    ],
)
async def test_arguments_are_taken(arguments: dict[str, object], result: str) -> None:
    assert (await own_tool(lend).run(arguments)).text == result


@pytest.mark.parametrize(
    "arguments", [{}, {"book": 5}, {"book": "Emma", "days": "soon"}, {"book": "Emma", "colour": 1}]
)
async def test_arguments_that_cannot_be_are_named(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"book|str|int|colour"):
        await own_tool(lend).run(arguments)


async def test_async_function() -> None:
    async def fetch(name: str) -> str:
        """Fetch."""
        return name

    assert (await own_tool(fetch).run({"name": "x"})).text == "x"
