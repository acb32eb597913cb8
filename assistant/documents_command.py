"""`assistant index DIR`, and the index as the settings have it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from assistant.config import Config
from assistant.documents.index import DocumentIndex, IndexChange
from assistant.errors import RecallError
from assistant.model_store import ModelStore
from assistant.recall.encoder import SentenceEncoder, shared_encoder

_INDEX_THREADS = 2


@contextmanager
def open_documents(config: Config, store: ModelStore) -> Iterator[DocumentIndex | None]:
    """None where the settings name no index. Raises RecallError, ModelFileError.

    A tool can say that it found nothing; answers that are to come from documents need some.
    """
    file = config.documents.index
    has_tool = "documents" in config.tools.built_in
    if file == Path("") and has_tool:
        raise RecallError("tools.built_in has documents: name their index (documents.index)")
    if file == Path(""):
        yield None
        return
    if not file.is_file() and not has_tool:
        raise RecallError(f"{file} is not there: make it with `assistant index DIR`")
    with closing(DocumentIndex(file, _encoder(config, store))) as index:
        index.warm()
        yield index


def index_folder(config: Config, folder: Path) -> int:
    """Bring the index to what is in `folder`, with a progress bar. The exit status."""
    file = config.documents.index
    if file == Path(""):
        raise RecallError(
            "name the index: --set documents.index=FILE, here and with `assistant serve`"
        )
    model = ModelStore(config.models.folder).folder(config.cache.encoder_model)
    encoder = SentenceEncoder(model, threads=_INDEX_THREADS)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with closing(DocumentIndex(file, encoder)) as index, Progress(*columns, console=console) as bar:
        task = bar.add_task("reading", total=None)

        def show(name: str, n: int, n_files: int) -> None:
            bar.update(task, description=name[-40:], completed=n, total=n_files)

        change = index.update(folder, show)
        bar.update(task, description="done", completed=change.n_files, total=change.n_files)
    _tell(change)
    return 0


def _tell(change: IndexChange) -> None:
    console = Console(highlight=False, markup=False)
    for sentence in change.unreadable:
        console.print(f"left out: {sentence}")
    console.print(
        f"{change.n_new} files read ({change.n_passages} passages), "
        f"{change.n_unchanged} unchanged, {change.n_gone} gone"
    )


def _encoder(config: Config, store: ModelStore) -> SentenceEncoder:
    return shared_encoder(store.folder(config.cache.encoder_model))
