"""Pure: what a brain is told of the functions that a client offers, and how it calls them.

The wording is Qwen's own, shortened. Its models are trained to put a call between <tool_call> and
</tool_call>; the small coder writes the bare JSON object. Both are understood.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any

from assistant.errors import BrainError

_BEGINS_CALL = "{<`"
"""No spoken answer has one of these: from here on a reply may be a call."""

_OFFER = """

# Tools
You may call one of these functions:
<tools>
{tools}
</tools>
You do not know what they would return: never guess it, call the function. To call one, answer \
only with
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>
The result comes back between <tool_response> and </tool_response>: then tell the person the \
result itself in plain spoken words. If it begins with error, tell them that it failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function that the client can carry out."""

    name: str
    description: str
    parameters: str
    """A JSON schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """The brain wants a function carried out."""

    call_id: str
    name: str
    arguments: str
    """A JSON object."""

    @property
    def item_id(self) -> str:
        """Of the item that it is in the conversation."""
        return f"item_{self.call_id}"

    def __str__(self) -> str:
        """As the brain writes it."""
        return f'{{"name": {json.dumps(self.name)}, "arguments": {self.arguments}}}'


def offer(tools: Iterable[Tool]) -> str:
    """What the system prompt ends with; nothing where there are no tools."""
    lines = [
        f'{{"name": {json.dumps(tool.name)}, "description": {json.dumps(tool.description)}, '
        f'"parameters": {tool.parameters}}}'
        for tool in tools
    ]
    return _OFFER.format(tools="\n".join(lines)) if lines else ""


RESPONSE_BEGINS = "<tool_response>"


def response(output: str) -> str:
    """What a call brought, as the brain is told it."""
    return f"{RESPONSE_BEGINS}\n{output}\n</tool_response>"


_MARKS = re.compile(r"</?tool_\w+>")
"""Which a small model writes where it should call, or has nothing to call."""


class CallReader:
    """Takes the calls out of one reply, so that only words are spoken."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._names = {tool.name for tool in tools}
        self._held = ""
        self.calls: tuple[ToolCall, ...] = ()
        """Complete once the reply has come to its end."""

    async def words(self, texts: AsyncIterator[str]) -> AsyncIterator[str]:
        """What is to be said. Raises BrainError about a call that cannot be understood."""
        async for text in texts:
            if said := self.take(text):
                yield said
        if rest := self.finish():
            yield rest

    def take(self, text: str) -> str:
        """What of the next piece of a reply is to be said; the rest may be a call."""
        if not self._names:
            return text
        begin = 0
        if not self._held:
            begin = min((i for i in map(text.find, _BEGINS_CALL) if i >= 0), default=len(text))
        self._held += text[begin:]
        return text[:begin]

    def finish(self) -> str:
        """The reply is over: what was held back and is no call. Raises BrainError."""
        held, self._held = self._held, ""
        self.calls = tuple(self._read(held))
        if self.calls:
            return ""
        if '"arguments"' in held:
            raise BrainError("the model called a function in a way that means nothing")
        return _MARKS.sub("", held)

    def _read(self, text: str) -> Iterable[ToolCall]:
        decoder, at = json.JSONDecoder(), 0
        while (at := text.find("{", at)) >= 0:
            try:
                value, at = decoder.raw_decode(text, at)
            except ValueError:
                at += 1
                continue
            call = self._understand(value)
            if call is not None:
                yield call

    def _understand(self, value: Any) -> ToolCall | None:
        if not isinstance(value, dict) or value.get("name") not in self._names:
            return None
        arguments = value.get("arguments", {})
        if not isinstance(arguments, dict):
            return None
        return ToolCall(
            call_id=f"call_{secrets.token_hex(8)}",
            name=value["name"],
            arguments=json.dumps(arguments, ensure_ascii=False),
        )
