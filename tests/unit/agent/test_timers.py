"""Timers say when they are over."""

from __future__ import annotations

import asyncio

import pytest

from assistant.agent.timers import MOST, Timers


async def test_timer_is_told_when_it_is_over() -> None:
    timers = Timers()
    assert "tea" in timers.set_timer(0.01, "tea")
    async for words in timers.notices():
        assert words == "Your timer is over: tea."
        break
    assert timers.list_timers() == "no timer is running"


async def test_timers_are_listed_and_cancelled() -> None:
    timers = Timers(lambda: "zh")
    timers.set_timer(300)
    timers.set_timer(3_720, "cake")
    assert timers.list_timers() == "5 minutes: 5 minutes left; cake: 1 hour 2 minutes left"
    assert timers.cancel_timer("Cake") == "cancelled: cake"
    with pytest.raises(ValueError, match="no timer cake"):
        timers.cancel_timer("cake")
    assert timers.cancel_timer() == "cancelled: 5 minutes"
    timers.set_timer(0.001, "蛋")
    notices = timers.notices()
    assert await anext(notices) == "时间到：蛋。"


async def test_timers_end_with_whoever_reads_of_them() -> None:
    timers = Timers()
    timers.set_timer(60, "tea")
    reading = asyncio.ensure_future(anext(timers.notices()))
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait([reading])
    assert timers.list_timers() == "no timer is running"


async def test_there_are_limits() -> None:
    timers = Timers()
    for seconds in (0, -1, 1e9, float("nan")):
        with pytest.raises(ValueError, match="a day"):
            timers.set_timer(seconds)
    for n in range(MOST):
        timers.set_timer(60, f"n{n}")
    with pytest.raises(ValueError, match="too many"):
        timers.set_timer(60, "one more")
    timers.clear()
    await asyncio.sleep(0)
    assert timers.list_timers() == "no timer is running"
