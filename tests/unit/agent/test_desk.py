"""Where calls are carried out."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from assistant.agent.desk import ToolDesk, is_yes, question_about
from assistant.agent.own_tool import own_tool
from assistant.audit_file import AuditLog
from assistant.tools import ToolCall


def call(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(call_id=f"call_{name}", name=name, arguments=arguments)


async def slow() -> str:
    """Never ends."""
    await asyncio.Event().wait()
    return ""


def broken() -> str:
    """Fails."""
    raise KeyError("secret words")


def picky(n: int) -> str:
    """Wants a number."""
    return "x" * n


@pytest.mark.parametrize(
    ("wanted", "result", "outcome"),
    [
        (call("slow"), "error: it took too long, so there is no result", "late"),
        (call("broken"), "error: it failed, so there is no result", "failed"),
        (call("picky", '{"n": 3}'), "xxx", "done"),
    ],
)
async def test_failure_too_is_an_answer_and_all_of_it_is_audited(
    wanted: ToolCall, result: str, outcome: str, tmp_path: Path
) -> None:
    audit = tmp_path / "audit.jsonl"
    tools = (own_tool(slow, deadline_s=0.01), own_tool(broken), own_tool(picky))
    assert (await ToolDesk(tools, AuditLog(audit)).run(wanted)).text == result
    noted = json.loads(audit.read_text())
    assert (noted["what"], noted["name"], noted["outcome"]) == ("tool call", wanted.name, outcome)
    assert noted["arguments"] == json.loads(wanted.arguments)


async def test_wrong_arguments_are_told_to_the_brain() -> None:
    desk = ToolDesk((own_tool(picky),), AuditLog())
    assert (await desk.run(call("picky"))).text.startswith("error: ")


async def test_long_result_is_cut() -> None:
    desk = ToolDesk((own_tool(picky),), AuditLog())
    assert len((await desk.run(call("picky", '{"n": 100000}'))).text) < 2_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes.", True),
        ("yes, please", True),
        ("OK, go ahead!", True),
        ("好的。", True),
        ("可以", True),
        ("是的，去吧", True),
        ("No.", False),
        ("yes but to Anna instead", False),
        ("please wait", False),
        ("好像不对", False),
        ("不可以", False),
        ("", False),
    ],
)
def test_only_a_plain_yes_is_one(text: str, expected: bool) -> None:
    assert is_yes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes, delete it.", True),
        ("Yes, delete the note about tea, please.", True),
        ("Yes, but keep the note about tea.", False),
        ("Yes, delete the note about coffee.", False),
        ("Delete it.", False),
        ("No, yes.", False),
    ],
)
def test_yes_may_say_again_what_was_asked(text: str, expected: bool) -> None:
    assert is_yes(text, "Shall I do this: delete note about tea?") == expected


def test_question_names_what_would_be_done() -> None:
    wanted = call("send_mail", '{"to": "Bob"}')
    assert question_about([wanted], "en") == "Shall I do this: send mail to Bob?"
    assert question_about([wanted], "zh").startswith("要我")
