"""Files to text, line by line."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

from assistant.documents.passages import Line
from assistant.errors import RecallError
from assistant.sentences import word_set

_MAX_BYTES = 4_000_000
"""Larger ones are data, or generated."""

_PROSE = frozenset((".md", ".markdown", ".rst", ".txt", ".text", ".adoc", ".pdf"))
_CODE = word_set(
    ".py .js .mjs .ts .tsx .jsx .java .kt .go .rs .c .h .cc .cpp .hpp .cs .rb .php .swift .lua .sh "
    ".sql .css .html .toml .yaml .yml .ini .cfg .json .proto"
)
_LEFT_OUT = frozenset(("node_modules", "__pycache__", "venv", "dist", "build", "target", "cache"))
"""Folders of others' files; so are those whose names begin with a dot."""


def files_in(folder: Path) -> Iterator[Path]:
    """The files that can be read, in order. Raises RecallError when there is no such folder."""
    if not folder.is_dir():
        raise RecallError(f"{folder} is no folder: name one that holds documents")
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _LEFT_OUT and not f.startswith("."))
        for name in sorted(names):
            path = Path(where) / name
            if path.suffix.lower() in _PROSE | _CODE and not path.is_symlink():
                yield path


def is_code(path: Path) -> bool:
    return path.suffix.lower() in _CODE


def read_lines(path: Path) -> list[Line]:
    """Raises RecallError about a file that holds no text, or too much."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise RecallError(f"it is larger than {_MAX_BYTES // 1_000_000} MB")
        if path.suffix.lower() == ".pdf":
            return list(_read_pdf(path))
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecallError(f"it cannot be read as UTF-8 text ({error})") from error
    return [Line(line, str(n)) for n, line in enumerate(text.splitlines(), start=1)]


def _read_pdf(path: Path) -> Iterator[Line]:
    from pypdf import PdfReader  # only for who has any, when they are read
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every odd object
    try:
        for n, page in enumerate(PdfReader(path).pages, start=1):
            for line in page.extract_text().splitlines():
                yield Line(line, f"page {n}")
            yield Line("", f"page {n}")
    # A damaged PDF makes pypdf raise nearly anything.
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecallError(f"it is no PDF that can be read ({error})") from error
