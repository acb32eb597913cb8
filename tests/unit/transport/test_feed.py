"""The queue between callbacks and one reader."""

from __future__ import annotations

import asyncio

from assistant.transport.feed import Feed


async def test_what_was_put_before_the_end_is_still_read() -> None:
    feed: Feed[int] = Feed(10)
    feed.put(1)
    feed.put(2)
    feed.end()
    assert [item async for item in feed] == [1, 2]
    assert [item async for item in feed] == []


async def test_a_waiting_reader_gets_the_next_item_and_the_end() -> None:
    feed: Feed[int] = Feed(10)
    seen: list[int] = []

    async def read() -> None:
        async for item in feed:
            seen.append(item)  # noqa: PERF401

    reading = asyncio.create_task(read())
    await asyncio.sleep(0)
    feed.put(1)
    await asyncio.sleep(0)
    assert seen == [1]
    feed.end()
    feed.end()
    await reading


async def test_a_full_feed_refuses_or_drops_the_oldest() -> None:
    feed: Feed[int] = Feed(2)
    assert feed.put(1)
    assert feed.put(2)
    assert not feed.put(3)
    feed.put_newest(4)
    feed.end()
    assert [item async for item in feed] == [2, 4]
    assert not feed.put(5)


async def test_who_puts_in_time_waits_for_room() -> None:
    feed: Feed[int] = Feed(1)
    await feed.put_in_time(1)
    putting = asyncio.create_task(feed.put_in_time(2))
    await asyncio.sleep(0)
    assert not putting.done()
    assert await anext(feed) == 1
    await putting
    assert await anext(feed) == 2


async def test_nobody_waits_for_room_after_the_end() -> None:
    feed: Feed[int] = Feed(1)
    feed.put(1)
    putting = asyncio.create_task(feed.put_in_time(2))
    await asyncio.sleep(0)
    feed.end()
    await putting
    assert [item async for item in feed] == [1]
