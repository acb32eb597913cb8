"""What stays in the file, and what does not."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assistant.errors import RecallError
from assistant.memory.line import KeptConversation, Line
from assistant.memory.seal import AesSeal, NoSeal, Seal
from assistant.memory.store import IN_MEMORY, MemoryStore, UnreadableError
from assistant.types import Role

ANNA, BEN = b"anna", b"ben"
SECRET = "the orchid code is seven"

Open = Callable[..., MemoryStore]


class Clock:
    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["plain", "sealed"])
def seal(request: pytest.FixtureRequest) -> Seal:
    return NoSeal() if request.param == "plain" else AesSeal(bytes(32))


@pytest.fixture
def open_store(tmp_path: Path, clock: Clock, seal: Seal) -> Open:
    def open_one(*, max_lines: int = 100, seal: Seal = seal) -> MemoryStore:
        file = tmp_path / "deep" / "kept.db"
        return MemoryStore(file, seal=seal, max_lines=max_lines, expires_after_s=60, clock=clock)

    return open_one


def talk(name: str, began_at_s: float = 1_000.0) -> KeptConversation:
    return KeptConversation(conversation_id=name, began_at_s=began_at_s)


def line(n: int, text: str = "") -> Line:
    return Line(item_id=f"i{n}", role=Role.USER, text=text or f"line {n}", at_ms=n)


def texts(*conversations: KeptConversation | None) -> list[str]:
    return [each.text for kept in conversations if kept for each in kept.lines]


def test_words_outlive_the_process_and_are_their_owners(open_store: Open, tmp_path: Path) -> None:
    with closing(open_store()) as store:
        store.keep(ANNA, talk("a"), line(1, SECRET))
        store.keep(BEN, talk("b"), line(1, "good morning"))
    with closing(open_store()) as store:
        assert texts(*store.newest(ANNA, n_lines=9)) == [SECRET]
        assert texts(store.conversation(person=BEN)) == ["good morning"]
        assert store.newest(b"nobody", n_lines=9) == ()
        assert store.conversation(person=b"nobody") is None
        assert store.conversation(person=ANNA, conversation_id="b") is None
    file = tmp_path / "deep" / "kept.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_line_may_change_and_keeps_its_place(open_store: Open) -> None:
    with closing(open_store()) as store:
        for n in range(3):
            store.keep(ANNA, talk("a"), line(n))
        store.keep(ANNA, talk("a"), line(0, "shorter"))
        store.drop("a", "i1")
        assert texts(store.conversation(person=ANNA)) == ["shorter", "line 2"]


def test_the_newest_lines_come_in_order(open_store: Open) -> None:
    with closing(open_store()) as store:
        for n in range(6):
            store.keep(ANNA, talk("a" if n < 4 else "b"), line(n))
        found = store.newest(ANNA, n_lines=3)
        assert [kept.conversation_id for kept in found] == ["a", "b"]
        assert texts(*found) == ["line 3", "line 4", "line 5"]
        assert texts(*store.newest(ANNA, n_lines=3, but="b")) == ["line 1", "line 2", "line 3"]
        assert [each.n_lines for each in store.summaries()] == [4, 2]


def test_what_is_forgotten_is_nowhere_on_the_disk(open_store: Open, tmp_path: Path) -> None:
    with closing(open_store(seal=NoSeal())) as store:
        for n in range(8):
            store.keep(ANNA, talk("a"), line(n, f"{SECRET} {n}" + "x" * n * 500))
        store.keep(BEN, talk("b"), line(1, "good morning"))
        assert SECRET.encode() in everything_in(tmp_path)
        assert store.forget(ANNA) == 8
        assert SECRET.encode() not in everything_in(tmp_path)
        assert b"good morning" in everything_in(tmp_path)
        assert store.forget(ANNA) == 0


def test_what_makes_way_or_expires_is_nowhere_either(
    open_store: Open, tmp_path: Path, clock: Clock
) -> None:
    with closing(open_store(seal=NoSeal(), max_lines=2)) as store:
        store.keep(ANNA, talk("a"), line(0, SECRET))
        store.keep(BEN, talk("b"), line(0, "good morning"))
        for n in (1, 2):
            store.keep(ANNA, talk("a"), line(n))
        assert texts(store.conversation(person=ANNA)) == ["line 1", "line 2"]
        assert SECRET.encode() not in everything_in(tmp_path)
        clock.now_s += 61
        assert store.conversation(person=BEN) is None
        store.expire(sparing={"a"})
        assert b"good morning" not in everything_in(tmp_path)
        assert b"line 1" in everything_in(tmp_path)
        store.expire()
        assert b"line 1" not in everything_in(tmp_path)


def test_sealed_words_are_not_in_the_file(open_store: Open, tmp_path: Path) -> None:
    with closing(open_store(seal=AesSeal(bytes(32)))) as store:
        store.keep(ANNA, talk("a"), line(1, SECRET))
    assert SECRET.encode() not in everything_in(tmp_path)


@pytest.mark.parametrize(
    ("former", "now"),
    [
        pytest.param(AesSeal(bytes(32)), AesSeal(b"x" * 32), id="another key"),
        pytest.param(NoSeal(), AesSeal(bytes(32)), id="was not sealed"),
        pytest.param(AesSeal(bytes(32)), NoSeal(), id="was sealed"),
    ],
)
def test_a_file_of_another_key_is_refused_and_left_alone(
    open_store: Open, former: Seal, now: Seal
) -> None:
    with closing(open_store(seal=former)) as store:
        store.keep(ANNA, talk("a"), line(1))
    with pytest.raises(UnreadableError, match="another key"):
        open_store(seal=now)
    with closing(open_store(seal=former)) as store:
        assert texts(store.conversation()) == ["line 1"]


@pytest.mark.parametrize("place", [0, 60, 4_096])
def test_a_damaged_file_is_refused(open_store: Open, tmp_path: Path, place: int) -> None:
    with closing(open_store()) as store:
        for n in range(5):
            store.keep(ANNA, talk("a"), line(n, "x" * 5_000))
    with (tmp_path / "deep" / "kept.db").open("r+b") as file:
        file.seek(place)
        file.write(b"\xa5" * 4_096)
    with pytest.raises(UnreadableError, match=r"kept\.db"):
        open_store()


def test_a_line_that_was_tampered_with_is_left_out(open_store: Open, tmp_path: Path) -> None:
    with closing(open_store()) as store:
        for n in range(2):
            store.keep(ANNA, talk("a"), line(n))
    with closing(sqlite3.connect(tmp_path / "deep" / "kept.db")) as base, base:
        base.execute("UPDATE lines SET sealed = x'00' WHERE item = 'i0'")
    with closing(open_store()) as store:
        assert texts(store.conversation()) == ["line 1"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RecallError, match=r"memory\.folder"):
        MemoryStore(tmp_path / "file" / "kept.db", max_lines=10, expires_after_s=60)


def test_in_memory_there_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(MemoryStore(IN_MEMORY, max_lines=10, expires_after_s=60)) as store:
        store.keep(ANNA, talk("a"), line(1))
        assert texts(store.conversation(person=ANNA)) == ["line 1"]
    assert list(tmp_path.iterdir()) == []


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
