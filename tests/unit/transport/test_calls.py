"""Calls begin, end and fail without disturbing each other."""

from __future__ import annotations

import asyncio
import logging

import pytest

from assistant.errors import BusyError, ProtocolError
from assistant.stages import Peer
from assistant.transport.calls import Calls
from assistant.transport.settings import SessionUpdate
from tests.unit.transport.fake_caller import FakeCaller


class Telephone:
    """Calls with fake callers, which are kept."""

    def __init__(self, *, limit: int = 2) -> None:
        self.callers: list[FakeCaller] = []
        self.fails = False
        self.calls = Calls(new_caller=self._new, serve_call=self._serve, limit=limit)

    def _new(self) -> FakeCaller:
        self.callers.append(FakeCaller())
        return self.callers[-1]

    async def _serve(self, peer: Peer) -> None:
        if self.fails:
            raise ValueError("a bug")
        async for _ in peer.microphone():
            pass


async def is_over(telephone: Telephone, *, n_left: int = 0) -> None:
    async with asyncio.timeout(5):
        while len(telephone.calls) > n_left:  # noqa: ASYNC110 - nobody announces it
            await asyncio.sleep(0)


async def test_a_call_goes_on_until_somebody_hangs_up() -> None:
    telephone = Telephone()
    async with telephone.calls as calls:
        call_id, answer = await calls.begin("offer")
        assert answer == "answer to offer"
        assert call_id.startswith("rtc_")
        assert len(calls) == 1
        assert calls.hang_up(call_id)
        await is_over(telephone)
        assert telephone.callers[0].is_closed
        assert not calls.hang_up(call_id)


async def test_settings_that_come_with_the_offer_are_the_first_request() -> None:
    telephone = Telephone()
    async with telephone.calls as calls:
        await calls.begin("offer", SessionUpdate(instructions="Be brief."))
    assert telephone.callers[0].requests == [SessionUpdate(instructions="Be brief.")]


async def test_one_too_many_is_told_that_it_is_busy_until_a_line_is_free() -> None:
    telephone = Telephone(limit=2)
    async with telephone.calls as calls:
        call_id, _ = await calls.begin("offer")
        await calls.begin("offer")
        with pytest.raises(BusyError, match="All 2 lines are busy"):
            await calls.begin("offer")
        calls.hang_up(call_id)
        await is_over(telephone, n_left=1)
        await calls.begin("offer")


async def test_a_refused_offer_takes_no_line() -> None:
    telephone = Telephone(limit=1)
    async with telephone.calls as calls:
        for _ in range(3):
            with pytest.raises(ProtocolError):
                await calls.begin("bad")
        await calls.begin("offer")


async def test_a_call_that_fails_is_logged_and_takes_no_other_down(
    caplog: pytest.LogCaptureFixture,
) -> None:
    telephone = Telephone()
    async with telephone.calls as calls:
        await calls.begin("offer")
        await asyncio.sleep(0)
        telephone.fails = True
        call_id, _ = await calls.begin("offer")
        await is_over(telephone, n_left=1)
    failures = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert [record.getMessage() for record in failures] == [f"{call_id} failed"]
    assert telephone.callers[1].is_closed


async def test_leaving_the_block_ends_all_calls() -> None:
    telephone = Telephone()
    async with telephone.calls as calls:
        await calls.begin("offer")
        await asyncio.sleep(0)
        await calls.begin("offer")  # has not begun to run
    assert [caller.is_closed for caller in telephone.callers] == [True, True]
