"""The index as the settings have it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant import documents_command
from assistant.config import Config
from assistant.config_answers import DocumentsConfig, ToolsConfig
from assistant.documents_command import open_documents
from assistant.errors import RecallError
from assistant.model_store import ModelStore
from tests.unit.recall.fake_encoder import FakeEncoder


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_command, "_encoder", lambda *_, **__: FakeEncoder({}))


def config(index: Path, *tools: str) -> Config:
    wanted = ToolsConfig(built_in=tools)  # type: ignore[arg-type]
    return replace(Config(), documents=DocumentsConfig(index=index), tools=wanted)


def test_no_index_no_documents() -> None:
    with open_documents(config(Path("")), ModelStore(Path("models"))) as index:
        assert index is None


@pytest.mark.parametrize(
    ("name", "tools", "says"),
    [("missing", (), "assistant index DIR"), ("", ("documents",), "documents.index")],
)
def test_what_cannot_be_is_explained(
    name: str, tools: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    wanted = config(tmp_path / name if name else Path(""), *tools)
    with (
        pytest.raises(RecallError, match=says),
        open_documents(wanted, ModelStore(Path("models"))),
    ):
        pass


def test_tool_begins_with_an_empty_index(tmp_path: Path) -> None:
    wanted = config(tmp_path / "new", "documents")
    with open_documents(wanted, ModelStore(Path("models"))) as index:
        assert index is not None
        assert not index.search("gate", 3)
