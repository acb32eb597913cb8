"""A small MCP server, for tests: python -m tests.unit.agent.mcp_server"""

from __future__ import annotations

import asyncio

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("notes")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def find_note(about: str) -> str:
    """Find a note."""
    if about == "nothing":
        raise LookupError("no such note")
    return f"a note about {about}"


@server.tool()
def delete_note(about: str) -> str:
    """Delete a note."""
    return f"deleted {about}"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def dream() -> str:
    """Take very long."""
    await asyncio.sleep(60)
    return ""


if __name__ == "__main__":
    server.run()
