from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.errors import VoiceError
from assistant.tts.vits import SlicedVits, WholeVits
from assistant.tts.voice_folder import open_voice
from tests.unit.tts.tiny_vits import write_voice

MADE = {"split-encoder.onnx", "split-decoder.onnx", "split.json"}


def times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def test_a_voice_is_split_the_first_time_and_kept(tmp_path: Path) -> None:
    write_voice(tmp_path)
    first = open_voice(tmp_path, threads=1)
    assert isinstance(first.vits, SlicedVits)
    made = times(tmp_path)
    assert made.keys() == MADE | {"voice.onnx", "voice.onnx.json"}
    again = open_voice(tmp_path, threads=1)
    assert isinstance(again.vits, SlicedVits)
    assert again.loudness_lufs == first.loudness_lufs
    assert times(tmp_path) == made


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("name", sorted(MADE))
@pytest.mark.parametrize("damage", [truncate, flip_a_bit, Path.unlink])
def test_what_is_damaged_is_made_again(
    tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    write_voice(tmp_path)
    open_voice(tmp_path, threads=1)
    whole = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    damage(tmp_path / name)
    assert isinstance(open_voice(tmp_path, threads=1).vits, SlicedVits)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == whole


def test_another_voice_in_the_folder_is_split_anew(tmp_path: Path) -> None:
    write_voice(tmp_path)
    open_voice(tmp_path, threads=1)
    before = (tmp_path / "split.json").read_text()
    write_voice(tmp_path, n_speakers=3)
    open_voice(tmp_path, threads=1)
    assert (tmp_path / "split.json").read_text() != before


@pytest.mark.parametrize("kind", ["has_noise", "is_local"])
def test_a_voice_that_cannot_be_split_is_spoken_whole_and_that_is_kept(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    write_voice(tmp_path, **{kind: False})
    assert isinstance(open_voice(tmp_path, threads=1).vits, WholeVits)
    assert len(caplog.records) == 1
    assert isinstance(open_voice(tmp_path, threads=1).vits, WholeVits)
    assert len(caplog.records) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    write_voice(tmp_path)
    tmp_path.chmod(0o500)
    assert isinstance(open_voice(tmp_path, threads=1).vits, SlicedVits)


def test_nothing_half_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(_: int) -> None:
        raise OSError(28, "No space left on device")

    write_voice(tmp_path)
    monkeypatch.setattr(os, "fsync", no_room)
    assert isinstance(open_voice(tmp_path, threads=1).vits, SlicedVits)
    assert times(tmp_path).keys() == {"voice.onnx", "voice.onnx.json"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("voice.onnx", None),
        ("voice.onnx", b""),
        ("voice.onnx", b"not a graph"),
        ("voice.onnx.json", None),
        ("voice.onnx.json", b"{"),
        ("voice.onnx.json", json.dumps({"audio": {}}).encode()),
        ("voice.onnx.json", b"\xff"),
    ],
)
def test_a_missing_or_wrong_file_is_named(tmp_path: Path, name: str, content: bytes | None) -> None:
    write_voice(tmp_path)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(VoiceError, match=str(tmp_path / name)):
        open_voice(tmp_path, threads=1)
