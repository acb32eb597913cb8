"""Passages of documents in an SQLite file: full-text search (FTS5) and vectors together.

files       one row for each file, with what tells that it has changed
passages    its passages, each with its vector
words       the full-text index over them
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assistant.documents.passages import FoundPassage, Passage, cut
from assistant.documents.query import fused, match_expression, searchable
from assistant.documents.readers import files_in, is_code, read_lines
from assistant.errors import RecallError
from assistant.recall.encoder import SentenceEncoder, Vectors

_VERSION = 1
_SCHEMA = """
CREATE TABLE files (
    id INTEGER PRIMARY KEY, folder TEXT, name TEXT, size INTEGER, mtime_ns INTEGER,
    UNIQUE (folder, name)
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, file INTEGER REFERENCES files (id) ON DELETE CASCADE,
    heading TEXT, place TEXT, text TEXT, vector BLOB
);
CREATE INDEX passages_of_file ON passages (file);
CREATE VIRTUAL TABLE words USING fts5 (name, heading, text, tokenize = 'porter unicode61');
CREATE TRIGGER forget AFTER DELETE ON passages BEGIN DELETE FROM words WHERE rowid = old.id; END;
"""
_FOUND_BY_EACH = 20

_HEADING_WEIGHT = 3.0
"""A word in a heading or a file's name, over one in the text (bm25)."""

_NEAR = 0.25
"""Cosine below which a passage has nothing to do with the question."""


@dataclass(slots=True, kw_only=True)
class IndexChange:
    """What an update did."""

    n_files: int = 0
    """That there are now."""

    n_new: int = 0
    n_unchanged: int = 0
    n_gone: int = 0
    n_passages: int = 0
    unreadable: list[str] = field(default_factory=list)
    """Names, each with why."""


class DocumentIndex:
    """Every method blocks, and may be called from any thread."""

    def __init__(self, file: Path, encoder: SentenceEncoder) -> None:
        """Open or make the file, readable by this user alone. Raises RecallError."""
        self._encoder = encoder
        self._lock = threading.Lock()
        self._vectors: tuple[list[int], Vectors] | None = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)
            self._base = sqlite3.connect(file, check_same_thread=False)
            self._base.execute("PRAGMA foreign_keys = ON")
            (version,) = self._base.execute("PRAGMA user_version").fetchone()
            if version == 0:
                self._base.executescript(_SCHEMA + f"PRAGMA user_version = {_VERSION};")
            elif version != _VERSION:
                raise RecallError(f"{file} was made by another version: remove it and index again")
        except (OSError, sqlite3.Error) as error:
            raise RecallError(f"{file} cannot be used as an index of documents: {error}") from error

    def warm(self) -> None:
        """Have the first question answered as fast as the others."""
        self.search("warm", 1)

    def close(self) -> None:
        self._base.close()

    @property
    def fingerprint(self) -> str:
        """Changes with the documents."""
        with self._lock:
            rows = self._base.execute("SELECT folder, name, size, mtime_ns FROM files ORDER BY id")
            return hashlib.sha256(repr(rows.fetchall()).encode()).hexdigest()

    def update(self, folder: Path, progress: Callable[[str, int, int], None]) -> IndexChange:
        """Bring the index to what is in `folder` now; unchanged files cost nothing.

        Each file is whole or not in it at all, so an update that was broken off goes on next time.
        `progress`: told each file's name, how many are done, and how many there are.
        """
        folder = folder.resolve()
        paths = {str(path.relative_to(folder)): path for path in files_in(folder)}
        change = IndexChange(n_files=len(paths))
        with self._lock:
            known = {
                name: (number, size, mtime_ns)
                for number, name, size, mtime_ns in self._base.execute(
                    "SELECT id, name, size, mtime_ns FROM files WHERE folder = ?", (str(folder),)
                )
            }
            for name in known.keys() - paths.keys():
                self._forget(known[name][0])
                change.n_gone += 1
            for n, (name, path) in enumerate(paths.items()):
                progress(name, n, len(paths))
                status = path.stat()
                if name in known and known[name][1:] == (status.st_size, status.st_mtime_ns):
                    change.n_unchanged += 1
                    continue
                if name in known:
                    self._forget(known[name][0])
                try:
                    lines = read_lines(path)
                except RecallError as error:
                    change.unreadable.append(f"{name}: {error}")
                    continue
                passages = list(cut(lines, has_headings=not is_code(path)))
                self._add(str(folder), name, status.st_size, status.st_mtime_ns, passages)
                change.n_new += 1
                change.n_passages += len(passages)
            self._vectors = None
        return change

    def search(self, question: str, most: int) -> list[FoundPassage]:
        """The best passages, the best first; none where nothing is near."""
        vector = self._encoder.encode([question])[0]
        with self._lock:
            by_words = self._by_words(question)
            ids, vectors = self._all_vectors()
            cosines = vectors @ vector if ids else np.zeros(0, np.float32)
            order = [int(n) for n in np.argsort(-cosines)[:_FOUND_BY_EACH]]
            near = [ids[n] for n in order if cosines[n] >= _NEAR]
            if question.isascii() and not near:
                return []
            best = fused(near, by_words)[:most]
            return [self._passage(number) for number in best]

    def _by_words(self, question: str) -> list[int]:
        if not (expression := match_expression(question)):
            return []
        rows = self._base.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, ?, ?, 1) LIMIT ?",
            (expression, _HEADING_WEIGHT, _HEADING_WEIGHT, _FOUND_BY_EACH),
        )
        return [number for (number,) in rows]

    def _all_vectors(self) -> tuple[list[int], Vectors]:
        """1.5 KB each, in memory once somebody searches."""
        if self._vectors is None:
            rows = self._base.execute("SELECT id, vector FROM passages").fetchall()
            vectors = [np.frombuffer(vector, np.float32) for _, vector in rows]
            stacked = np.stack(vectors) if vectors else np.zeros((0, 0), np.float32)
            self._vectors = [number for number, _ in rows], stacked
        return self._vectors

    def _passage(self, number: int) -> FoundPassage:
        name, heading, place, text = self._base.execute(
            "SELECT name, heading, place, text FROM passages JOIN files ON files.id = file"
            " WHERE passages.id = ?",
            (number,),
        ).fetchone()
        source = f"{name}:{place}" if place.isdigit() else f"{name}, {place}"
        return FoundPassage(id=number, source=source, heading=heading, text=text)

    def _forget(self, file: int) -> None:
        with self._base:
            self._base.execute("DELETE FROM passages WHERE file = ?", (file,))
            self._base.execute("DELETE FROM files WHERE id = ?", (file,))

    def _add(
        self, folder: str, name: str, size: int, mtime_ns: int, passages: list[Passage]
    ) -> None:
        told = [f"{name}\n{passage.heading}\n{passage.text}" for passage in passages]
        vectors = self._encoder.encode(told)
        with self._base:
            file = self._base.execute(
                "INSERT INTO files (folder, name, size, mtime_ns) VALUES (?, ?, ?, ?)",
                (folder, name, size, mtime_ns),
            ).lastrowid
            for passage, vector in zip(passages, vectors, strict=True):
                row = (file, passage.heading, passage.place, passage.text, vector.tobytes())
                number = self._base.execute(
                    "INSERT INTO passages (file, heading, place, text, vector)"
                    " VALUES (?, ?, ?, ?, ?)",
                    row,
                ).lastrowid
                self._base.execute(
                    "INSERT INTO words (rowid, name, heading, text) VALUES (?, ?, ?, ?)",
                    (number, name, searchable(passage.heading), searchable(passage.text)),
                )
