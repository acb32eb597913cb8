"""A peer whose every word is kept on its way, and who may be known from earlier."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from assistant.events import AddItem, Command, Event, HistoryKept, Remember, Restore
from assistant.memory.line import KeptConversation, Line
from assistant.memory.transcript import Dropped, Transcript
from assistant.stages import Camera, Peer, Speaker
from assistant.types import AudioFrame

if TYPE_CHECKING:
    from assistant.memory.memory import Memory

_BEFORE_ONE_IS_KNOWN = 64
"""Changes that wait for the person to say who they are; programs never do."""


def hashed(person: str) -> bytes:
    """As which somebody is known where things are kept."""
    return sha256(person.encode()).digest()


class RememberingPeer:
    def __init__(self, peer: Peer, memory: Memory, began_at_s: float) -> None:
        """`began_at_s`: monotonic."""
        self._peer = peer
        self._memory = memory
        self._began_at_s = began_at_s
        began_at_s = time.time() - (time.monotonic() - began_at_s)
        day = datetime.fromtimestamp(began_at_s).astimezone()
        self.conversation = KeptConversation(
            conversation_id=f"{day:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}", began_at_s=began_at_s
        )
        self._transcript = Transcript()
        self._person: bytes | None = None
        self._is_asked = False
        self._waiting: deque[Line | Dropped] = deque(maxlen=_BEFORE_ONE_IS_KNOWN)

    @property
    def camera(self) -> Camera:
        return self._peer.camera

    def microphone(self) -> AsyncIterator[AudioFrame]:
        return self._peer.microphone()

    async def commands(self) -> AsyncIterator[Command]:
        async for command in self._peer.commands():
            if not isinstance(command, Remember):
                self._note(command)
                yield command
            elif not self._is_asked:
                self._is_asked = True
                earlier = await self._begin(hashed(command.person))
                if earlier:
                    yield Restore(lines=earlier)

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker:
        return self._peer.new_speaker(on_phrase)

    def send(self, event: Event) -> None:
        self._note(event)
        self._peer.send(event)

    def forget(self, person: bytes) -> None:
        """Keep no more of this conversation, if it is theirs."""
        if self._person == person:
            self._person = None
            self._tell(keep="off")

    async def _begin(self, person: bytes) -> tuple[AddItem, ...]:
        """From now on the words are kept. What the brain is to be told of earlier ones."""
        self._person = person
        while self._waiting:
            self._memory.note(person, self.conversation, self._waiting.popleft())
        key = self.conversation.conversation_id
        earlier = await self._memory.earlier(person, but=key)
        self._tell(earlier_at_s=earlier[-1].began_at_s if earlier else None)
        return tuple(
            AddItem(item_id=f"earlier_{n}", role=line.role, text=line.text)
            for n, line in enumerate(line for kept in earlier for line in kept.lines)
        )

    def _note(self, told: Event | Command) -> None:
        at_ms = round(1_000 * (time.monotonic() - self._began_at_s))
        for change in self._transcript.changes(told, at_ms):
            if self._person is not None:
                self._memory.note(self._person, self.conversation, change)
            elif not self._is_asked:
                self._waiting.append(change)

    def _tell(self, *, keep: str | None = None, earlier_at_s: float | None = None) -> None:
        self._peer.send(
            HistoryKept(
                keep=keep or self._memory.keep,
                expires_after_days=self._memory.expires_after_days,
                earlier_at_s=earlier_at_s,
            )
        )
