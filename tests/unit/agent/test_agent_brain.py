"""Calls within a turn: carried out at once, asked about, given up, and never left hanging."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from assistant.agent.agent_brain import MAX_ROUNDS, AgentBrain
from assistant.agent.desk import ToolDesk
from assistant.agent.own_tool import Brought, own_tool
from assistant.audit_file import AuditLog
from assistant.tools import Tool
from assistant.types import Message, Prompt, ReplyPiece, Role
from tests.fakes import ScriptedBrain, settle

QUESTION = "Shall I do this: send to Bob?"
CLIENTS = Tool(name="open_door", description="", parameters="{}")


class ReplyingBrain(ScriptedBrain):
    """One reply after another."""

    def __init__(self, *replies: str) -> None:
        super().__init__()
        self.replies = list(replies)

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Any:
        self.pieces = [self.replies.pop(0)] if self.replies else []
        return super().reply(prompt, max_tokens=max_tokens)


class Desk:
    def __init__(self, *replies: str) -> None:
        self.brain = ReplyingBrain(*replies)
        self.done: list[str] = []
        self.running = 0
        self.most_running = 0
        self.release = asyncio.Event()
        self.release.set()
        self.confirmed = asyncio.Event()
        self.confirmed.set()

        async def look_up(word: str) -> str:
            """Look something up."""
            self.running += 1
            self.most_running = max(self.running, self.most_running)
            try:
                await self.release.wait()
                await asyncio.sleep(0)
            finally:
                self.running -= 1
            self.done.append(word)
            return f"{word} is 5"

        def send(to: str) -> str:
            """Send a letter."""
            self.done.append(f"sent to {to}")
            return "sent"

        def note(what: str) -> str:
            """Write something down."""
            self.done.append(f"noted {what}")
            return "noted"

        self.desk = ToolDesk(
            (
                own_tool(look_up, doing="looking in your notes"),
                own_tool(send, asks_first=True, has_effect=True),
                own_tool(note, has_effect=True),
            ),
            AuditLog(),
        )

    def agent(self) -> AgentBrain:
        return AgentBrain(
            self.brain, self.desk, lambda: (CLIENTS,), self.confirmed, languages=("en", "zh")
        )

    async def ask(self, text: str = "How many?", *, heard: str = "") -> list[ReplyPiece]:
        """`heard`: what the person heard before."""
        prompt: Prompt = (Message(role=Role.USER, text=text),)
        if heard:
            prompt = (Message(role=Role.ASSISTANT, text=heard), *prompt)
        async with self.agent().reply(prompt, max_tokens=50) as pieces:
            return [piece async for piece in pieces]


def call(name: str, **arguments: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {json.dumps(arguments)}}}\n</tool_call>'


def words(pieces: Iterable[ReplyPiece]) -> str:
    return "".join(piece.text for piece in pieces)


async def test_result_is_read_and_answered() -> None:
    desk = Desk("Let me see. " + call("look_up", word="total"), "It is five.")
    pieces = await desk.ask()
    assert words(pieces) == "Let me see. It is five."
    assert [piece.doing for piece in pieces if piece.doing] == ["looking in your notes"]
    assert [piece.step.result for piece in pieces if piece.step] == ["total is 5"]
    second = desk.brain.replied[1]
    assert second[1].role is Role.ASSISTANT
    assert second[1].text.startswith("Let me see.")
    assert "total is 5" in second[2].text
    assert pieces[-1].stats is not None


async def test_independent_calls_run_at_once() -> None:
    desk = Desk(call("look_up", word="a") + call("look_up", word="b"), "Both.")
    await desk.ask()
    assert desk.most_running == 2
    assert sorted(desk.done) == ["a", "b"]


async def test_slow_call_is_spoken_of_only_where_nothing_was_said() -> None:
    for first, said in (("", "I am looking in your notes. "), ("Let me see. ", "")):
        desk = Desk(first + call("look_up", word="a"), "Five.")
        desk.release.clear()
        asyncio.get_running_loop().call_later(0.6, desk.release.set)
        assert words(await desk.ask()) == f"{first}{said}Five."


async def test_what_takes_long_to_read_is_spoken_of_at_once_and_cited() -> None:
    def search(query: str) -> Brought:
        """Search."""
        return Brought("the gate opens at nine", ("gate.md:2",))

    desk = Desk(call("search", query="gate"), "At nine.")
    tool = own_tool(search, doing="looking in your notes", is_announced=True)
    desk.desk = ToolDesk([tool], AuditLog())
    pieces = await desk.ask()
    assert words(pieces) == "I am looking in your notes. At nine."
    assert pieces[-1].stats is not None
    assert pieces[-1].stats.sources == ("gate.md:2",)


async def test_while_a_call_is_written_there_are_signs_of_life() -> None:
    desk = Desk()
    brain = ScriptedBrain(list(call("look_up", word="a")))
    agent = AgentBrain(brain, desk.desk, tuple, desk.confirmed)
    async with agent.reply((Message(role=Role.USER, text="Look."),), max_tokens=50) as pieces:
        assert not (await anext(pieces)).text
        assert not desk.done  # the call is not whole yet
        assert brain.busy


async def test_while_results_are_read_there_are_signs_of_life() -> None:
    desk = Desk(call("look_up", word="a"), "Five.")
    pieces = await desk.ask()
    (read,) = desk.brain.prefilled
    assert read == desk.brain.replied[1]
    assert words(pieces) == "Five."


async def test_what_need_not_be_asked_about_is_done_beside_the_question() -> None:
    desk = Desk(call("look_up", word="a") + call("send", to="Bob"))
    pieces = await desk.ask()
    assert words(pieces) == QUESTION
    assert desk.done == ["a"]
    assert [piece.step.result for piece in pieces if piece.step] == ["a is 5"]


async def test_a_failed_call_costs_its_own_result_only() -> None:
    desk = Desk(call("look_up", word="a") + call("look_up", number="b"), "A is five.")
    pieces = await desk.ask()
    good, bad = (piece.step.result for piece in pieces if piece.step)
    assert good == "a is 5"
    assert bad.startswith("error: ")
    assert "a is 5" in desk.brain.replied[1][-1].text
    assert bad in desk.brain.replied[1][-1].text
    assert words(pieces) == "A is five."


async def test_calls_without_end_end() -> None:
    desk = Desk(*[call("look_up", word=str(n)) for n in range(20)])
    pieces = await desk.ask()
    assert len(desk.brain.replied) == MAX_ROUNDS + 1
    assert words(pieces).strip()


async def test_silence_after_a_call_is_filled_with_its_result() -> None:
    assert words(await Desk(call("look_up", word="a"), "").ask()) == "a is 5"
    assert words(await Desk(call("look_up"), "").ask()) == "I could not find that out."


async def test_what_cannot_be_undone_waits_for_the_end_of_the_turn() -> None:
    desk = Desk(call("note", what="milk"), "Noted.")
    desk.confirmed.clear()
    task = asyncio.create_task(desk.ask())
    await settle()
    assert not desk.done
    desk.confirmed.set()
    await task
    assert desk.done == ["noted milk"]


async def test_change_of_the_world_is_asked_about_and_done_on_yes() -> None:
    desk = Desk(call("send", to="Bob"), "It is sent.")
    pieces = await desk.ask("Send it to Bob")
    assert words(pieces) == "Shall I do this: send to Bob?"
    assert not desk.done
    said = await desk.ask("Yes, please.", heard="Well. Shall I do this: send to Bob?")
    assert words(said) == "It is sent."
    assert desk.done == ["sent to Bob"]
    assert "sent" in desk.brain.replied[-1][-1].text


async def test_anything_but_yes_is_no() -> None:
    desk = Desk(call("send", to="Bob"), "All right.", "Yes what?")
    await desk.ask("Send it to Bob")
    await desk.ask("No, leave it.", heard=QUESTION)
    await desk.ask("Yes.", heard=QUESTION)
    assert not desk.done


async def test_yes_to_a_question_that_was_not_heard_is_none() -> None:
    desk = Desk(call("send", to="Bob"), "Yes what?")
    await desk.ask("Send it to Bob")
    await desk.ask("Yes.", heard="Shall I do")
    assert not desk.done


async def test_clients_calls_are_passed_on() -> None:
    pieces = await Desk(call("open_door")).ask()
    assert '"name": "open_door"' in words(pieces)


async def test_leaving_stops_what_is_carried_out() -> None:
    desk = Desk(call("look_up", word="a"), "Five.")
    desk.release.clear()
    task = asyncio.create_task(desk.ask())
    await settle()
    assert desk.running == 1
    task.cancel()
    await asyncio.wait([task])
    assert (desk.running, desk.brain.busy) == (0, 0)
