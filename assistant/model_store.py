"""The models on this machine. With `model_sources`, the only part of the program that fetches.

    models/ID.toml            what the model is, and where its bytes come from
    models/cache/ID/NAME      its files: complete and checked, or not there
    models/cache/ID/NAME.part what has arrived so far; the next pull goes on from its end

Nothing here is asked for over the network except by `pull`.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from assistant.config import Config
from assistant.errors import ModelFileError
from assistant.model_manifest import Manifest, ModelFile, ModelRole, read_manifest
from assistant.model_sources import (
    SourceError,
    checksum_path,
    fetch,
    part_path,
    part_size_bytes,
    scratch_bytes,
)
from assistant.shipped import shipped
from assistant.voices import espeak_language

HUB_URL = "https://huggingface.co"

_ROOM_TO_SPARE_BYTES = 64 * 2**20
"""Left free on a disk, for the rest of the machine."""


class PullPhase(StrEnum):
    WAITING = "waiting"
    """Another process pulls the same model."""

    FETCHING = "fetching"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True, kw_only=True)
class PullProgress:
    model_id: str
    phase: PullPhase
    done_bytes: int
    total_bytes: int
    """Of the whole model."""


def required_models(config: Config) -> tuple[str, ...]:
    """The ids of the models that this configuration runs with, each once."""
    ids = [config.ears.model, config.ears.turn_end_model, config.brain.model]
    if config.brain.draft_model:
        ids.append(config.brain.draft_model)
    if espeak_language(config.voice.model) is None:
        ids.append(config.voice.model)
    if config.eyes.mode != "off":
        ids += [config.eyes.detector_model, config.eyes.text_model]
    if uses_sentences(config):
        ids.append(config.cache.encoder_model)
    return tuple(dict.fromkeys(ids))


def check_roles(config: Config, store: ModelStore) -> None:
    """Raises ModelFileError for a setting that names a model of another kind."""
    wanted = {
        "ears.model": (config.ears.model, ModelRole.RECOGNIZER),
        "ears.turn_end_model": (config.ears.turn_end_model, ModelRole.TURN_END),
        "brain.model": (config.brain.model, ModelRole.BRAIN),
        "brain.draft_model": (config.brain.draft_model, ModelRole.BRAIN),
        "eyes.detector_model": (config.eyes.detector_model, ModelRole.SCENE),
        "eyes.text_model": (config.eyes.text_model, ModelRole.TEXT),
    }
    for key, (model_id, role) in wanted.items():
        if model_id and (found := store.manifest(model_id).role) is not role:
            raise ModelFileError(
                f"{key} is {model_id!r}, which is for {found}, not for {role}; "
                "see `assistant models list`"
            )


def uses_sentences(config: Config) -> bool:
    """Whether anything is found by its meaning."""
    cache = config.cache
    answers = (cache.learn or cache.templates != Path("")) and cache.similarity < 1
    return answers or config.documents.index != Path("") or config.tiers.strong != "none"


class ModelStore:
    """Manifests in `folder` and in `ours`, weights in the `cache/` of the first."""

    def __init__(
        self, folder: Path, hub_url: str | None = None, *, ours: Path | None = None
    ) -> None:
        """`ours`: the manifests that came with the program."""
        self._folder = folder
        self._manifest_folders = (folder, ours or shipped("models"))
        """Somebody's own come first."""

        # HF_ENDPOINT is how people name a mirror of the hub to any program.
        self._hub_url = (hub_url or os.environ.get("HF_ENDPOINT") or HUB_URL).rstrip("/")

    def manifests(self) -> tuple[Manifest, ...]:
        """Every known model, by role and size. Raises ModelFileError."""
        paths = {
            path.name: path
            for folder in reversed(self._manifest_folders)
            for path in folder.glob("*.toml")
        }
        manifests = [read_manifest(path) for path in paths.values()]
        return tuple(sorted(manifests, key=lambda manifest: (manifest.role, manifest.size_bytes)))

    def manifest(self, model_id: str) -> Manifest:
        """Raises ModelFileError, for an unknown id with the known ones."""
        if Path(model_id).name == model_id:
            for folder in self._manifest_folders:
                path = folder / f"{model_id}.toml"
                if path.is_file():
                    return read_manifest(path)
        known = ", ".join(manifest.id for manifest in self.manifests())
        raise ModelFileError(f"there is no model {model_id!r}; there are {known}")

    def folder(self, model_id: str) -> Path:
        """Where the files of a model are. Raises ModelFileError when one is missing or short.

        A cheap check, by size; `verify` reads every byte.
        """
        manifest = self.manifest(model_id)
        folder = self._cache(model_id)
        for name, file in manifest.files.items():
            size_bytes = _size_bytes(folder / name)
            if size_bytes is None:
                raise ModelFileError(
                    f"model {model_id} is not here yet ({folder / name} is missing): run "
                    f"`assistant models pull {model_id}`"
                )
            if size_bytes != file.size_bytes:
                raise ModelFileError(
                    f"model {model_id} is damaged ({folder / name} has {size_bytes:,} bytes, not "
                    f"{file.size_bytes:,}): run `assistant models pull {model_id}`"
                )
        return folder

    def is_present(self, model_id: str) -> bool:
        """Whether all files are here, by size."""
        folder = self._cache(model_id)
        return all(
            _size_bytes(folder / name) == file.size_bytes
            for name, file in self.manifest(model_id).files.items()
        )

    def has_any_file(self, model_id: str) -> bool:
        """Whether some file is here, whole or not."""
        folder = self._cache(model_id)
        return any((folder / name).exists() for name in self.manifest(model_id).files)

    def verify(self, model_id: str) -> None:
        """Read every byte and compare the checksums. Raises ModelFileError."""
        folder = self.folder(model_id)
        for name, file in self.manifest(model_id).files.items():
            if not _is_intact(folder, name, file):
                raise ModelFileError(
                    f"model {model_id} is damaged (the SHA-256 of {folder / name} is wrong): run "
                    f"`assistant models pull {model_id}`"
                )

    def pull(self, model_id: str, progress: Callable[[PullProgress], None]) -> None:
        """Check every file of a model, and fetch those that are missing or damaged.

        One process at a time: a second one waits, and then finds the work done. Raises
        ModelFileError; what has arrived until then is kept for the next pull.
        """
        manifest = self.manifest(model_id)
        try:
            _Pull(manifest, self._cache(model_id), self._hub_url, progress).run()
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                reason = f"the disk of {self._cache(model_id)} is full"
            else:
                reason = f"{error.filename or self._cache(model_id)}: {error.strerror or error}"
            raise ModelFileError(
                f"model {model_id} could not be pulled ({reason}): "
                f"`assistant models pull {model_id}` tries again and goes on from here"
            ) from error

    def _cache(self, model_id: str) -> Path:
        return self._folder / "cache" / model_id


