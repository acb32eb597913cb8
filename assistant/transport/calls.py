"""The calls that are going on: who is talking, and how a call begins, goes on and ends."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from assistant.errors import BusyError, TooManyError
from assistant.stages import Peer
from assistant.transport import audit
from assistant.transport.realtime import ClientEvent
from assistant.transport.server_events import new_id

logger = logging.getLogger(__name__)


class Carried(Peer, Protocol):
    """A peer that is carried until it is gone."""

    async def run(self) -> None: ...

    def hang_up(self) -> None: ...

    async def close(self) -> None:
        """Let go of everything, however far the call had come. May be called twice."""
        ...


class Caller(Carried, Protocol):
    """A peer that has just called: answer it first. It may call again when its line is lost."""

    @property
    def token(self) -> str:
        """What it shows for itself then."""
        ...

    @property
    def away_since_s(self) -> float | None:
        """Monotonic time at which its line was lost; None while there is one."""
        ...

    async def accept(self, sdp: str, *, last_event_id: str | None = None) -> str: ...

    def request(self, event: ClientEvent) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Somebody's line was lost, and they call again."""

    token: str
    last_event_id: str | None = None
    """The last of our events that they got."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    peer: Carried
    address: str
    caller: Caller | None = None
    """The peer, where it may call again."""

    @property
    def away_since_s(self) -> float | None:
        return self.caller.away_since_s if self.caller is not None else None


class Calls:
    """Owns a task for each call. One that fails takes no other down.

    Leaving its block ends them all.
    """

    def __init__(
        self,
        *,
        new_caller: Callable[[], Caller],
        serve_call: Callable[[Peer], Awaitable[None]],
        limit: int,
        limit_per_address: int,
    ) -> None:
        self._new_caller = new_caller
        self._serve_call = serve_call
        self._limit = limit
        self._limit_per_address = limit_per_address
        self._ringing: list[str] = []
        """The addresses of those whose offer is being answered."""

        self._calls: dict[str, _Call] = {}
        self._owner = asyncio.TaskGroup()
        self._going_on: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Calls:
        await self._owner.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        for task in self._going_on:
            task.cancel()
        await self._owner.__aexit__(None, None, None)
        for call in self._calls.values():
            await call.peer.close()  # its task was cancelled before it began

    def __len__(self) -> int:
        return len(self._calls) + len(self._ringing)

    @property
    def n_away(self) -> int:
        """How many wait for somebody whose line was lost."""
        return sum(call.away_since_s is not None for call in self._calls.values())

    async def begin(
        self, sdp: str, *first_requests: ClientEvent, address: str, again: Return | None = None
    ) -> tuple[str, str]:
        """The call's id and the SDP answer. Raises BusyError, TooManyError and ProtocolError.

        `again`: go on with the call that was lost, where it is still known.
        """
        for call_id, call in self._calls.items():
            if again and call.caller and hmac.compare_digest(call.caller.token, again.token):
                audit.resumed(call_id, address)
                answer = await call.caller.accept(sdp, last_event_id=again.last_event_id)
                return call_id, answer
        self.make_room(address)
        self._ringing.append(address)
        try:
            caller = self._new_caller()
            answer = await caller.accept(sdp)
        finally:
            self._ringing.remove(address)
        for request in first_requests:
            caller.request(request)
        call_id = new_id("rtc")
        self._calls[call_id] = call = _Call(peer=caller, address=address, caller=caller)
        task = self._owner.create_task(self._carry(call_id, call), name=call_id)
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)
        return call_id, answer

    async def join(self, peer: Carried, *, address: str) -> None:
        """Carry somebody who has connected already; until they are gone.

        Raises BusyError and TooManyError.
        """
        self.make_room(address)
        call_id = new_id("ws")
        self._calls[call_id] = call = _Call(peer=peer, address=address)
        await self._carry(call_id, call)

    def make_room(self, address: str) -> None:
        """For one more from there; whoever has been away longest makes way.

        Raises BusyError and TooManyError.
        """
        from_there = {
            call_id: call for call_id, call in self._calls.items() if call.address == address
        }
        if len(from_there) + self._ringing.count(address) >= self._limit_per_address:
            if not self._drop_longest_away(from_there):
                raise TooManyError(
                    f"{self._limit_per_address} calls from one address are enough. End one first."
                )
        elif len(self) >= self._limit and not self._drop_longest_away(self._calls):
            raise BusyError(
                f"All {self._limit} lines are busy. Try again when somebody has finished."
            )

    def _drop_longest_away(self, calls: Mapping[str, _Call]) -> bool:
        """False where nobody is away."""
        away = [
            (call.away_since_s, call_id)
            for call_id, call in calls.items()
            if call.away_since_s is not None
        ]
        if not away:
            return False
        _, call_id = min(away)
        self._calls.pop(call_id).peer.hang_up()
        return True

    def hang_up(self, call_id: str) -> bool:
        """False where there is no such call."""
        call = self._calls.get(call_id)
        if call is not None:
            call.peer.hang_up()
        return call is not None

    async def _carry(self, call_id: str, call: _Call) -> None:
        audit.call.set(call_id)
        audit.begun(call_id, call.address)
        try:
            async with asyncio.TaskGroup() as tasks:
                media = tasks.create_task(call.peer.run())
                # Ends by itself when the peer is gone, since the microphone ends then.
                await self._serve_call(call.peer)
                media.cancel()
        except Exception:
            logger.exception("%s failed", call_id)
        finally:
            await call.peer.close()
            self._calls.pop(call_id, None)
            audit.ended(call_id)
