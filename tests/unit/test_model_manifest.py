from __future__ import annotations

from pathlib import Path

import pytest

from assistant.errors import ModelFileError
from assistant.model_manifest import (
    FolderSource,
    HubSource,
    Manifest,
    ModelRole,
    PackageSource,
    read_manifest,
)

REPOSITORY = Path(__file__).parents[2]
MANIFESTS = [read_manifest(path) for path in sorted((REPOSITORY / "models").glob("*.toml"))]

VALID = """
role = "voice"
summary = "A toy"
licence = "CC0-1.0"

[files."voice.onnx"]
size_bytes = 10
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"

[[sources]]
kind = "packages"

[sources.files."voice.onnx"]
package = "toy-part{part}==1.0"
member = "toy/{part:02}.bin"
parts = 3
part_size_bytes = 4

[[sources]]
kind = "hub"
repository = "toys/toy"
revision = "v1"
files = {"voice.onnx" = "a/b.onnx"}

[[sources]]
kind = "folder"
folder = "stick"
files = {"voice.onnx" = "b.onnx"}
"""


def test_a_manifest_names_files_and_sources_in_order(tmp_path: Path) -> None:
    path = tmp_path / "toy-1.5.toml"
    path.write_text(VALID, encoding="utf-8")
    manifest = read_manifest(path)
    assert manifest.id == "toy-1.5"
    assert manifest.role is ModelRole.VOICE
    assert manifest.size_bytes == 10
    packages, hub, folder = manifest.sources
    assert isinstance(packages, PackageSource)
    assert packages.files["voice.onnx"].parts == 3
    assert hub == HubSource(repository="toys/toy", revision="v1", files={"voice.onnx": "a/b.onnx"})
    assert folder == FolderSource(folder=tmp_path / "stick", files={"voice.onnx": "b.onnx"})


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('role = "voice"', 'role = "choir"', "'choir' is not a valid ModelRole"),
        ('summary = "A toy"', "", "summary is missing"),
        ('summary = "A toy"', "summary = 3", "summary must be str, not 3"),
        ('summary = "A toy"', 'summary = "A toy"\ncolour = "red"', "unknown key colour"),
        ("size_bytes = 10", "size_bytes = 10.5", "files.voice.onnx.size_bytes must be int"),
        ('sha256 = "00', 'sha256 = "', "files.voice.onnx.sha256 must be 64 hex digits"),
        ('[files."voice.onnx"]', '[files."../voice.onnx"]', "must be a plain file name"),
        ('kind = "hub"', 'kind = "attic"', "packages, hub or folder, not 'attic'"),
        ('revision = "v1"', "", r"sources\[1\].revision is missing"),
        ("parts = 3", "parts = 4", "do not make up its size"),
        ('{"voice.onnx" = "b.onnx"}', "{}", "exactly the files under"),
        ("[[sources]]", "[[sources", "Expected"),
    ],
)
def test_a_wrong_manifest_is_told_by_file_and_key(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    path = tmp_path / "toy.toml"
    assert old in VALID
    path.write_text(VALID.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelFileError, match=rf"toy\.toml: .*{complaint}"):
        read_manifest(path)


STANDARD_NAMES = {
    ModelRole.RECOGNIZER: {"model.bin", "config.json", "tokenizer.json"},
    ModelRole.TURN_END: {"smart-turn.onnx"},
    ModelRole.BRAIN: {"model.gguf"},
    ModelRole.VOICE: {"voice.onnx", "voice.onnx.json"},
    ModelRole.SCENE: {
        "ssd_mobilenet.pb",
        "ssd_mobilenet.pbtxt",
        "efficientnet_lite3.tflite",
        "labels.txt",
    },
    ModelRole.TEXT: {"det.onnx", "rec.onnx", "cls.onnx"},
    ModelRole.SENTENCES: {"model.safetensors", "tokenizer.json", "config.json"},
}


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.id)
def test_each_of_our_manifests_has_the_standard_names_of_its_role(manifest: Manifest) -> None:
    assert manifest.files.keys() >= STANDARD_NAMES[manifest.role]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.id)
def test_only_a_hub_may_make_up_for_a_missing_checksum(manifest: Manifest) -> None:
    if any(file.sha256 is None for file in manifest.files.values()):
        assert all(isinstance(source, HubSource) for source in manifest.sources)
