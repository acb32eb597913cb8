from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import cast

from assistant.documents.index import DocumentIndex
from assistant.documents.informed_brain import InformedBrain
from assistant.documents.passages import FoundPassage
from assistant.types import Message, Role
from tests.fakes import ScriptedBrain

SYSTEM = Message(role=Role.SYSTEM, text="Be brief.")


def passage(number: int) -> FoundPassage:
    return FoundPassage(id=number, source=f"{number}.md:1", heading="", text=f"text {number}")


@dataclass
class FakeIndex:
    found: dict[str, list[int]]
    asked: list[str] = field(default_factory=list)
    may_answer: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.may_answer.set()

    def search(self, question: str, most: int) -> list[FoundPassage]:
        self.asked.append(question)
        self.may_answer.wait(30)
        return [passage(number) for number in self.found.get(question, [])][:most]


def informed(index: FakeIndex, *, budget_ms: float = 20_000) -> tuple[InformedBrain, ScriptedBrain]:
    brain = ScriptedBrain(["It is."])
    return InformedBrain(brain, cast(DocumentIndex, index), 2, budget_ms), brain


def asked(words: str) -> tuple[Message, ...]:
    return (SYSTEM, Message(role=Role.USER, text=words))


async def test_passages_stand_before_the_words_and_are_cited() -> None:
    brain, inner = informed(FakeIndex({"where is the gate": [1, 2, 3]}))
    async with brain.reply(asked("where is the gate"), max_tokens=9) as pieces:
        stats = [piece async for piece in pieces][-1].stats
    assert stats is not None
    assert stats.sources == ("1.md:1", "2.md:1")
    told = inner.replied[0][-1].text
    assert told.endswith("\nwhere is the gate")
    assert told.index("text 1") < told.index("text 2")
    assert "text 3" not in told


async def test_what_was_read_along_stays_while_it_holds_the_best() -> None:
    index = FakeIndex(
        {"the gate opens": [1, 2], "the gate opens when": [2, 3], "the gate opens late": [3]}
    )
    brain, inner = informed(index)
    for words in ("the gate opens", "the gate opens when", "the gate opens late"):
        await brain.prefill(asked(words))
    first, second, third = (prompt[-1].text.rpartition("]")[0] for prompt in inner.prefilled)
    assert first == second != third


async def test_small_talk_has_no_documents() -> None:
    brain, inner = informed(FakeIndex({"hello": [1]}))
    await brain.prefill(asked("hello"))
    assert inner.prefilled == [asked("hello")]


async def test_a_search_that_takes_too_long_is_done_without() -> None:
    index = FakeIndex({"where is the gate": [1], "where is the new gate": [2]})
    brain, inner = informed(index)
    await brain.prefill(asked("where is the gate"))
    index.may_answer.clear()
    brain.budget_ms = 1
    async with brain.reply(asked("where is the new gate"), max_tokens=9):
        pass
    index.may_answer.set()
    assert "text 1" in inner.replied[0][-1].text


async def test_what_was_read_is_what_is_asked() -> None:
    index = FakeIndex({"where is the gate": [1]})
    brain, inner = informed(index)
    await brain.prefill(asked("where is the gate"))
    index.found = {"where is the gate": [2]}
    async with brain.reply(asked("where is the gate"), max_tokens=9):
        pass
    assert inner.replied == inner.prefilled[:1] == inner.prefilled[1:]
    assert index.asked == ["where is the gate"]


async def test_words_that_lean_on_earlier_ones_are_looked_for_with_them() -> None:
    index = FakeIndex({})
    brain, _ = informed(index)
    before = (*asked("where is the gate"), Message(role=Role.ASSISTANT, text="Behind the house."))
    for words in ("and when does it open", "when does the museum open"):
        await brain.prefill((*before, Message(role=Role.USER, text=words)))
    assert index.asked == ["where is the gate and when does it open", "when does the museum open"]
