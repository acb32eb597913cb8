"""Tools of a real MCP server in a process of its own."""

from __future__ import annotations

import sys

import pytest

from assistant.agent.desk import ToolDesk
from assistant.agent.mcp_servers import server_tools
from assistant.audit_file import AuditLog
from assistant.config_answers import McpServerConfig, ToolsConfig
from assistant.config_file import load
from assistant.errors import ConfigError
from assistant.tools import ToolCall

COMMAND = (sys.executable, "-m", "tests.unit.agent.mcp_server")


def call(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(call_id="call_1", name=name, arguments=arguments)


async def test_server_by_settings() -> None:
    server = McpServerConfig(name="notes", command=COMMAND, doing="looking in your notes")
    async with server_tools(ToolsConfig(servers=(server,), deadline_ms=300)) as tools:
        by_name = {each.tool.name: each for each in tools}
        assert set(by_name) == {"find_note", "delete_note", "dream"}
        assert [name for name, each in by_name.items() if each.asks_first] == ["delete_note"]
        desk = ToolDesk(tools, AuditLog())
        assert (await desk.run(call("find_note", '{"about": "tea"}'))).text == "a note about tea"
        assert (await desk.run(call("find_note", '{"about": "nothing"}'))).text.startswith(
            "error: "
        )
        assert "too long" in (await desk.run(call("dream"))).text
        assert (await desk.run(call("find_note", '{"about": "milk"}'))).text == "a note about milk"
        assert desk.doing([call("find_note")]) == "looking in your notes"


async def test_trusted_server_does_not_ask() -> None:
    server = McpServerConfig(name="notes", command=COMMAND, trusted=True)
    async with server_tools(ToolsConfig(servers=(server,))) as tools:
        assert not any(each.asks_first for each in tools)


@pytest.mark.parametrize(
    ("server", "says"),
    [
        (McpServerConfig(name="x"), "either a command or a url"),
        (McpServerConfig(name="x", command=("nowhere-to-be-found",)), "x does not answer"),
        (McpServerConfig(name="x", url="http://127.0.0.1:9/mcp"), "x does not answer"),
    ],
)
async def test_server_that_cannot_be_reached_is_named(server: McpServerConfig, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        async with server_tools(ToolsConfig(servers=(server,))):
            pass


def test_servers_are_read_from_settings() -> None:
    config = load(None, ['tools.servers=[{name="n", command=["a", "b"]}]'])
    assert config.tools.servers == (McpServerConfig(name="n", command=("a", "b")),)
