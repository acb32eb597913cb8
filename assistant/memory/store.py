"""Conversations in an SQLite file, or in memory alone.

    about           whether the rows are sealed, and with our key
    conversations   whose each is, when it began, and when it is to be forgotten
    lines           what was said, sealed, in the order in which it was said

Whose something is stands there as a hash: who reads the file cannot ask for it as the person could.
What is deleted is overwritten with zeros (secure_delete), and there is no write-ahead log that
would still have it.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from assistant.errors import RecallError
from assistant.memory.line import KeptConversation, Line, packed, unpacked
from assistant.memory.seal import BrokenSealError, NoSeal, Seal

logger = logging.getLogger(__name__)

T = TypeVar("T")

IN_MEMORY = ":memory:"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY, person BLOB NOT NULL, began_at REAL NOT NULL, ends_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS lines (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person BLOB NOT NULL,
    conversation TEXT NOT NULL,
    item TEXT NOT NULL,
    sealed BLOB NOT NULL,
    UNIQUE (conversation, item)
);
CREATE INDEX IF NOT EXISTS lines_of ON lines (person, id);
"""

_LINES = (
    "SELECT l.conversation, c.began_at, l.item, l.sealed FROM lines l"
    " JOIN conversations c ON c.id = l.conversation"
)

_SEALED = b"parley"
"""What stands in `about`, sealed like the rows: whether this is our key."""

_MOST_LINES = 200_000
"""Of everybody together: some 50 MB."""

_BUSY_S = 5.0
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class UnreadableError(RecallError):
    """The file is damaged, or sealed with another key."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(f"{file} {reason}")
        self.file = file


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Of a conversation: no words of it."""

    conversation_id: str
    began_at_s: float
    n_lines: int


