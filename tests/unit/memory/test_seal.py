"""What is sealed, and where the key comes from."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from assistant.errors import ConfigError
from assistant.memory.seal import VARIABLE, AesSeal, BrokenSealError, memory_key

KEY = bytes(range(32))


def test_opens_what_it_closed_and_never_closes_alike() -> None:
    seal = AesSeal(KEY)
    first, second = (seal.close("说了什么".encode(), b"here") for _ in range(2))
    assert first != second
    assert "说了什么".encode() not in first
    assert seal.open(first, b"here").decode() == "说了什么"


@pytest.mark.parametrize(
    ("seal", "change", "place"),
    [
        pytest.param(AesSeal(bytes(32)), b"", b"here", id="another key"),
        pytest.param(AesSeal(KEY), b"", b"there", id="another place"),
        pytest.param(AesSeal(KEY), b"x", b"here", id="changed"),
    ],
)
def test_what_was_tampered_with_does_not_open(seal: AesSeal, change: bytes, place: bytes) -> None:
    sealed = AesSeal(KEY).close(b"words", b"here") + change
    with pytest.raises(BrokenSealError):
        seal.open(sealed, place)


@pytest.mark.parametrize("sealed", [b"", b"short", b"x" * 20])
def test_what_is_no_seal_does_not_open(sealed: bytes) -> None:
    with pytest.raises(BrokenSealError):
        AesSeal(KEY).open(sealed, b"here")


def test_a_key_is_made_once_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    folder = tmp_path / "new"
    made = memory_key(Path(), folder)
    assert len(made) == 32
    assert memory_key(Path(), folder) == made
    assert stat.S_IMODE((folder / "memory.key").stat().st_mode) == 0o600
    (folder / "memory.key").chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        memory_key(Path(), folder)


def test_the_environment_and_a_file_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, base64.b64encode(KEY).decode())
    assert memory_key(Path(), tmp_path) == KEY
    file = tmp_path / "key"
    file.write_bytes(base64.b64encode(bytes(32)))
    file.chmod(0o600)
    assert memory_key(file, tmp_path) == bytes(32)
    assert not (tmp_path / "memory.key").exists()


@pytest.mark.parametrize("text", ["hunter2", "AAAA", "not/base64!"])
def test_a_key_of_another_size_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ConfigError, match="openssl rand") as caught:
        memory_key(Path(), tmp_path)
    assert text not in str(caught.value)
