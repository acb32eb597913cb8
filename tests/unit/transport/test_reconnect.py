"""A line is lost and made anew, between two real WebRTC ends with a relay in between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest

from assistant.bench.relay import Conditions, Relay
from assistant.config import ServerConfig
from assistant.events import State, StateChanged, StopTalking
from assistant.transport import line as line_module
from assistant.transport import peer as peer_module
from assistant.transport.peer import WebRtcPeer
from assistant.transport.translator import Translator
from tests.unit.transport.webrtc_client import Sight, Tone, WebRtcClient


class Visit:
    """A peer, and the client that calls it again and again."""

    def __init__(self, relay: Relay) -> None:
        self.tone = Tone(1_000)
        self.peer = WebRtcPeer(
            playout=self.tone,
            camera=Sight(),
            translator=Translator(model="m", voice="v", instructions="i", max_reply_tokens=10),
            config=ServerConfig(),
        )
        self._relay = relay

    @asynccontextmanager
    async def call(self, last_event_id: str | None = None) -> AsyncIterator[WebRtcClient]:
        async with WebRtcClient() as client, asyncio.timeout(30):
            link = await self._relay.link()
            offer = link.hide(await client.offer())
            answer = await self.peer.accept(offer, last_event_id=last_event_id)
            await client.take(link.through(answer))
            await client.is_open()
            pinging = asyncio.create_task(ping(client))
            yield client
            pinging.cancel()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        running = asyncio.create_task(self.peer.run())
        yield
        self.peer.hang_up()
        async with asyncio.timeout(10):
            await running

    async def hears(self, n_frames: int = 5) -> None:
        """The microphone's sound comes through."""
        async with asyncio.timeout(10):
            async for _ in self.peer.microphone():
                n_frames -= 1
                if not n_frames:
                    return

    async def is_away(self) -> None:
        await until(lambda: self.peer.away_since_s is not None)


async def ping(client: WebRtcClient) -> None:
    while True:
        with suppress(Exception):
            client.send({"type": "assistant.ping", "sent_at_ms": 0})
        await asyncio.sleep(0.2)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while not is_so():  # noqa: ASYNC110 - nobody announces it
            await asyncio.sleep(0.01)


@pytest.fixture
async def relay() -> AsyncIterator[Relay]:
    async with Relay() as relay:
        yield relay


async def test_a_dead_line_is_noticed_within_five_seconds(relay: Relay) -> None:
    visit = Visit(relay)
    async with visit.call(), visit.running():
        await visit.hears()
        relay.is_dark = True
        died_at_s = time.monotonic()
        await visit.is_away()
        assert time.monotonic() - died_at_s < 5


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_module, "LOST_AFTER_S", 1.0)


@pytest.mark.usefixtures("quick")
async def test_five_times_in_a_row_the_session_never_notices(relay: Relay) -> None:
    visit = Visit(relay)
    async with AsyncExitStack() as lines:
        client = await lines.enter_async_context(visit.call())
        await lines.enter_async_context(visit.running())
        session = (await client.next_event("session.created"))["session"]["id"]
        token = (await client.next_event("assistant.resume"))["token"]
        await visit.hears()
        for _ in range(5):
            relay.is_dark = True
            await visit.is_away()
            relay.is_dark = False
            client = await lines.enter_async_context(visit.call())
            created = await client.next_event("session.created")
            assert created["session"]["id"] == session
            assert (await client.next_event("assistant.resume"))["token"] == token
            await visit.hears(150)  # more than may have waited
            await client.hears()


@pytest.mark.usefixtures("quick")
async def test_what_was_told_meanwhile_is_told_once(relay: Relay) -> None:
    visit = Visit(relay)

    def tell(state: State) -> None:
        visit.peer.send(StateChanged(state=state))

    async with visit.call() as client, visit.running():
        tell(State.THINKING)
        last = await client.next_event("assistant.state")
        relay.is_dark = True
        tell(State.SPEAKING)  # on its way when the line dies
        await visit.is_away()
        tell(State.LISTENING)
        relay.is_dark = False
        async with visit.call(last["event_id"]) as client:
            tell(State.THINKING)
            states = [(await client.next_event("assistant.state"))["state"] for _ in range(3)]
    assert states == ["speaking", "listening", "thinking"]


