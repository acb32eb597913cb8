"""`assistant export`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from assistant.__main__ import main
from assistant.config import Config
from assistant.config_answers import MemoryConfig
from assistant.memory.line import KeptConversation, Line
from assistant.memory.memory import open_store
from assistant.types import Role


@pytest.fixture
def settings(tmp_path: Path) -> list[str]:
    """Of a server to which somebody spoke twice."""
    config = Config(memory=MemoryConfig(keep="plain", folder=tmp_path))
    with closing(open_store(config)) as store:
        for n, words in enumerate(["first words", "last words"]):
            talk = KeptConversation(conversation_id=f"talk-{n}", began_at_s=1_000.0 + n)
            said = Line(item_id="i", role=Role.USER, text=words, at_ms=0, spoken_ms=900)
            store.keep(b"anna", talk, said)
    return ["--set", "memory.keep=plain", "--set", f"memory.folder={tmp_path}"]


def test_the_newest_is_written(settings: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", *settings]) == 0
    assert capsys.readouterr().out.endswith("**You** (0:00)\n\nlast words\n")


def test_a_named_one_goes_to_a_file(settings: list[str], tmp_path: Path) -> None:
    out = tmp_path / "first.json"
    assert main(["export", "talk-0", "--format", "json", "--out", str(out), *settings]) == 0
    assert json.loads(out.read_text())["lines"][0]["text"] == "first words"


def test_a_list_has_no_words(settings: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--list", *settings]) == 0
    listed = capsys.readouterr().out
    assert listed.index("talk-1") < listed.index("talk-0")
    assert "words" not in listed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["talk-9"], "talk-9 is not kept here"),
        (["--out", "/nowhere/at/all.md"], "cannot be written"),
        (["--set", "memory.keep=off"], "memory.keep is off"),
        (["--set", "memory.keep=encrypted"], "another key"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    settings: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(["export", *settings, *arguments]) == 1
    assert sentence in capsys.readouterr().err
    assert main(["export", *settings]) == 0  # and the file is as it was
