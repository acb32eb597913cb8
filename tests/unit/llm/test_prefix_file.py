import logging
from pathlib import Path

import pytest

from assistant.llm.prefix_file import PrefixFile, prefix_key

KEY = prefix_key(b"model", b"prompt")
STATE = bytes(range(256)) * 40


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    file = PrefixFile(tmp_path / "folder" / "model.prefix", KEY)
    assert file.load() is None
    file.save(STATE)
    assert file.load() == STATE
    assert [path.name for path in file.path.parent.iterdir()] == ["model.prefix"]


def test_a_key_tells_its_parts_apart() -> None:
    assert prefix_key(b"ab", b"c") != prefix_key(b"a", b"bc")


@pytest.mark.parametrize("size", [0, 5, 20, 48, 100, len(STATE)])
def test_a_truncated_file_is_ignored(
    tmp_path: Path, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    file = PrefixFile(tmp_path / "model.prefix", KEY)
    file.save(STATE)
    file.path.write_bytes(file.path.read_bytes()[:size])
    assert file.load() is None
    assert "damaged" in caplog.text
    assert len(caplog.records) == 1


@pytest.mark.parametrize("place", [0, 20, 40, 60, -1])
def test_a_file_with_one_wrong_byte_is_ignored(tmp_path: Path, place: int) -> None:
    file = PrefixFile(tmp_path / "model.prefix", KEY)
    file.save(STATE)
    content = bytearray(file.path.read_bytes())
    content[place] ^= 1
    file.path.write_bytes(content)
    assert file.load() is None


def test_the_file_of_another_model_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "model.prefix"
    PrefixFile(path, prefix_key(b"another model", b"prompt")).save(STATE)
    assert PrefixFile(path, KEY).load() is None
    assert "of another model" in caplog.text


def test_a_folder_that_cannot_be_written_costs_only_speed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("not a folder")
    with caplog.at_level(logging.WARNING):
        PrefixFile(tmp_path / "file" / "model.prefix", KEY).save(STATE)
    assert "cannot be written" in caplog.text
