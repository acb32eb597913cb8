"""Two real WebRTC ends in one process: sound, pictures, events, and what is left afterwards."""

from __future__ import annotations

import asyncio
import base64
import gc
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from assistant.config import ServerConfig
from assistant.errors import ProtocolError
from assistant.events import (
    AddItem,
    Configure,
    Mute,
    SayText,
    State,
    StateChanged,
    StopTalking,
)
from assistant.transport import line as line_module
from assistant.transport import peer as peer_module
from assistant.transport.peer import WebRtcPeer
from assistant.transport.translator import Translator
from assistant.types import AudioFrame, Pcm, Role
from tests.unit.transport.test_pictures import JPEG
from tests.unit.transport.webrtc_client import Sight, Tone, WebRtcClient, main_frequency_hz


def new_peer(*, tone_hz: float = 1_000) -> WebRtcPeer:
    translator = Translator(model="m", voice="v", instructions="i", max_reply_tokens=10)
    return WebRtcPeer(
        playout=Tone(tone_hz), camera=Sight(), translator=translator, config=ServerConfig()
    )


@asynccontextmanager
async def connected(
    peer: WebRtcPeer, client: WebRtcClient | None = None
) -> AsyncIterator[WebRtcClient]:
    """The client of `peer`, whose `run` has come to its end when the block is left."""
    async with client or WebRtcClient() as client, asyncio.timeout(20):
        await client.take(await peer.accept(await client.offer()))
        running = asyncio.create_task(peer.run())
        await client.is_open()
        yield client
        peer.hang_up()
        await running


async def listen(peer: WebRtcPeer, n_frames: int) -> list[AudioFrame]:
    frames: list[AudioFrame] = []
    async for frame in peer.microphone():
        frames.append(frame)
        if len(frames) == n_frames:
            break
    return frames


def settled(samples: list[Pcm]) -> Pcm:
    """Without the first moments, in which a codec finds its way."""
    return np.concatenate(samples[10:])


async def test_sound_goes_both_ways() -> None:
    peer = new_peer(tone_hz=1_000)
    async with connected(peer, WebRtcClient(tone_hz=440)) as client:
        frames = await listen(peer, 60)
        heard_here = settled([frame.samples for frame in frames])
        heard_there = settled(client.heard)
    assert main_frequency_hz(heard_here, 16_000) == pytest.approx(440, abs=5)
    assert main_frequency_hz(heard_there, 48_000) == pytest.approx(1_000, abs=5)
    assert np.abs(heard_there).max() == pytest.approx(8_000, rel=0.1)
    assert {(frame.sample_rate_hz, frame.samples.shape) for frame in frames} == {(16_000, (320,))}
    stamps = [frame.captured_at_s for frame in frames]
    assert stamps == sorted(stamps)


async def test_the_camera_is_shown_what_the_client_sends() -> None:
    peer = new_peer()
    async with connected(peer, WebRtcClient(has_camera=True)):
        assert isinstance(peer.camera, Sight)
        await peer.camera.was_shown.wait()
    red, green, blue = peer.camera.frames[0].pixels.mean(axis=(0, 1))
    assert red > 180
    assert max(green, blue) < 20


async def test_a_session_is_greeted_first_and_then_told_what_happened_before() -> None:
    peer = new_peer()
    peer.send(StateChanged(state=State.LISTENING))
    async with connected(peer) as client:
        kinds = [(await client.events.get())["type"] for _ in range(4)]
    assert kinds == ["session.created", "assistant.voices", "assistant.resume", "assistant.state"]


async def test_requests_become_commands_and_mistakes_become_errors() -> None:
    peer = new_peer()
    image = "data:image/jpeg;base64," + base64.b64encode(JPEG).decode()
    content = [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": image},
    ]
    async with connected(peer) as client:
        client.channel.send("{")
        client.channel.send(b"{}")
        client.send({"type": "response.destroy", "event_id": "mine"})
        client.send({"type": "assistant.mute", "muted": True})
        client.send(
            {
                "type": "conversation.item.create",
                "item": {"type": "message", "role": "user", "content": content},
            }
        )
        client.send({"type": "response.create"})
        client.send({"type": "response.cancel"})
        commands = peer.commands()
        mute, add, say, stop = [await anext(commands) for _ in range(4)]
        errors = [(await client.next_event("error"))["error"] for _ in range(3)]
        assert (await client.next_event("conversation.item.added"))["item"]["role"] == "user"
    assert mute == Mute(muted=True)
    assert isinstance(add, AddItem)
    assert (add.text, add.role) == ("What is this?", Role.USER)
    assert add.image is not None
    assert add.image.pixels.shape == (16, 32, 3)
    assert say == SayText(wanted=Configure())
    assert stop == StopTalking()
    assert [error["code"] for error in errors] == ["invalid_json", "invalid_json", "invalid_value"]
    assert errors[2]["event_id"] == "mine"


