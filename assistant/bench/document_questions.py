"""Questions about this repository's own documents, and how many of them are found in the index."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from assistant.bench.table import table
from assistant.documents.index import DocumentIndex
from assistant.recall.encoder import SentenceEncoder

_ROOT = Path(__file__).parents[2]
_DOCUMENTS = ("README.md", "models/README.md", "configs/*.toml", "models/*.toml")
_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    question: str
    file: str
    words: str
    """What the passage that answers it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    n: int
    hit_at_5: float
    search_ms: tuple[float, ...]
    missed: tuple[str, ...]


def read_questions() -> Iterator[DocumentQuestion]:
    return (DocumentQuestion(*row) for row in table("document_questions"))


def measure_retrieval(encoder: SentenceEncoder) -> Retrieval:
    """Index the documents in a folder of its own, and look every question up."""
    with tempfile.TemporaryDirectory() as scratch:
        for pattern in _DOCUMENTS:
            for path in _ROOT.glob(pattern):
                copy = Path(scratch, "documents", path.relative_to(_ROOT))
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
        with closing(DocumentIndex(Path(scratch, "index.sqlite3"), encoder)) as index:
            index.update(Path(scratch, "documents"), lambda name, n, n_files: None)
            return _ask_all(index)


def _ask_all(index: DocumentIndex) -> Retrieval:
    asked, missed, took_ms = 0, list[str](), list[float]()
    for question in read_questions():
        began_at_s = time.monotonic()
        found = index.search(question.question, _LOOKED_AT)
        took_ms.append(1_000 * (time.monotonic() - began_at_s))
        asked += 1
        if not any(
            each.source.startswith(question.file) and question.words in each.text for each in found
        ):
            missed.append(question.question)
    return Retrieval(
        n=asked,
        hit_at_5=1 - len(missed) / asked,
        search_ms=tuple(took_ms),
        missed=tuple(missed),
    )
