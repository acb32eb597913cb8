"""What is said to everybody, kept by a thread of its own: no turn ever waits for the disk."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from assistant.config import Config
from assistant.errors import RecallError
from assistant.memory.line import KeptConversation, Line
from assistant.memory.remembering_peer import RememberingPeer, hashed
from assistant.memory.seal import AesSeal, NoSeal, memory_key
from assistant.memory.store import IN_MEMORY, MemoryStore, UnreadableError
from assistant.memory.transcript import Dropped
from assistant.stages import Peer

logger = logging.getLogger(__name__)

T = TypeVar("T")

_FILE = "conversations.db"
_S_PER_DAY = 86_400.0
_WHEN_OFF_S = 600.0
"""As long as a conversation waits for somebody whose line was lost."""

_TIDY_EVERY_S = 60.0
_MOST_WAITING = 1_000
"""Writes that a slow disk may be behind; what is said then is not kept."""

_EARLIER_LINES = 60
"""More than the brain is given of earlier conversations."""

_EARLIER_WITHIN_S = 1.0
"""Reading them takes milliseconds; what else the person wants waits meanwhile."""


class Memory:
    """Leaving its block waits until everything is written."""

    def __init__(self, config: Config) -> None:
        """Raises RecallError and ConfigError: about a folder that cannot be written, or a key."""
        self.keep = config.memory.keep
        self.expires_after_days = config.memory.expires_after_days
        self._config = config
        self._store = self._opened()
        self._thread = ThreadPoolExecutor(1, "memory")
        self._room = threading.BoundedSemaphore(_MOST_WAITING)
        self._peers: set[RememberingPeer] = set()

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await asyncio.to_thread(self._thread.shutdown)
        self._store.close()

    @contextmanager
    def minding(self, peer: Peer, began_at_s: float) -> Iterator[RememberingPeer]:
        """The peer to converse with in its place. `began_at_s`: monotonic."""
        minded = RememberingPeer(peer, self, began_at_s)
        self._peers.add(minded)
        try:
            yield minded
        finally:
            self._peers.discard(minded)

    async def tidy(self) -> None:
        """Forget what has had its time. Runs until cancelled."""
        while True:
            going_on = {peer.conversation.conversation_id for peer in self._peers}
            await self._ask(partial(MemoryStore.expire, sparing=going_on), None)
            await asyncio.sleep(_TIDY_EVERY_S)

    def note(self, person: bytes, conversation: KeptConversation, change: Line | Dropped) -> None:
        """Have it written, soon. Never waits."""
        if not self._room.acquire(blocking=False):
            logger.warning("the disk is too slow: something that was said is not kept")
            return

        def write(store: MemoryStore) -> None:
            if isinstance(change, Dropped):
                store.drop(conversation.conversation_id, change.item_id)
            else:
                store.keep(person, conversation, change)

        self._thread.submit(self._do, write, None).add_done_callback(lambda _: self._room.release())

    async def earlier(self, person: bytes, *, but: str) -> tuple[KeptConversation, ...]:
        """What the brain may be told of this person; nothing where that is not wanted."""
        if self.keep == "off":
            return ()
        newest = partial(MemoryStore.newest, person=person, n_lines=_EARLIER_LINES, but=but)
        try:
            async with asyncio.timeout(_EARLIER_WITHIN_S):
                return await self._ask(newest, ())
        except TimeoutError:
            logger.warning("the disk is too slow: a conversation begins without the earlier ones")
            return ()

    async def conversation(self, person: str) -> KeptConversation | None:
        """Their last one."""
        whose = hashed(person)
        return await self._ask(lambda store: store.conversation(person=whose), None)

    async def forget(self, person: str) -> bool:
        """Everything of theirs; what is still being said is not kept either. Whether it is gone."""
        whose = hashed(person)
        for peer in self._peers:
            peer.forget(whose)
        return await self._ask(lambda store: store.forget(whose) >= 0, False)

    async def _ask(self, work: Callable[[MemoryStore], T], otherwise: T) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._do, work, otherwise)

    def _do(self, work: Callable[[MemoryStore], T], otherwise: T) -> T:
        """On the thread. What fails costs what it was about, and nothing else."""
        try:
            return work(self._store)
        except UnreadableError as error:
            self._begin_anew(error)
        except RecallError as error:
            logger.warning("conversations: %s", error)
        except Exception:
            logger.exception("keeping what was said failed; the conversation goes on")
        return otherwise

    def _begin_anew(self, error: UnreadableError) -> None:
        try:
            self._store.close()
            _set_aside(error)
            self._store = open_store(self._config)
        except RecallError as again:
            logger.warning("conversations: %s", again)

    def _opened(self) -> MemoryStore:
        try:
            return open_store(self._config)
        except UnreadableError as error:
            _set_aside(error)
            return open_store(self._config)


def open_store(config: Config) -> MemoryStore:
    """Where conversations are kept. Raises RecallError and ConfigError."""
    memory = config.memory
    if memory.keep == "off":
        return MemoryStore(IN_MEMORY, max_lines=memory.max_lines, expires_after_s=_WHEN_OFF_S)
    folder = memory.folder
    if folder == Path(""):
        folder = config.server.state_folder.expanduser()
    is_sealed = memory.keep == "encrypted"
    return MemoryStore(
        folder / _FILE,
        seal=AesSeal(memory_key(memory.key_file, folder)) if is_sealed else NoSeal(),
        max_lines=memory.max_lines,
        expires_after_s=memory.expires_after_days * _S_PER_DAY,
    )


def _set_aside(error: UnreadableError) -> None:
    """Raises RecallError."""
    aside = error.file.with_name(f"{error.file.name}.{time.strftime('%Y%m%dT%H%M%S')}")
    try:
        os.replace(error.file, aside)
    except OSError as stuck:
        raise RecallError(f"{error}, and cannot be moved away ({stuck.strerror})") from error
    logger.warning("%s: it is now %s, and a new one is begun", error, aside.name)
