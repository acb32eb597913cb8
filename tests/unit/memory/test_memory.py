"""People who come back, on stand-in lines: what is known of them, and what no longer is."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assistant.config import Config
from assistant.config_answers import MemoryConfig
from assistant.events import (
    AddItem,
    Command,
    HistoryKept,
    QuestionReopened,
    Remember,
    ReplyEnded,
    ReplyStatus,
    Restore,
    UserSaid,
)
from assistant.memory import memory as module
from assistant.memory.memory import Memory
from assistant.memory.remembering_peer import RememberingPeer
from assistant.memory.seal import VARIABLE
from assistant.memory.store import MemoryStore
from assistant.types import Role
from tests.fakes import ScriptedPeer

ANNA, BEN = "A" * 43, "B" * 43
SECRET = "the orchid code is seven"

NewMemory = Callable[..., Memory]


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def new_memory(tmp_path: Path) -> NewMemory:
    def make(keep: str = "encrypted", **settings: object) -> Memory:
        config = MemoryConfig(keep=keep, folder=tmp_path, **settings)  # type: ignore[arg-type]
        return Memory(Config(memory=config))

    return make


class Line:
    """Somebody on the line."""

    def __init__(self, peer: RememberingPeer, behind: ScriptedPeer) -> None:
        self.peer = peer
        self._behind = behind
        self._commands = peer.commands()

    async def come(self, person: str) -> list[tuple[str, str]]:
        """What a session is told of earlier: who said what."""
        command = await self.do(Remember(person=person))
        lines = command.lines if isinstance(command, Restore) else ()
        return [(line.role.value, line.text) for line in lines]

    async def do(self, wanted: Command) -> Command:
        """What reaches the session of it: what comes next where it is nothing."""
        self._behind.wanted.put_nowait(wanted)
        self._behind.wanted.put_nowait(END)
        command = await anext(self._commands)
        if command is not END:
            assert await anext(self._commands) is END
        return command

    def turn(self, question: str, answer: str, turn_id: str = "turn_1") -> None:
        self.peer.send(UserSaid(turn_id=turn_id, text=question))
        done = ReplyStatus.COMPLETED
        self.peer.send(ReplyEnded(turn_id=turn_id, status=done, heard=answer))

    @property
    def told(self) -> list[tuple[str, bool]]:
        """What is kept, and whether something earlier is known."""
        events = [each for each in self._behind.events if isinstance(each, HistoryKept)]
        return [(each.keep, each.earlier_at_s is not None) for each in events]


END = AddItem(item_id="end", role=Role.SYSTEM)


def line(memory: Memory) -> Line:
    behind = ScriptedPeer()
    peer = RememberingPeer(behind, memory, time.monotonic())
    memory._peers.add(peer)
    return Line(peer, behind)


async def kept(memory: Memory, person: str) -> list[str]:
    conversation = await memory.conversation(person)
    return [each.text for each in conversation.lines] if conversation else []


def files(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob(pattern)}


def count_lines(store: MemoryStore) -> list[tuple[int]]:
    return store._rows("SELECT count(*) FROM lines", ())


@pytest.mark.parametrize("keep", ["plain", "encrypted"])
async def test_who_comes_back_is_known_after_a_restart_and_nobody_else(
    new_memory: NewMemory, keep: str
) -> None:
    async with new_memory(keep) as memory:
        first = line(memory)
        assert await first.come(ANNA) == []
        first.turn("My name is Anna.", "Hello, Anna.")
        assert first.told == [(keep, False)]
    async with new_memory(keep) as memory:
        other, again = line(memory), line(memory)
        assert await other.come(BEN) == []
        assert other.told == [(keep, False)]
        said = [("user", "My name is Anna."), ("assistant", "Hello, Anna.")]
        assert await again.come(ANNA) == said
        assert again.told == [(keep, True)]
        assert await kept(memory, BEN) == []


async def test_what_was_said_before_one_is_known_is_kept_too(new_memory: NewMemory) -> None:
    async with new_memory() as memory:
        early = line(memory)
        early.turn("Quick!", "Yes?")
        await early.come(ANNA)
        early.turn("What time is it?", "Noon.", "turn_2")
        assert await kept(memory, ANNA) == ["Quick!", "Yes?", "What time is it?", "Noon."]


async def test_one_conversation_is_not_its_own_past(new_memory: NewMemory) -> None:
    async with new_memory() as memory:
        once = line(memory)
        once.turn("Quick!", "Yes?")
        assert await once.come(ANNA) == []
        assert await once.come(ANNA) == []
        assert once.told == [("encrypted", False)]


async def test_a_program_that_says_nothing_of_itself_is_not_kept(new_memory: NewMemory) -> None:
    async with new_memory() as memory:
        for n in range(200):
            line(memory).turn(f"question {n}", "answer")
        await memory._ask(lambda store: None, None)
        assert memory._store.summaries() == []


async def test_what_was_taken_back_is_not_kept(new_memory: NewMemory) -> None:
    async with new_memory() as memory:
        hasty = line(memory)
        await hasty.come(ANNA)
        hasty.turn("Which is", "", "turn_1")
        hasty.peer.send(QuestionReopened(turn_id="turn_1"))
        hasty.turn("Which is heavier?", "Lead.", "turn_2")
        assert await kept(memory, ANNA) == ["Which is heavier?", "Lead."]


async def test_off_keeps_nothing_on_the_disk_and_is_never_known_again(
    new_memory: NewMemory, tmp_path: Path
) -> None:
    async with new_memory("off") as memory:
        first, again = line(memory), line(memory)
        await first.come(ANNA)
        first.turn("My name is Anna.", "Hello, Anna.")
        assert await kept(memory, ANNA) == ["My name is Anna.", "Hello, Anna."]
        assert await again.come(ANNA) == []
        assert again.told == [("off", False)]
    assert files(tmp_path) == {}


async def test_forgetting_ends_the_keeping_of_what_is_still_said(
    new_memory: NewMemory, tmp_path: Path
) -> None:
    async with new_memory("plain") as memory:
        anna, ben = line(memory), line(memory)
        await anna.come(ANNA)
        await ben.come(BEN)
        anna.turn(SECRET, "I see.")
        ben.turn("Good morning.", "Good morning.")
        assert await memory.forget(ANNA)
        anna.turn(SECRET, "I see.", "turn_2")
        assert await kept(memory, ANNA) == []
        assert await kept(memory, BEN) == ["Good morning.", "Good morning."]
        assert anna.told == [("plain", False), ("off", False)]
        assert ben.told == [("plain", False)]
        assert await line(memory).come(ANNA) == []
    (found,) = files(tmp_path).values()
    assert SECRET.encode() not in found
    assert b"Good morning." in found


@pytest.mark.parametrize("when", ["before the start", "while it runs"])
async def test_a_damaged_file_is_set_aside_and_the_conversation_goes_on(
    new_memory: NewMemory, tmp_path: Path, caplog: pytest.LogCaptureFixture, when: str
) -> None:
    file = tmp_path / "conversations.db"
    if when == "before the start":
        file.write_bytes(b"no database at all " * 500)
    async with new_memory() as memory:
        talker = line(memory)
        await talker.come(ANNA)
        talker.turn("One.", "Two.")
        await kept(memory, ANNA)
        if when == "while it runs":
            file.write_bytes(b"no database at all " * 500)
            talker.turn("lost", "lost", "turn_2")
            await kept(memory, ANNA)
        talker.turn("Three.", "Four.", "turn_3")
        assert (await kept(memory, ANNA))[-2:] == ["Three.", "Four."]
    (aside,) = files(tmp_path, "conversations.db.*").values()
    assert b"no database" in aside
    assert sum("a new one is begun" in record.message for record in caplog.records) == 1


async def test_a_foreign_key_sets_the_file_aside(
    new_memory: NewMemory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with new_memory() as memory:
        talker = line(memory)
        await talker.come(ANNA)
        talker.turn("One.", "Two.")
    (tmp_path / "memory.key").unlink()
    async with new_memory() as memory:
        again = line(memory)
        assert await again.come(ANNA) == []
        again.turn("Three.", "Four.")
        assert await kept(memory, ANNA) == ["Three.", "Four."]
    assert len(files(tmp_path, "conversations.db.*")) == 1
    assert any("another key" in record.message for record in caplog.records)


@asynccontextmanager
async def stalled(memory: Memory) -> AsyncGenerator[None]:
    """The disk does not answer."""
    is_writing, may_go_on = threading.Event(), threading.Event()

    def stall(_: MemoryStore) -> None:
        is_writing.set()
        may_go_on.wait()

    stalling = asyncio.create_task(memory._ask(stall, None))
    await asyncio.to_thread(is_writing.wait)
    yield
    may_go_on.set()
    await stalling


async def test_who_comes_while_the_disk_stalls_begins_anew(
    new_memory: NewMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_EARLIER_WITHIN_S", 0.02)
    async with new_memory() as memory:
        first, again = line(memory), line(memory)
        await first.come(ANNA)
        first.turn("My name is Anna.", "Hello, Anna.")
        assert len(await kept(memory, ANNA)) == 2
        async with stalled(memory):
            assert await again.come(ANNA) == []
            assert again.told == [("encrypted", False)]
            again.turn("Who am I?", "I do not know.")
        assert await kept(memory, ANNA) == ["Who am I?", "I do not know."]
    assert any("without the earlier ones" in record.message for record in caplog.records)


async def test_a_slow_disk_is_waited_for_by_nobody(
    new_memory: NewMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_MOST_WAITING", 10)
    async with new_memory() as memory:
        talker = line(memory)
        await talker.come(ANNA)
        async with stalled(memory):
            for n in range(20):
                talker.turn(f"question {n}", "answer", f"turn_{n}")  # or this would never end
        assert len(await kept(memory, ANNA)) == 10
        talker.turn("Again.", "Yes.", "turn_99")
        assert (await kept(memory, ANNA))[-2:] == ["Again.", "Yes."]
    assert any("too slow" in record.message for record in caplog.records)


async def test_nothing_that_was_said_is_logged(
    new_memory: NewMemory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)

    def fail(*_: object) -> None:
        raise RuntimeError("no")

    async with new_memory() as memory:
        talker = line(memory)
        await talker.come(ANNA)
        talker.turn(SECRET, SECRET)
        await kept(memory, ANNA)
        monkeypatch.setattr(MemoryStore, "keep", fail)
        talker.turn(SECRET, SECRET, "turn_2")
        await kept(memory, ANNA)
        assert await memory.forget(ANNA)
    assert "failed; the conversation goes on" in caplog.text
    assert SECRET not in caplog.text
    assert ANNA not in caplog.text
    assert ANNA not in repr(Remember(person=ANNA))


async def test_what_has_had_its_time_is_forgotten_unless_it_goes_on(
    new_memory: NewMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_TIDY_EVERY_S", 0.01)
    monkeypatch.setattr(module, "_WHEN_OFF_S", 0.0)
    async with new_memory("off") as memory:
        gone, here = line(memory), line(memory)
        for talker, person in ((gone, ANNA), (here, BEN)):
            await talker.come(person)
            talker.turn("One.", "Two.")
        memory._peers.discard(gone.peer)
        tidying = asyncio.create_task(memory.tidy())
        n_kept = 4
        while n_kept > 2:
            ((n_kept,),) = await memory._ask(count_lines, [(4,)])
        tidying.cancel()
        assert n_kept == 2
