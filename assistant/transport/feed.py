"""A bounded queue from callbacks to one reader, which can come to an end."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """Iterate over it to read; what was put before the end is still read after it."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: deque[T] = deque()
        self._has_ended = False
        self._changed = asyncio.Event()
        self._was_read = asyncio.Event()

    def put(self, item: T) -> bool:
        """False, and nothing is added, where the feed is full or has ended."""
        if self._has_ended or len(self._items) >= self._limit:
            return False
        self._items.append(item)
        self._changed.set()
        return True

    async def put_in_time(self, item: T) -> None:
        """Add `item` as soon as there is room for it; after the end it is dropped."""
        while not self.put(item) and not self._has_ended:
            self._was_read.clear()
            await self._was_read.wait()

    def put_newest(self, item: T) -> None:
        """Add `item`; where the feed is full the oldest one is dropped."""
        if len(self._items) >= self._limit:
            self._items.popleft()
        self.put(item)

    def end(self) -> None:
        """Nothing more will come. May be called twice."""
        self._has_ended = True
        self._changed.set()
        self._was_read.set()

    def __aiter__(self) -> Feed[T]:
        return self

    async def __anext__(self) -> T:
        while not self._items:
            if self._has_ended:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        self._was_read.set()
        return self._items.popleft()