class MemoryStore:
    """Every method blocks and may raise RecallError. For one thread at a time."""

    def __init__(
        self,
        file: Path | str,
        *,
        seal: Seal | None = None,
        max_lines: int,
        expires_after_s: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open or make the file, readable by this user alone. `max_lines`: of one person.

        Raises RecallError; UnreadableError about a file that is there and cannot be used.
        """
        self._file = file
        self._seal = seal or NoSeal()
        self._max_lines = max_lines
        self._expires_after_s = expires_after_s
        self._clock = clock
        try:
            if isinstance(file, Path):
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
            self._base = sqlite3.connect(file, timeout=_BUSY_S, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error
        try:
            self._prepare()
        except BaseException:
            self._base.close()
            raise

    def _prepare(self) -> None:
        def prepare(base: sqlite3.Connection) -> bytes | None:
            base.execute("PRAGMA journal_mode = DELETE")
            base.execute("PRAGMA synchronous = NORMAL")
            base.execute("PRAGMA secure_delete = ON")
            base.execute("PRAGMA temp_store = MEMORY")
            ((health,),) = base.execute("PRAGMA quick_check(1)").fetchall()
            if health != "ok":
                raise self._unreadable("is damaged")
            base.executescript(_SCHEMA)
            found = base.execute("SELECT value FROM about WHERE name = 'seal'").fetchone()
            return found[0] if found else None

        sealed = self._do(prepare)
        if sealed is None:
            mark = self._seal.close(_SEALED, b"")
            self._do(lambda base: base.execute("INSERT INTO about VALUES ('seal', ?)", (mark,)))
        elif not self._is_ours(sealed):
            raise self._unreadable("is sealed with another key, or is not as memory.keep wants it")

    def close(self) -> None:
        self._base.close()

    def keep(self, person: bytes, conversation: KeptConversation, line: Line) -> None:
        """A line, in place of what stood there under its id. The person's oldest make way."""
        key = conversation.conversation_id
        sealed = self._seal.close(packed(line), _place(key, line.item_id))
        ends_at = self._clock() + self._expires_after_s

        def keep(base: sqlite3.Connection) -> None:
            base.execute(
                "INSERT INTO conversations VALUES (?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET ends_at = excluded.ends_at",
                (key, person, conversation.began_at_s, ends_at),
            )
            base.execute(
                "INSERT INTO lines (person, conversation, item, sealed) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (conversation, item) DO UPDATE SET sealed = excluded.sealed",
                (person, key, line.item_id, sealed),
            )
            base.execute(
                "DELETE FROM lines WHERE id <="
                " (SELECT id FROM lines WHERE person = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"
                " AND person = ?",
                (person, self._max_lines, person),
            )
            base.execute(
                "DELETE FROM lines WHERE id <= (SELECT max(id) FROM lines) - ?", (_MOST_LINES,)
            )

        self._do(keep)

    def drop(self, conversation_id: str, item_id: str) -> None:
        self._do(
            lambda base: base.execute(
                "DELETE FROM lines WHERE conversation = ? AND item = ?", (conversation_id, item_id)
            )
        )

    def newest(self, person: bytes, *, n_lines: int, but: str = "") -> tuple[KeptConversation, ...]:
        """A person's last lines, in order, within the conversations that they were said in.

        `but`: a conversation that is not wanted.
        """
        rows = self._rows(
            f"{_LINES} WHERE l.person = ? AND l.conversation <> ? AND c.ends_at > ?"
            " ORDER BY l.id DESC LIMIT ?",
            (person, but, self._clock(), n_lines),
        )
        return self._conversations(rows[::-1])

    def conversation(
        self, *, person: bytes | None = None, conversation_id: str | None = None
    ) -> KeptConversation | None:
        """That one, or the newest; of one person or of anybody."""
        rows = self._rows(
            f"{_LINES} WHERE l.conversation = (SELECT conversation FROM lines"
            "   WHERE (?1 IS NULL OR person = ?1) AND (?2 IS NULL OR conversation = ?2)"
            "   ORDER BY id DESC LIMIT 1)"
            " AND c.ends_at > ?3 ORDER BY l.id",
            (person, conversation_id, self._clock()),
        )
        return next(iter(self._conversations(rows)), None)

    def summaries(self) -> list[Summary]:
        """Of every conversation, the newest first."""
        rows = self._rows(
            "SELECT c.id, c.began_at, count(*) FROM lines l"
            " JOIN conversations c ON c.id = l.conversation WHERE c.ends_at > ?"
            " GROUP BY c.id ORDER BY c.began_at DESC",
            (self._clock(),),
        )
        return [
            Summary(conversation_id=key, began_at_s=began_at_s, n_lines=n)
            for key, began_at_s, n in rows
        ]

    def forget(self, person: bytes) -> int:
        """Everything of theirs. How many lines that was."""

        def forget(base: sqlite3.Connection) -> int:
            base.execute("DELETE FROM conversations WHERE person = ?", (person,))
            return base.execute("DELETE FROM lines WHERE person = ?", (person,)).rowcount

        n_forgotten = self._do(forget)
        self._compact()
        return n_forgotten

    def expire(self, sparing: Collection[str] = ()) -> None:
        """Forget what has had its time; not the conversations that go on (`sparing`)."""

        def expire(base: sqlite3.Connection) -> int:
            over = base.execute(
                "SELECT id FROM conversations c WHERE ends_at <= ?"
                " OR NOT EXISTS (SELECT 1 FROM lines WHERE conversation = c.id)",
                (self._clock(),),
            ).fetchall()
            gone = [row for row in over if row[0] not in sparing]
            base.executemany("DELETE FROM lines WHERE conversation = ?", gone)
            base.executemany("DELETE FROM conversations WHERE id = ?", gone)
            return len(gone)

        if self._do(expire):
            self._compact()

    def _compact(self) -> None:
        """Pages that were rearranged may still hold words outside of any row."""
        self._do(lambda base: base.execute("VACUUM"))

    def _conversations(self, rows: list[Any]) -> tuple[KeptConversation, ...]:
        found: dict[tuple[str, float], list[Line]] = {}
        for key, began_at_s, item_id, sealed in rows:
            try:
                line = unpacked(self._seal.open(sealed, _place(key, item_id)))
            except ValueError as error:
                logger.warning("a line that was kept cannot be read and is left out: %s", error)
                continue
            found.setdefault((key, began_at_s), []).append(line)
        return tuple(
            KeptConversation(conversation_id=key, began_at_s=began_at_s, lines=tuple(lines))
            for (key, began_at_s), lines in found.items()
        )

    def _is_ours(self, sealed: bytes) -> bool:
        try:
            return self._seal.open(sealed, b"") == _SEALED
        except BrokenSealError:
            return False

    def _rows(self, query: str, values: tuple[object, ...]) -> list[Any]:
        def read(base: sqlite3.Connection) -> list[Any]:
            with closing(base.execute(query, values)) as rows:
                return rows.fetchall()

        return self._do(read)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._base:
                return work(self._base)
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _DAMAGED:
                raise self._unreadable(f"is damaged ({error})") from error
            raise self._unusable(error) from error

    def _unreadable(self, reason: str) -> UnreadableError:
        return UnreadableError(Path(self._file), reason)

    def _unusable(self, error: Exception) -> RecallError:
        return RecallError(
            f"{self._file} cannot be used to keep conversations ({error}): see that it can be"
            " written, or name another folder in memory.folder"
        )


def _place(conversation_id: str, item_id: str) -> bytes:
    return f"{conversation_id}/{item_id}".encode()
