"""The calls that are going on: who is talking, and how a call begins and ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from assistant.errors import BusyError
from assistant.stages import Peer
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
    """A peer that has just called: answer it first."""

    async def accept(self, sdp: str) -> str: ...

    def request(self, event: ClientEvent) -> None: ...


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
    ) -> None:
        self._new_caller = new_caller
        self._serve_call = serve_call
        self._limit = limit
        self._n_ringing = 0
        """Calls whose offer is being answered."""

        self._callers: dict[str, Carried] = {}
        self._owner = asyncio.TaskGroup()
        self._going_on: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Calls:
        await self._owner.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        for task in self._going_on:
            task.cancel()
        await self._owner.__aexit__(None, None, None)
        for caller in self._callers.values():
            await caller.close()  # its task was cancelled before it began

    def __len__(self) -> int:
        return len(self._callers) + self._n_ringing

    async def begin(self, sdp: str, *first_requests: ClientEvent) -> tuple[str, str]:
        """The new call's id and the SDP answer. Raises BusyError and ProtocolError."""
        self.check_free()
        self._n_ringing += 1
        try:
            caller = self._new_caller()
            answer = await caller.accept(sdp)
        finally:
            self._n_ringing -= 1
        for request in first_requests:
            caller.request(request)
        call_id = new_id("rtc")
        self._callers[call_id] = caller
        task = self._owner.create_task(self._carry(call_id, caller), name=call_id)
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)
        return call_id, answer

    async def join(self, caller: Carried) -> None:
        """Carry somebody who has connected already; until they are gone. Raises BusyError."""
        self.check_free()
        call_id = new_id("ws")
        self._callers[call_id] = caller
        await self._carry(call_id, caller)

    def check_free(self) -> None:
        """Raises BusyError when there is no room for one more."""
        if len(self) >= self._limit:
            raise BusyError(
                f"All {self._limit} lines are busy. Try again when somebody has finished."
            )

    def hang_up(self, call_id: str) -> bool:
        """False where there is no such call."""
        caller = self._callers.get(call_id)
        if caller is not None:
            caller.hang_up()
        return caller is not None

    async def _carry(self, call_id: str, caller: Carried) -> None:
        logger.info("%s begins", call_id)
        try:
            async with asyncio.TaskGroup() as tasks:
                media = tasks.create_task(caller.run())
                # Ends by itself when the peer is gone, since the microphone ends then.
                await self._serve_call(caller)
                media.cancel()
        except Exception:
            logger.exception("%s failed", call_id)
        finally:
            await caller.close()
            del self._callers[call_id]
            logger.info("%s is over", call_id)
