from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from assistant.model_store import ModelStore
from assistant.models_command import list_models, pull_models, verify_models

WEIGHTS = b"weights" * 1_000

MANIFEST = f"""
role = "brain"
summary = "A toy"
licence = "CC0-1.0"

[files."model.gguf"]
size_bytes = {len(WEIGHTS)}
sha256 = "{hashlib.sha256(WEIGHTS).hexdigest()}"

[[sources]]
kind = "folder"
folder = "stick"
files = {{"model.gguf" = "toy.gguf"}}
"""


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick/toy.gguf").write_bytes(WEIGHTS)
    for name in ("toy", "other"):
        (tmp_path / f"{name}.toml").write_text(MANIFEST, encoding="utf-8")
    return ModelStore(tmp_path, ours=tmp_path)


def test_list_tells_which_models_are_here(
    store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull_models(store, ["toy"]) == 0
    capsys.readouterr()
    assert list_models(store) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading == "brain:"
    assert sorted(lines) == [
        "  other    7.0 kB        A toy (CC0-1.0)",
        "  toy      7.0 kB  here  A toy (CC0-1.0)",
    ]


def test_pull_says_when_a_model_is_complete(
    store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull_models(store, ["toy", "other"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "toy: complete, checksums right",
        "other: complete, checksums right",
    ]


def test_pull_shows_a_bar_on_a_terminal(
    store: ModelStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert pull_models(store, ["toy"]) == 0
    assert "━" in capsys.readouterr().out


def test_an_unknown_model_stops_a_pull_before_it_begins(
    store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull_models(store, ["toy", "nonsense"]) == 1
    assert not store.is_present("toy")
    assert capsys.readouterr().err.startswith("error: there is no model 'nonsense'; there are ")


def test_verify_finds_damage(
    store: ModelStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull_models(store, ["toy"]) == 0
    capsys.readouterr()
    assert verify_models(store) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == ["other: not here", "toy: intact"]
    (tmp_path / "cache/toy/model.gguf").write_bytes(WEIGHTS[::-1])
    assert verify_models(store) == 1
    assert "run `assistant models pull toy`" in capsys.readouterr().err


def test_verify_finds_a_truncated_file(
    store: ModelStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull_models(store, ["toy"]) == 0
    (tmp_path / "cache/toy/model.gguf").write_bytes(WEIGHTS[:10])
    assert verify_models(store) == 1
    assert "has 10 bytes, not 7,000" in capsys.readouterr().err
