"""The answers that need no brain, as the settings have it; and `assistant cache clear`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from assistant.config import Config
from assistant.config_answers import CacheConfig
from assistant.model_store import ModelStore
from assistant.phrases import PhraseCutter
from assistant.recall.answer_store import AnswerStore
from assistant.recall.answers import KnownAnswers
from assistant.recall.encoder import shared_encoder
from assistant.recall.templates import read_templates

_FILE = "answers.sqlite3"
_S_PER_H = 3_600


@contextmanager
def known_answers(config: Config, store: ModelStore) -> Iterator[KnownAnswers | None]:
    """None where the settings want none. Loads the encoder, some hundred milliseconds.

    Raises RecallError, ModelFileError.
    """
    cache = config.cache
    if not cache.learn and cache.templates == Path(""):
        yield None
        return
    templates = read_templates(cache.templates) if cache.templates != Path("") else ()
    encoder = None
    if cache.similarity < 1:
        encoder = shared_encoder(store.folder(cache.encoder_model))
    learned = _open_store(config) if cache.learn else None
    try:
        yield KnownAnswers(templates, learned, encoder, similarity=cache.similarity)
    finally:
        if learned is not None:
            learned.close()


def template_phrases(config: Config) -> list[str]:
    """What is said of the templates, cut as it will be said. Raises RecallError."""
    if config.cache.templates == Path(""):
        return []
    phrases = list[str]()
    for answer in dict.fromkeys(known.answer for known in read_templates(config.cache.templates)):
        cutter = PhraseCutter(config.voice)
        phrases += [*cutter.push(answer), *cutter.finish()]
    return phrases


def clear_cache(config: Config) -> int:
    """Forget every answer that was kept; templates stay. The exit status."""
    console = Console()
    if not _file(config).exists():
        console.print("no answers are kept")
        return 0
    store = _open_store(config)
    n_cleared = store.clear()
    store.close()
    console.print(f"{n_cleared} kept answers forgotten")
    return 0


def _open_store(config: Config) -> AnswerStore:
    cache: CacheConfig = config.cache
    return AnswerStore(
        _file(config),
        max_entries=cache.max_entries,
        expires_after_s=cache.expires_after_h * _S_PER_H,
    )


def _file(config: Config) -> Path:
    folder = config.cache.folder
    return (folder if folder != Path("") else config.models.folder / "cache" / "answers") / _FILE
