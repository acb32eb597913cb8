"""`assistant export`: conversations that were kept, as files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from assistant.config import Config
from assistant.errors import RecallError
from assistant.memory.export import FORMATS
from assistant.memory.memory import open_store
from assistant.memory.store import MemoryStore


def list_conversations(config: Config) -> int:
    """When, how long, and by which id: no words. The exit status."""
    with _open(config) as store:
        summaries = store.summaries()
    table = Table("conversation", "began", "lines", box=None)
    for each in summaries:
        began_at = datetime.fromtimestamp(each.began_at_s)
        table.add_row(each.conversation_id, f"{began_at:%Y-%m-%d %H:%M}", str(each.n_lines))
    Console().print(table if summaries else "nothing is kept")
    return 0


def export(
    config: Config, conversation_id: str | None, form: str, language: str, out: Path | None
) -> int:
    """Write one, or the newest, to `out` or to standard output. The exit status.

    Raises RecallError.
    """
    with _open(config) as store:
        conversation = store.conversation(conversation_id=conversation_id)
    if conversation is None:
        wanted = conversation_id or "a conversation"
        raise RecallError(f"{wanted} is not kept here; see assistant export --list")
    text = FORMATS[form].write(conversation, language)
    if out is None:
        sys.stdout.write(text)
        return 0
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RecallError(f"{out} cannot be written: {error.strerror}") from error
    return 0


@contextmanager
def _open(config: Config) -> Iterator[MemoryStore]:
    if config.memory.keep == "off":
        raise RecallError(
            "no conversations are kept: memory.keep is off; give the settings of the server"
        )
    with closing(open_store(config)) as store:
        yield store
