"""The network benchmark's own client and receivers, against a real server without models."""

from __future__ import annotations

import asyncio
from pathlib import Path

from assistant.bench.caller import Caller
from assistant.bench.receiving import CLEAN, delay_ms
from assistant.bench.relay import Relay
from assistant.config import Config
from tests.integration.test_serving import Site


async def test_a_caller_is_heard_and_comes_back_after_a_blackout(tmp_path: Path) -> None:
    site = Site(tmp_path)
    async with site.open() as url, Relay() as relay, Caller(url, relay) as caller:
        await caller.until(lambda: sum(site.n_frames) > 10)
        relay.is_dark = True
        await asyncio.sleep(6)
        relay.is_dark = False
        await caller.wait_for("assistant.resume", 2, patience_s=20)
        assert len(site.n_frames) == 1, "the conversation is the same"
    assert site.n_over == 1


async def test_who_vanishes_is_missed_later(tmp_path: Path) -> None:
    site = Site(tmp_path)
    async with site.open() as url, Relay() as relay:
        caller = Caller(url, relay)
        await caller.__aenter__()
        await caller.until(lambda: sum(site.n_frames) > 0)
        await caller.vanish()
        assert site.n_over == 0


async def test_our_receiver_waits_less_than_the_stock_one() -> None:
    ours = await delay_ms(Config(), CLEAN, is_stock=False, seconds=3)
    stock = await delay_ms(Config(), CLEAN, is_stock=True, seconds=3)
    assert ours < stock
