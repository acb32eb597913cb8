"""A stream that falls silent has failed, even if it never says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

T = TypeVar("T")


async def impatient(
    items: AsyncIterator[T], *, limit_ms: float, error: Exception
) -> AsyncIterator[T]:
    """Pass `items` on. Raises `error` when nothing comes for `limit_ms`, the end included.

    Only the time spent waiting counts: a slow reader is no fault of the stream's.
    """
    while True:
        try:
            async with asyncio.timeout(limit_ms / 1_000):
                item = await anext(items)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise error from None
        yield item