@pytest.mark.usefixtures("quick")
async def test_a_client_is_told_which_of_its_requests_came_through(relay: Relay) -> None:
    visit = Visit(relay)
    async with visit.call() as client, visit.running():
        assert (await client.next_event("assistant.resume"))["last_event_id"] is None
        client.send({"type": "response.cancel", "event_id": "mine_1"})
        await until(lambda: visit.peer._last_request_id is not None)
        relay.is_dark = True
        client.send({"type": "response.cancel", "event_id": "mine_2"})
        await visit.is_away()
        relay.is_dark = False
        async with visit.call() as client:
            assert (await client.next_event("assistant.resume"))["last_event_id"] == "mine_1"


@pytest.mark.usefixtures("quick")
async def test_what_was_said_into_the_void_is_said_again(relay: Relay) -> None:
    visit = Visit(relay)
    async with visit.call(), visit.running():
        await visit.hears()
        relay.is_dark = True
        died_at_s = time.monotonic()
        await visit.is_away()
        relay.is_dark = False
        pulled = visit.tone.n_pulled
        await asyncio.sleep(0.2)
        assert visit.tone.n_pulled == pulled  # nobody listens, so nothing is said
        async with visit.call():
            assert visit.tone.rewound_to_s == pytest.approx(died_at_s, abs=0.3)


async def test_a_short_blackout_is_outlived_and_what_was_said_in_it_is_said_again(
    relay: Relay,
) -> None:
    visit = Visit(relay)
    async with visit.call(), visit.running():
        await visit.hears()
        relay.is_dark = True
        died_at_s = time.monotonic()
        await asyncio.sleep(1)
        relay.is_dark = False
        await until(lambda: visit.tone.rewound_to_s is not None)
        assert visit.tone.rewound_to_s == pytest.approx(died_at_s, abs=0.3)
        assert visit.peer.away_since_s is None


async def test_lost_packets_are_no_blackout(relay: Relay) -> None:
    visit = Visit(relay)
    async with visit.call(), visit.running():
        await visit.hears()
        relay.up = relay.down = Conditions(loss=0.2)
        await asyncio.sleep(2)
        assert visit.tone.rewound_to_s is None


async def test_a_duplicate_takes_over(relay: Relay) -> None:
    visit = Visit(relay)
    async with visit.call() as older, visit.running():
        await visit.hears()
        async with visit.call() as newer:
            await until(lambda: older.connection.connectionState == "closed")
            await visit.hears(150)
            assert newer.connection.connectionState == "connected"
            assert visit.peer.away_since_s is None


async def test_who_hangs_up_does_not_come_back(relay: Relay) -> None:
    visit = Visit(relay)
    async with visit.call() as client:
        running = asyncio.create_task(visit.peer.run())
        await visit.hears()
        await client.connection.close()
        await running
    assert visit.peer.away_since_s is None


@pytest.mark.usefixtures("quick")
async def test_a_reply_does_not_wait_as_long_as_the_conversation(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_module, "REPLY_KEPT_S", 0.1)
    monkeypatch.setattr(peer_module, "KEPT_S", 0.5)
    visit = Visit(relay)
    async with visit.call():
        running = asyncio.create_task(visit.peer.run())
        await visit.hears()
        relay.is_dark = True
        await running
    assert [command async for command in visit.peer.commands()] == [StopTalking()]


async def test_an_offer_that_cannot_be_used_costs_no_line(relay: Relay) -> None:
    visit = Visit(relay)
    async with visit.call(), visit.running():
        with pytest.raises(Exception, match="must be an SDP offer"):
            await visit.peer.accept("hello")
        await visit.hears(150)
