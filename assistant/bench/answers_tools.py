"""The part of `assistant bench answers` that is about tools."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from assistant.agent.agent_brain import AgentBrain
from assistant.agent.desk import ToolDesk
from assistant.agent.own_tool import own_tool
from assistant.audit_file import AuditLog
from assistant.bench.report import Report, print_table
from assistant.stages import Stream
from assistant.types import Message, Prompt, ReplyPiece, Role

_TOOL_S = 0.4


class _CallsTwo:
    """A brain that calls two tools at first and then answers."""

    async def prefill(self, prompt: Prompt) -> None:
        pass

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        return self._reply(prompt)

    @asynccontextmanager
    async def _reply(self, prompt: Prompt) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        async def pieces() -> AsyncIterator[ReplyPiece]:
            call = '{"name": "wait_a_little", "arguments": {}}'
            yield ReplyPiece(text="Both are here." if len(prompt) > 1 else f"{call}\n{call}")

        yield pieces()


async def measure_tools() -> Report:
    """Two tools of 400 ms each, called at once: until the results are with the brain."""

    async def wait_a_little() -> str:
        """Wait."""
        await asyncio.sleep(_TOOL_S)
        return "done"

    certain = asyncio.Event()
    certain.set()
    desk = ToolDesk([own_tool(wait_a_little)], AuditLog())
    agent = AgentBrain(_CallsTwo(), desk, tuple, certain)
    began_at_s = time.monotonic()
    async with agent.reply((Message(role=Role.USER, text="Both"),), max_tokens=9) as pieces:
        steps = [piece.step async for piece in pieces if piece.step]
    took_ms = 1_000 * (time.monotonic() - began_at_s)
    report = {"n": len(steps), "each_ms": 1_000 * _TOOL_S, "parallel_ms": took_ms}
    print_table("tools at once", ("tools", "each ms", "together ms"), [tuple(report.values())])
    return report
