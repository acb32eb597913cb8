"""Calls begin, end and fail without disturbing each other."""

from __future__ import annotations

import asyncio
import logging

import pytest

from assistant.errors import BusyError, ProtocolError, TooManyError
from assistant.stages import Peer
from assistant.transport.calls import Calls, Return
from assistant.transport.settings import SessionUpdate
from tests.fakes import settle
from tests.unit.transport.fake_caller import FakeCaller

HERE, THERE = "192.0.2.1", "192.0.2.2"


class Telephone:
    """Calls with fake callers, which are kept."""

    def __init__(self, *, limit: int = 2, limit_per_address: int = 9) -> None:
        self.callers: list[FakeCaller] = []
        self.fails = False
        self.calls = Calls(
            new_caller=self._new,
            serve_call=self._serve,
            limit=limit,
            limit_per_address=limit_per_address,
        )

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
        call_id, answer = await calls.begin("offer", address=HERE)
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
        await calls.begin("offer", SessionUpdate(instructions="Be brief."), address=HERE)
    assert telephone.callers[0].requests == [SessionUpdate(instructions="Be brief.")]


async def test_one_too_many_is_told_that_it_is_busy_until_a_line_is_free() -> None:
    telephone = Telephone(limit=2)
    async with telephone.calls as calls:
        call_id, _ = await calls.begin("offer", address=HERE)
        await calls.begin("offer", address=HERE)
        with pytest.raises(BusyError, match="All 2 lines are busy"):
            await calls.begin("offer", address=HERE)
        calls.hang_up(call_id)
        await is_over(telephone, n_left=1)
        await calls.begin("offer", address=HERE)


async def test_a_refused_offer_takes_no_line() -> None:
    telephone = Telephone(limit=1)
    async with telephone.calls as calls:
        for _ in range(3):
            with pytest.raises(ProtocolError):
                await calls.begin("bad", address=HERE)
        await calls.begin("offer", address=HERE)


async def test_a_call_that_fails_is_logged_and_takes_no_other_down(
    caplog: pytest.LogCaptureFixture,
) -> None:
    telephone = Telephone()
    async with telephone.calls as calls:
        await calls.begin("offer", address=HERE)
        await asyncio.sleep(0)
        telephone.fails = True
        call_id, _ = await calls.begin("offer", address=HERE)
        await is_over(telephone, n_left=1)
    failures = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert [record.getMessage() for record in failures] == [f"{call_id} failed"]
    assert telephone.callers[1].is_closed


async def test_leaving_the_block_ends_all_calls() -> None:
    telephone = Telephone()
    async with telephone.calls as calls:
        await calls.begin("offer", address=HERE)
        await asyncio.sleep(0)
        await calls.begin("offer", address=HERE)  # has not begun to run
    assert [caller.is_closed for caller in telephone.callers] == [True, True]


async def test_who_calls_again_goes_on_with_the_same_call() -> None:
    telephone = Telephone(limit=1)
    async with telephone.calls as calls:
        call_id, _ = await calls.begin("offer", address=HERE)
        (caller,) = telephone.callers
        again = Return(token=caller.token, last_event_id="event_7")
        assert await calls.begin("second", address=THERE, again=again) == (
            call_id,
            "answer to second",
        )
        assert len(telephone.callers) == len(calls) == 1
        assert caller.last_event_ids == [None, "event_7"]


async def test_who_is_no_longer_known_begins_anew() -> None:
    telephone = Telephone()
    async with telephone.calls as calls:
        await calls.begin("offer", address=HERE)
        await calls.begin("offer", address=HERE, again=Return(token="wrong"))
        assert len(telephone.callers) == 2


async def test_whoever_has_been_away_longest_makes_way() -> None:
    telephone = Telephone(limit=3)
    async with telephone.calls as calls:
        for away_since_s in (20.0, 10.0, None):
            await calls.begin("offer", address=HERE)
            telephone.callers[-1].away_since_s = away_since_s
        assert calls.n_away == 2
        await calls.begin("offer", address=HERE)
        await settle()
        assert [caller.is_closed for caller in telephone.callers] == [False, True, False, False]
        await calls.begin("offer", address=HERE)
        with pytest.raises(BusyError):
            await calls.begin("offer", address=HERE)


async def test_one_address_does_not_take_all_lines() -> None:
    telephone = Telephone(limit=5, limit_per_address=2)
    async with telephone.calls as calls:
        for _ in "12":
            await calls.begin("offer", address=HERE)
        with pytest.raises(TooManyError):
            await calls.begin("offer", address=HERE)
        await calls.begin("offer", address=THERE)
        telephone.callers[0].away_since_s = 1.0
        await calls.begin("offer", address=HERE)
        await settle()
        assert telephone.callers[0].is_closed
