"""Tools of MCP servers (Model Context Protocol), by the official `mcp` package."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from assistant.agent.own_tool import Brought, OwnTool
from assistant.config_answers import McpServerConfig, ToolsConfig
from assistant.errors import ConfigError
from assistant.tools import Tool

if TYPE_CHECKING:
    from mcp import Client

logger = logging.getLogger(__name__)

_START_S = 20.0


@asynccontextmanager
async def server_tools(config: ToolsConfig) -> AsyncGenerator[tuple[OwnTool, ...]]:
    """Those of all servers, which are connected as long as the block lasts.

    Raises ConfigError about a server that cannot be reached.
    """
    if not config.servers:
        yield ()
        return
    from mcp import Client, StdioServerParameters  # takes a second, and few need it

    tools = list[OwnTool]()
    async with AsyncExitStack() as stack:
        for server in config.servers:
            if bool(server.command) == bool(server.url):
                raise ConfigError(
                    f"tools.servers: {server.name or 'a server'} needs either a command or a url"
                )
            where: Any = server.url
            if server.command:
                program, *arguments = server.command
                where = StdioServerParameters(command=program, args=arguments)
            client = Client(where, read_timeout_seconds=_START_S)
            try:
                await stack.enter_async_context(client)
                offered = (await client.list_tools()).tools
            except Exception as error:  # whatever the package and the server's program raise
                raise ConfigError(
                    f"tools.servers: {server.name or where} does not answer as an MCP server"
                ) from error
            deadline_s = config.deadline_ms / 1_000
            tools += [_as_own(client, tool, server, deadline_s) for tool in offered]
            logger.info("%s offers %s", server.name, ", ".join(tool.name for tool in offered))
        names = [tool.tool.name for tool in tools]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ConfigError(f"tools.servers: two servers offer {', '.join(sorted(twice))}")
        yield tuple(tools)


def _as_own(client: Client, tool: Any, server: McpServerConfig, deadline_s: float) -> OwnTool:
    only_reads = bool(tool.annotations and tool.annotations.read_only_hint)
    return OwnTool(
        tool=Tool(
            name=tool.name,
            description=(tool.description or tool.title or "").partition("\n")[0],
            parameters=json.dumps(tool.input_schema),
        ),
        run=_caller(client, tool.name),
        doing=server.doing or f"asking {server.name or tool.name}",
        has_effect=not only_reads,
        asks_first=not (only_reads or server.trusted),
        deadline_s=deadline_s,
    )


def _caller(client: Client, name: str) -> Callable[[Mapping[str, Any]], Awaitable[Brought]]:
    async def call(arguments: Mapping[str, Any]) -> Brought:
        result = await client.call_tool(name, dict(arguments))
        text = " ".join(part.text for part in result.content if hasattr(part, "text"))
        if result.is_error:
            raise ValueError(text or "it failed")
        return Brought(text)

    return call
