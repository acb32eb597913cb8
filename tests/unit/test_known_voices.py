from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from assistant.errors import ModelFileError
from assistant.known_voices import known_voices, standard_voice
from assistant.model_store import ModelStore
from assistant.voices_command import list_voices

MANIFEST = """
role = "{role}"
summary = "A toy"
licence = "CC0-1.0"
languages = ["{language}"]

[files."voice.onnx"]
size_bytes = 3
sha256 = "{checksum}"

[[sources]]
kind = "folder"
folder = "stick"
files = {{"voice.onnx" = "voice.onnx"}}
"""


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    checksum = hashlib.sha256(b"abc").hexdigest()
    for name, role, language in [
        ("here", "voice", "en"),
        ("away", "voice", "zh"),
        ("brain", "brain", "*"),
    ]:
        manifest = MANIFEST.format(role=role, language=language, checksum=checksum)
        (tmp_path / f"{name}.toml").write_text(manifest, encoding="utf-8")
    (tmp_path / "cache/here").mkdir(parents=True)
    (tmp_path / "cache/here/voice.onnx").write_bytes(b"abc")
    return ModelStore(tmp_path, ours=tmp_path)


def test_voices_are_known_by_manifest_and_espeak_by_language(store: ModelStore) -> None:
    voices = known_voices(store)
    assert {voice.id: voice.is_here for voice in voices.piper} == {"here": True, "away": False}
    assert voices.find("espeak-ng-zh") is not None


@pytest.mark.parametrize(
    ("model", "speaks"),
    [("here", "here"), ("away", "espeak-ng-zh"), ("espeak-ng-fr", "espeak-ng-fr")],
)
def test_somebody_speaks_whatever_is_here(store: ModelStore, model: str, speaks: str) -> None:
    assert standard_voice(known_voices(store), store, model).id == speaks


@pytest.mark.parametrize(
    ("model", "says"), [("nobody", "there is no model 'nobody'"), ("brain", "brain")]
)
def test_what_is_no_voice_is_refused(store: ModelStore, model: str, says: str) -> None:
    with pytest.raises(ModelFileError, match=says):
        standard_voice(known_voices(store), store, model)


def test_voices_are_listed_with_licence_and_whether_they_are_here(
    store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list_voices(store, "away") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "here en here A toy (CC0-1.0)" in lines
    assert "away zh A toy (CC0-1.0)" in lines
    assert "espeak-ng-fr espeak-ng: French (France)" in lines
    assert lines[-1] == "With these settings espeak-ng-zh speaks."
