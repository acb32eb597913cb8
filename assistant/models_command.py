"""`assistant models list | pull | verify`: the model store on a terminal, or in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby

from rich.console import Console
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from assistant.errors import ModelFileError
from assistant.model_store import ModelStore, PullPhase, PullProgress

_LINE_EVERY_S = 5


def list_models(store: ModelStore) -> int:
    """Print every known model by role, and whether it is here. Returns the exit status."""
    manifests = store.manifests()
    width = max(len(manifest.id) for manifest in manifests)
    for role, of_role in groupby(manifests, key=lambda manifest: manifest.role):
        _say(f"{role}:")
        for manifest in of_role:
            here = "here" if store.is_present(manifest.id) else ""
            licence = ": ".join(filter(None, (manifest.licence, manifest.licence_note)))
            _say(
                f"  {manifest.id:{width}}  {decimal(manifest.size_bytes):>8}  {here:4}  "
                f"{manifest.summary} ({licence})"
            )
    return 0


def pull_models(store: ModelStore, ids: Iterable[str]) -> int:
    """Pull models, with a bar for each. One that cannot be had keeps no other from coming.

    Nothing is pulled where one of `ids` is unknown. Returns the exit status.
    """
    try:
        manifests = [store.manifest(model_id) for model_id in ids]
    except ModelFileError as error:
        _complain(error)
        return 1
    status = 0
    for manifest in manifests:
        try:
            with _shown(manifest.size_bytes) as show:
                store.pull(manifest.id, show)
            _say(f"{manifest.id}: complete, checksums right")
        except ModelFileError as error:
            _complain(error)
            status = 1
    return status


def verify_models(store: ModelStore, ids: Iterable[str] = ()) -> int:
    """Read every byte of these models, or of all that are here. Returns the exit status."""
    try:
        wanted = [store.manifest(model_id) for model_id in ids] or store.manifests()
    except ModelFileError as error:
        _complain(error)
        return 1
    status = 0
    for manifest in wanted:
        if not store.has_any_file(manifest.id):
            _say(f"{manifest.id}: not here")
            continue
        try:
            store.verify(manifest.id)
            _say(f"{manifest.id}: intact")
        except ModelFileError as error:
            _complain(error)
            status = 1
    return status


@contextmanager
def _shown(size_bytes: int) -> Iterator[Callable[[PullProgress], None]]:
    """Where the progress of one model goes: a bar on a terminal, else a line now and then."""
    if not Console().is_terminal:
        yield _Lines()
        return
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        transient=True,
    ) as bars:
        bar = bars.add_task("", total=size_bytes)
        yield lambda progress: bars.update(
            bar, description=_describe(progress), completed=progress.done_bytes
        )


class _Lines:
    """Progress for a log: soon after the start, then every few seconds."""

    def __init__(self) -> None:
        self._started_at_s = time.monotonic()
        self._next_at_s = self._started_at_s + 1

    def __call__(self, progress: PullProgress) -> None:
        now_s = time.monotonic()
        if progress.phase is PullPhase.WAITING:
            _say(_describe(progress))
        elif now_s >= self._next_at_s:
            self._next_at_s = now_s + _LINE_EVERY_S
            _say(
                f"{_describe(progress)}, {decimal(progress.done_bytes)} of "
                f"{decimal(progress.total_bytes)} after {now_s - self._started_at_s:.0f} s"
            )


def _describe(progress: PullProgress) -> str:
    match progress.phase:
        case PullPhase.WAITING:
            return f"{progress.model_id}: another process is pulling it; waiting"
        case PullPhase.FETCHING:
            return f"{progress.model_id}: fetching"
        case PullPhase.CHECKING:
            return f"{progress.model_id}: checking"


def _say(line: str) -> None:
    Console().print(line, markup=False, highlight=False, soft_wrap=True)


def _complain(error: ModelFileError) -> None:
    Console(stderr=True).print(f"error: {error}", markup=False, highlight=False, soft_wrap=True)