async def test_a_ping_is_answered_although_nobody_reads_commands() -> None:
    peer = new_peer()
    async with connected(peer) as client:
        client.send({"type": "assistant.ping", "sent_at_ms": 5})
        pong = await client.next_event("assistant.pong")
    assert pong["sent_at_ms"] == 5
    assert pong["server_at_ms"] > 0


async def test_a_client_that_is_too_fast_is_told_what_was_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(peer_module, "WAITING_EVENTS", 2)
    peer = new_peer()
    async with connected(peer) as client:
        for number in range(3):
            client.send({"type": "response.cancel", "event_id": f"event_{number}"})
        error = (await client.next_event("error"))["error"]
    assert (error["code"], error["event_id"]) == ("too_fast", "event_2")


async def test_ten_megabytes_on_the_data_channel_stay_at_the_client() -> None:
    peer = new_peer()
    async with connected(peer) as client:
        with pytest.raises(ValueError, match="only supports messages up to 262144 bytes"):
            client.channel.send("x" * 10_000_000)
        client.send({"type": "assistant.ping", "sent_at_ms": 5})
        await client.next_event("assistant.pong")


async def test_who_sends_ten_megabytes_all_the_same_is_told_and_hung_up_on() -> None:
    peer = new_peer()
    async with connected(peer) as client:
        assert client.connection.sctp is not None
        client.connection.sctp._remote_max_message_size = 0
        client.channel.send("x" * 10_000_000)
        error = (await client.next_event("error"))["error"]
        async for _ in peer.microphone():
            pass
    assert error["code"] == "message_too_large"


async def test_the_microphone_and_the_commands_end_when_the_client_hangs_up() -> None:
    peer = new_peer()
    async with connected(peer) as client:
        await listen(peer, 1)
        await client.connection.close()
        async for _ in peer.microphone():
            pass
        assert [command async for command in peer.commands()] == []
    peer.send(StateChanged(state=State.LISTENING))  # dropped


async def test_a_client_that_never_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_module, "GONE_AFTER_S", 1)
    monkeypatch.setattr(peer_module, "KEPT_S", 0)
    monkeypatch.setattr(peer_module, "REPLY_KEPT_S", 0)
    peer = new_peer()
    async with WebRtcClient() as client:
        await peer.accept(await client.offer())
        async with asyncio.timeout(20):
            await peer.run()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda sdp: "hello",
        lambda sdp: sdp.replace("opus", "oups"),
        lambda sdp: sdp.replace("a=ice-ufrag", "a=ice-gone"),
        lambda sdp: sdp.replace("a=fingerprint", "a=gone"),
        lambda sdp: sdp.replace("a=setup", "a=gone"),
        lambda sdp: sdp.replace("a=rtpmap:96", "a=rtpmap:many"),
        lambda sdp: sdp.replace("typ host", ""),
        lambda sdp: sdp.replace("a=mid:0", "a=mid:7"),
        lambda sdp: sdp[: len(sdp) // 3],
    ],
)
async def test_a_spoilt_offer_is_refused_in_a_sentence(spoil: object) -> None:
    assert callable(spoil)
    async with WebRtcClient() as client:
        with pytest.raises(ProtocolError) as raised:
            await new_peer().accept(spoil(await client.offer()))
    assert raised.value.code == "invalid_offer"
    assert str(raised.value).endswith(".")


async def test_closing_that_is_interrupted_can_be_done_again() -> None:
    peer = new_peer()
    async with connected(peer):
        closing = asyncio.create_task(peer.close())
        await asyncio.sleep(0)
        closing.cancel()
        await peer.close()


async def test_two_at_once_hear_their_own_answers() -> None:
    peers = [new_peer(tone_hz=hz) for hz in (600, 1_400)]
    async with connected(peers[0]) as one, connected(peers[1]) as other:
        await asyncio.gather(*[listen(peer, 60) for peer in peers])
        heard = [main_frequency_hz(settled(client.heard), 48_000) for client in (one, other)]
    assert heard == pytest.approx([600, 1_400], abs=5)


async def test_nothing_is_left_of_a_call() -> None:
    async def call() -> None:
        peer = new_peer()
        async with connected(peer, WebRtcClient(has_camera=True)):
            await listen(peer, 5)

    await call()  # what the first call sets up for good: the executor's threads
    before = await traces()
    for _ in range(3):
        await call()
    assert await traces() == before


async def traces() -> tuple[set[str], list[str], int]:
    """Tasks, threads and open files, once what is ending has ended."""
    for _ in range(20):
        await asyncio.sleep(0.01)
    gc.collect()
    tasks = {repr(task.get_coro()) for task in asyncio.all_tasks() - {asyncio.current_task()}}
    threads = sorted(t.name for t in threading.enumerate() if not t.name.startswith("asyncio_"))
    return tasks, threads, len(os.listdir("/proc/self/fd"))
