"""Work that is begun before it is certain."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Ahead:
    """The one piece of work that is begun before it is certain, and may be thrown away."""

    def __init__(self) -> None:
        self._of: str | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Ahead:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.discard()

    async def begin(self, of: str, work: Coroutine[Any, Any, None]) -> None:
        """Begin `work`, which follows from `of`; what was begun before is stopped first."""
        try:
            await self.discard()
        except BaseException:
            work.close()
            raise
        self._of, self._task = of, asyncio.create_task(work, name="ahead")

    def is_of(self, what: str) -> bool:
        return self._of == what

    async def finish(self) -> None:
        """Wait for the work. Raises what it raised."""
        if self._task is not None:
            await self._task

    async def discard(self) -> None:
        """Return when the work has stopped; what it raises no longer matters."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            if not self._task.cancelled() and (error := self._task.exception()):
                logger.debug("discarded work had failed", exc_info=error)
        self._of = self._task = None
