"""Who is talking, and how far the turn that is being taken has come."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from assistant.events import Event
from assistant.records import TurnRecord
from assistant.stages import Peer
from assistant.timeline import TurnTimeline


@dataclass(slots=True, kw_only=True)
class LiveSession:
    """One person who is talking."""

    session_id: str = field(default_factory=lambda: secrets.token_hex(4))
    began_at_s: float = field(default_factory=time.monotonic)
    on_change: Callable[[], None] = lambda: None
    n_turns: int = 0
    """That are over."""

    turn_id: str | None = None
    timeline: TurnTimeline | None = None
    """Of the newest turn, which may be over."""

    def new_timeline(self, turn_id: str) -> TurnTimeline:
        """For a turn that begins: whoever looks on is told of every mark."""
        self.turn_id = turn_id
        self.timeline = TurnTimeline(on_change=self.on_change)
        return self.timeline


class Live:
    """All who are talking. Those who look on wait until something changes."""

    def __init__(self) -> None:
        self._sessions: dict[str, tuple[LiveSession, Peer]] = {}
        self._changed = asyncio.Event()
        self.version = 0
        """One more with every change."""

        self.newest: LiveSession | None = None
        """Whose turn changed last; it may have left."""

    @property
    def sessions(self) -> tuple[LiveSession, ...]:
        """Of those whose line is there; who has lost it may come back, but is not talking."""
        return tuple(
            session
            for session, peer in self._sessions.values()
            if getattr(peer, "away_since_s", None) is None
        )

    @contextmanager
    def one_more(self, peer: Peer) -> Iterator[LiveSession]:
        """Somebody talks for as long as the block lasts."""
        session = LiveSession(on_change=lambda: self._note(session))
        self._sessions[session.session_id] = session, peer
        self.change()
        try:
            yield session
        finally:
            del self._sessions[session.session_id]
            self.change()

    def take(self, turn: TurnRecord) -> None:
        """A turn is over."""
        if turn.session_id in self._sessions:
            self._sessions[turn.session_id][0].n_turns += 1
        self.change()

    def tell(self, event: Event) -> None:
        """Tell everybody who is talking."""
        for _, peer in self._sessions.values():
            peer.send(event)

    def change(self) -> None:
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def later_than(self, version: int, *, within_s: float) -> None:
        """Wait for a change after `version`, but no longer than `within_s`."""
        if version == self.version:
            with suppress(TimeoutError):
                async with asyncio.timeout(within_s):
                    await self._changed.wait()

    def _note(self, session: LiveSession) -> None:
        self.newest = session
        self.change()
