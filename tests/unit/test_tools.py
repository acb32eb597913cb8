"""Which of a reply's words are a call, and which are to be spoken."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from assistant.errors import BrainError
from assistant.tools import CallReader, Tool, ToolCall, offer

LIGHT = Tool(name="light", description="Turns it on.", parameters='{"type": "object"}')
ON = '{"name": "light", "arguments": {"on": true}}'


async def read(text: str, *tools: Tool, step: int = 3) -> tuple[str, list[tuple[str, str]]]:
    """What is said of `text`, and what is called."""

    async def pieces() -> AsyncIterator[str]:
        for at in range(0, len(text), step):
            yield text[at : at + step]

    reader = CallReader(tools)
    said = "".join([words async for words in reader.words(pieces())])
    return said, [(call.name, call.arguments) for call in reader.calls]


@pytest.mark.parametrize("step", [1, 3, 1_000])
@pytest.mark.parametrize(
    ("text", "said", "n_calls"),
    [
        ("It is on.", "It is on.", 0),
        (ON, "", 1),
        (f"<tool_call>\n{ON}\n</tool_call>", "", 1),
        (f"```json\n{ON}\n```", "", 1),
        (f"One moment. {ON}", "One moment. ", 1),
        (f"{ON}\n{ON}", "", 2),
        ('{"name": "light"}', "", 1),
        ("2 < 3 and {so on}", "2 < 3 and {so on}", 0),
        ("It is <tool_response>five</tool_response>.", "It is five.", 0),
        ('{"name": "door"}', '{"name": "door"}', 0),
    ],
)
async def test_calls_are_not_spoken(text: str, said: str, n_calls: int, step: int) -> None:
    words, calls = await read(text, LIGHT, step=step)
    assert words == said
    assert len(calls) == n_calls
    assert all(name == "light" for name, _ in calls)


async def test_a_call_has_its_arguments_as_json() -> None:
    _, [(_, arguments)] = await read(ON, LIGHT)
    assert json.loads(arguments) == {"on": True}


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "light", "arguments": {"on": tr',
        '{"name": "door", "arguments": {}}',
        '{"name": "light", "arguments": "on"}',
    ],
)
async def test_a_call_that_means_nothing_is_a_failure_and_never_spoken(text: str) -> None:
    with pytest.raises(BrainError, match="means nothing"):
        await read(text, LIGHT)


async def test_without_tools_everything_is_spoken() -> None:
    assert await read(ON) == (ON, [])


def test_a_call_is_told_as_the_brain_wrote_it() -> None:
    assert str(ToolCall(call_id="c", name="light", arguments='{"on": true}')) == ON


def test_without_tools_nothing_is_offered() -> None:
    assert offer(()) == ""
    assert '"light"' in offer((LIGHT,))
