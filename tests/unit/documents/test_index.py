from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import cast

import pytest
from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from assistant.documents.index import DocumentIndex, IndexChange
from assistant.errors import RecallError
from assistant.recall.encoder import SentenceEncoder
from tests.unit.recall.fake_encoder import FakeEncoder


@pytest.fixture
def encoder() -> FakeEncoder:
    return FakeEncoder({})


@pytest.fixture
def index(tmp_path: Path, encoder: FakeEncoder) -> Iterator[DocumentIndex]:
    with closing(
        DocumentIndex(tmp_path / "index.sqlite3", cast(SentenceEncoder, encoder))
    ) as index:
        yield index


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "gate.md").write_text("# Gate\nThe gate opens at nine.\n", encoding="utf-8")
    (folder / "garden.txt").write_text("花园在房子后面。\n", encoding="utf-8")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8")
    return folder


def update(index: DocumentIndex, folder: Path) -> IndexChange:
    return index.update(folder, lambda name, n, n_files: None)


def test_only_what_changed_is_read_again(
    index: DocumentIndex, folder: Path, encoder: FakeEncoder
) -> None:
    change = update(index, folder)
    assert (change.n_new, change.n_passages) == (2, 2)
    before, n_encoded = index.fingerprint, encoder.n_encoded
    assert update(index, folder) == IndexChange(n_files=2, n_unchanged=2)
    assert encoder.n_encoded == n_encoded
    assert index.fingerprint == before
    (folder / "gate.md").write_text("# Gate\nIt is closed.\n")
    (folder / "garden.txt").unlink()
    change = update(index, folder)
    assert (change.n_new, change.n_gone, change.n_unchanged) == (1, 1, 0)
    assert index.fingerprint != before


def test_words_find_a_passage_and_tell_where_it_stands(index: DocumentIndex, folder: Path) -> None:
    update(index, folder)
    # The fake encoder knows no meaning, so Chinese, which is found by words alone, is what counts.
    (found,) = index.search("花园在哪里？", 5)
    assert (found.source, found.text) == ("garden.txt:1", "花园在房子后面。")
    assert not index.search("Nothing of the kind?", 5)


def test_a_deleted_file_is_found_no_more(index: DocumentIndex, folder: Path) -> None:
    update(index, folder)
    (folder / "garden.txt").unlink()
    update(index, folder)
    assert not index.search("花园在哪里？", 5)


def test_an_empty_index_finds_nothing(index: DocumentIndex) -> None:
    assert not index.search("Where is the gate?", 5)


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(
    index: DocumentIndex, folder: Path
) -> None:
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    change = update(index, folder)
    assert change.n_new == 2
    assert sorted(sentence.split(":")[0] for sentence in change.unreadable) == [
        "broken.pdf",
        "latin.txt",
    ]


def test_a_pdf_is_found_by_its_page(index: DocumentIndex, folder: Path) -> None:
    (folder / "plan.pdf").write_bytes(small_pdf("花园 The orchard", "The well is deep"))
    update(index, folder)
    texts = {found.source: found.text for found in index.search("花园 orchard well", 5)}
    assert "orchard" in texts["plan.pdf, page 1"]


def small_pdf(*pages: str) -> bytes:
    """Each page with one line, in the Latin letters that the standard fonts have."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for line in pages:
        page = writer.add_blank_page(200, 200)
        stream = StreamObject()
        latin = line.encode("latin-1", "ignore").decode("latin-1")
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({latin}) Tj ET".encode())
        page[NameObject("/Contents")] = stream
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    made = BytesIO()
    writer.write(made)
    return made.getvalue()


def test_the_file_is_for_this_user_alone(index: DocumentIndex, tmp_path: Path) -> None:
    assert os.stat(tmp_path / "index.sqlite3").st_mode & 0o077 == 0


def test_what_is_no_folder_or_no_index_is_explained(
    index: DocumentIndex, tmp_path: Path, encoder: FakeEncoder
) -> None:
    with pytest.raises(RecallError, match="is no folder"):
        update(index, tmp_path / "missing")
    (tmp_path / "notes.txt").write_text("no index " * 200)
    with pytest.raises(RecallError, match="cannot be used"):
        DocumentIndex(tmp_path / "notes.txt", cast(SentenceEncoder, encoder))
