"""The kept answers as the settings have them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.config import Config
from assistant.config_answers import CacheConfig
from assistant.known_answers import clear_cache, known_answers, template_phrases
from assistant.model_store import ModelStore
from assistant.recall.answers import Found
from assistant.types import Recalled

STORE = ModelStore(Path("models"))


def config(folder: Path, **wanted: object) -> Config:
    cache = CacheConfig(folder=folder, similarity=1, **wanted)  # type: ignore[arg-type]
    return replace(Config(), cache=cache)


def test_none_are_wanted(tmp_path: Path) -> None:
    with known_answers(config(tmp_path), STORE) as known:
        assert known is None


def test_what_was_kept_is_forgotten_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = config(tmp_path, learn=True)
    question = "What is the capital of France?"
    with known_answers(wanted, STORE) as known:
        assert known is not None
        known.keep("a", question, "Paris.")
    with known_answers(wanted, STORE) as known:
        assert known is not None
        assert known.find("a", question) == Found("Paris.", Recalled.EXACT)
    assert clear_cache(wanted) == 0
    assert "1 kept answers forgotten" in capsys.readouterr().out
    with known_answers(wanted, STORE) as known:
        assert known is not None
        assert known.find("a", question) is None


def test_there_may_be_nothing_to_forget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert clear_cache(config(tmp_path / "new")) == 0
    assert "no answers are kept" in capsys.readouterr().out


def test_prepared_answers_are_cut_as_they_will_be_said(tmp_path: Path) -> None:
    file = tmp_path / "answers.txt"
    file.write_text("Q: Are you open?\nQ: Do you open?\nA: Yes, we are. Come in.\n")
    phrases = template_phrases(config(tmp_path, templates=file))
    assert "".join(phrases).replace(" ", "") == "Yes,weare.Comein."