class _Pull:
    """One pull of one model."""

    def __init__(
        self,
        manifest: Manifest,
        folder: Path,
        hub_url: str,
        progress: Callable[[PullProgress], None],
    ) -> None:
        self._manifest = manifest
        self._folder = folder
        self._hub_url = hub_url
        self._progress = progress
        self._here_bytes: dict[str, int] = {}
        """Of each file, as far as it has arrived."""

    def run(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with _only_puller(self._folder / ".lock", lambda: self._tell(PullPhase.WAITING)):
            wanted = self._wanted()
            if not wanted:
                return
            self._check_room(wanted)
            reasons = []
            for source in self._manifest.sources:
                try:
                    fetch(source, wanted, self._folder, self._hub_url, self._on_bytes)
                except SourceError as error:
                    reasons.append(str(error))
                    continue
                bad = [name for name, file in wanted.items() if not self._accept(name, file)]
                if not bad:
                    return
                reasons.append(f"the SHA-256 of {', '.join(bad)} was wrong, so it was thrown away")
                wanted = {name: wanted[name] for name in bad}
        raise ModelFileError(
            f"model {self._manifest.id} could not be pulled ({'; '.join(reasons)}): "
            f"`assistant models pull {self._manifest.id}` tries again and goes on from here"
        )

    def _wanted(self) -> dict[str, ModelFile]:
        """The files that are not here, or not as they should be."""
        wanted = {}
        for name, file in self._manifest.files.items():
            if _is_intact(self._folder, name, file):
                self._here_bytes[name] = file.size_bytes
            else:
                self._here_bytes[name] = part_size_bytes(self._folder, name)
                wanted[name] = file
            self._tell(PullPhase.CHECKING)
        return wanted

    def _check_room(self, wanted: dict[str, ModelFile]) -> None:
        needed_bytes = _ROOM_TO_SPARE_BYTES + scratch_bytes(self._manifest.sources[0])
        for name, file in wanted.items():
            needed_bytes += file.size_bytes - part_size_bytes(self._folder, name)
        free_bytes = shutil.disk_usage(self._folder).free
        if free_bytes < needed_bytes:
            raise ModelFileError(
                f"model {self._manifest.id} needs {needed_bytes / 1e6:,.0f} MB and "
                f"{self._folder.absolute()} has {free_bytes / 1e6:,.0f} MB free: make room, or "
                "make the models' cache folder a link to another disk"
            )

    def _accept(self, name: str, file: ModelFile) -> bool:
        """Give a complete `.part` its name if it is what it should be, else throw it away."""
        self._tell(PullPhase.CHECKING)
        part = part_path(self._folder, name)
        if _sha256(part) == _expected_sha256(self._folder, name, file):
            part.replace(self._folder / name)
            return True
        part.unlink()
        self._here_bytes[name] = 0
        return False

    def _on_bytes(self, name: str, here_bytes: int) -> None:
        self._here_bytes[name] = here_bytes
        self._tell(PullPhase.FETCHING)

    def _tell(self, phase: PullPhase) -> None:
        self._progress(
            PullProgress(
                model_id=self._manifest.id,
                phase=phase,
                done_bytes=sum(self._here_bytes.values()),
                total_bytes=self._manifest.size_bytes,
            )
        )


@contextmanager
def _only_puller(lock_path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    with lock_path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_intact(folder: Path, name: str, file: ModelFile) -> bool:
    path = folder / name
    return _size_bytes(path) == file.size_bytes and _sha256(path) == _expected_sha256(
        folder, name, file
    )


def _expected_sha256(folder: Path, name: str, file: ModelFile) -> str | None:
    if file.sha256 is None and checksum_path(folder, name).is_file():
        return checksum_path(folder, name).read_text(encoding="ascii")
    return file.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _size_bytes(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None
