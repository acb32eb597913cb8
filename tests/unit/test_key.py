"""Where the key may come from, and that it is never shown."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from assistant.errors import ConfigError
from assistant.key import read_key

READ = partial(read_key, setting="remote.api_key_file", variable="A_KEY")


def test_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-secret\n")
    file.chmod(0o600)
    key = READ(file, environment={"A_KEY": "another"})
    assert key.secret == "sk-secret"
    assert "sk-secret" not in repr(key)


def test_environment() -> None:
    assert READ(Path(), environment={"A_KEY": " sk-secret "}).secret == "sk-secret"
    assert READ(Path(), environment={}).secret == ""


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "key"
    file.write_text("sk-secret")
    file.chmod(mode)
    with pytest.raises(ConfigError, match="chmod 600") as caught:
        READ(file)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "two words", "schlüssel"])
def test_file_without_one_key_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "key"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(ConfigError) as caught:
        READ(file)
    assert not text or text not in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"remote\.api_key_file"):
        READ(tmp_path / "nowhere")
