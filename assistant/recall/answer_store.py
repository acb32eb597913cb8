"""Answers that were given, in an SQLite file: found again by the same words, or the same meaning.

    answers    one row for each question: what it was asked of, its words, its answer and its end

`asked_of` is a hash of the instructions and the brain: other instructions, other answers.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assistant.errors import RecallError
from assistant.recall.encoder import Vectors
from assistant.recall.wording import normalised

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    asked_of TEXT NOT NULL,
    normal TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    vector BLOB,
    ends_at REAL NOT NULL,
    PRIMARY KEY (asked_of, normal)
)
"""


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    question: str
    answer: str


class AnswerStore:
    """Every method blocks for a millisecond or two, and may be called from any thread."""

    def __init__(
        self,
        file: Path,
        *,
        max_entries: int,
        expires_after_s: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open or make the file, readable by this user alone. Raises RecallError."""
        self._max_entries = max_entries
        self._expires_after_s = expires_after_s
        self._clock = clock
        self._lock = threading.Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)
            self._base = sqlite3.connect(file, check_same_thread=False)
            with self._base:
                self._base.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise RecallError(
                f"{file} cannot be used to keep answers ({error}): remove it, or name another "
                "folder in cache.folder"
            ) from error

    def close(self) -> None:
        self._base.close()

    def exact(self, asked_of: str, question: str) -> KnownAnswer | None:
        """Of the same words, whatever their case and punctuation."""
        found = self._rows(
            "SELECT question, answer FROM answers"
            " WHERE asked_of = ? AND normal = ? AND ends_at > ?",
            (asked_of, normalised(question), self._clock()),
        )
        return KnownAnswer(*found[0]) if found else None

    def with_vectors(self, asked_of: str) -> tuple[list[KnownAnswer], Vectors]:
        """All that have a vector: with `max_entries` of a thousand, 1.5 MB."""
        rows = self._rows(
            "SELECT question, answer, vector FROM answers"
            " WHERE asked_of = ? AND ends_at > ? AND vector IS NOT NULL",
            (asked_of, self._clock()),
        )
        vectors = [np.frombuffer(vector, np.float32) for _, _, vector in rows]
        known = [KnownAnswer(question, answer) for question, answer, _ in rows]
        return known, np.stack(vectors) if vectors else np.zeros((0, 0), np.float32)

    def keep(self, asked_of: str, known: KnownAnswer, vector: Vectors | None) -> None:
        """In place of what was answered to the same words; what ends first makes way."""
        packed = None if vector is None else vector.astype(np.float32).tobytes()
        ends_at = self._clock() + self._expires_after_s
        row = (asked_of, normalised(known.question), known.question, known.answer, packed, ends_at)
        with self._lock, self._base:
            self._base.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
            self._base.execute("DELETE FROM answers WHERE ends_at <= ?", (self._clock(),))
            self._base.execute(
                "DELETE FROM answers WHERE rowid IN"
                " (SELECT rowid FROM answers ORDER BY ends_at DESC LIMIT -1 OFFSET ?)",
                (self._max_entries,),
            )

    def clear(self) -> int:
        """Forget everything. How much that was."""
        with self._lock, self._base:
            n_cleared = self._base.execute("DELETE FROM answers").rowcount
        self._base.execute("VACUUM")  # deleted words must not stay in the file
        return n_cleared

    def _rows(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with self._lock, closing(self._base.execute(query, values)) as rows:
            return rows.fetchall()
