"""Events and sound over one line: what is heard, what is sent and when, and how it ends."""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

import numpy as np
import pytest

from assistant.events import (
    AddItem,
    Configure,
    ForgetSpeech,
    Mute,
    PushToTalk,
    ReplyEnded,
    ReplyStarted,
    ReplyStatus,
    ReplyWords,
    State,
    StateChanged,
    TurnDetection,
)
from assistant.speaker import Playout, ReplySpeaker
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.settings import SessionUpdate
from assistant.transport.websocket_peer import CHUNK_S, LEAD_S, TRY_AGAIN_LATER, WebSocketPeer
from assistant.types import AudioFrame, Pcm
from tests.fakes import sound
from tests.unit.transport.socket_client import SocketClient
from tests.unit.transport.webrtc_client import Tone, main_frequency_hz

EACH_FORMAT = pytest.mark.parametrize("audio_format", list(AudioFormat))


def formats(side: str, audio_format: AudioFormat) -> dict[str, Any]:
    return {"audio": {side: {"format": {"type": audio_format.value}}}}


async def listen(peer: WebSocketPeer, n_frames: int) -> list[AudioFrame]:
    frames: list[AudioFrame] = []
    async for frame in peer.microphone():
        frames.append(frame)
        if len(frames) == n_frames:
            break
    return frames


async def reply(playout: Playout, peer: WebSocketPeer, ms: float) -> ReplySpeaker:
    """Something begins to be said that takes `ms`."""
    peer.send(ReplyStarted(turn_id="turn_1"))
    speaker = playout.new_speaker(lambda text: peer.send(ReplyWords(turn_id="turn_1", text=text)))
    speaker.open()
    speaker.begin("Some words.")
    await speaker.play(sound(ms, level=8_000))
    return speaker


async def receive(client: SocketClient, audio_format: AudioFormat, within_s: float) -> list[Pcm]:
    """The sound of each message that comes within that time."""
    heard: list[Pcm] = []
    try:
        async with asyncio.timeout(within_s):
            while True:
                event = await client.next_event("response.output_audio.delta")
                heard.append(audio_format.decode(base64.b64decode(event["delta"])))
    except TimeoutError:
        return heard


@EACH_FORMAT
async def test_what_the_client_sends_is_heard_as_a_microphone(audio_format: AudioFormat) -> None:
    client = SocketClient()
    tone = Tone(440, audio_format.rate_hz)
    async with client.open() as peer:
        client.update(**formats("input", audio_format))
        for _ in range(30):
            client.say(tone.pull(audio_format.rate_hz // 25), audio_format)
        frames = await listen(peer, 59)
    samples = np.concatenate([frame.samples for frame in frames])
    assert {(len(f.samples), f.sample_rate_hz) for f in frames} == {(320, 16_000)}
    assert main_frequency_hz(samples, 16_000) == pytest.approx(440, abs=2)
    assert np.abs(samples).max() == pytest.approx(8_000, rel=0.05)
    stamps = [frame.captured_at_s for frame in frames]
    assert stamps == sorted(stamps)
    assert stamps[-1] <= time.monotonic()


@EACH_FORMAT
async def test_a_reply_is_sent_in_the_format_that_the_client_wants(
    audio_format: AudioFormat,
) -> None:
    playout = Playout(buffer_ms=12_000)
    client = SocketClient(playout)
    async with client.open() as peer:
        client.update(**formats("output", audio_format))
        await client.next_event("session.updated")
        await reply(playout, peer, 400)
        heard = np.concatenate(await receive(client, audio_format, 0.8))
    assert len(heard) == pytest.approx(0.4 * audio_format.rate_hz, abs=2)
    assert np.median(heard) == pytest.approx(8_000, rel=0.05)


async def test_sound_is_sent_a_little_ahead_of_its_time_and_no_more() -> None:
    playout = Playout(buffer_ms=12_000)
    client = SocketClient(playout)
    async with client.open() as peer:
        speaker = await reply(playout, peer, 5_000)
        heard = await receive(client, AudioFormat.PCM, 0.6)
        sent_s = sum(map(len, heard)) / 24_000
        assert sent_s + CHUNK_S >= 0.6
        assert len(heard[0]) == pytest.approx(24_000 * LEAD_S, abs=2)
        speaker.pause()
        await receive(client, AudioFormat.PCM, CHUNK_S)
        assert await receive(client, AudioFormat.PCM, 4 * CHUNK_S) == []
        speaker.resume()
        assert await receive(client, AudioFormat.PCM, 4 * CHUNK_S)


async def test_words_come_before_their_sound_and_the_end_after_it() -> None:
    playout = Playout(buffer_ms=12_000)
    client = SocketClient(playout)
    async with client.open() as peer:
        speaker = await reply(playout, peer, 200)
        await speaker.drained()
        ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.COMPLETED, heard="Some words.")
        peer.send(ended)
        kinds = list[str]()
        while kinds[-1:] != ["response.done"]:
            kinds.append((await client.events.get())["type"])
    wanted = [
        "response.created",
        "response.output_audio_transcript.delta",
        "response.output_audio.delta",
        "response.output_audio.done",
        "response.output_audio_transcript.done",
        "response.done",
    ]
    assert list(dict.fromkeys(kind for kind in kinds if kind in wanted)) == wanted


async def test_without_turn_detection_sound_waits_to_be_committed() -> None:
    client = SocketClient()
    off = {"audio": {"input": {"turn_detection": None}}}
    async with client.open() as peer:
        client.update(**off)
        client.say(np.full(2_400, 1_000, np.int16))
        client.say(np.full(2_400, 1_000, np.int16))
        client.send({"type": "input_audio_buffer.commit"})
        client.say(np.full(2_400, 1_000, np.int16))
        client.send({"type": "input_audio_buffer.clear"})
        client.send({"type": "input_audio_buffer.commit", "event_id": "nothing"})
        commands = peer.commands()
        configure, add, forget = [await anext(commands) for _ in range(3)]
        committed = await client.next_event("input_audio_buffer.committed")
        added = await client.next_event("conversation.item.added")
        await client.next_event("input_audio_buffer.cleared")
        error = (await client.next_event("error"))["error"]
    assert configure == Configure()
    assert isinstance(add, AddItem)
    assert add.sound is not None
    assert len(add.sound) == 3_200
    assert add.item_id == committed["item_id"] == added["item"]["id"]
    assert forget == ForgetSpeech()
    assert (error["code"], error["event_id"]) == ("input_audio_buffer_commit_empty", "nothing")


async def test_with_turn_detection_a_commit_ends_the_turn() -> None:
    client = SocketClient()
    vad = {"type": "server_vad", "silence_duration_ms": 300}
    async with client.open() as peer:
        client.update(audio={"input": {"turn_detection": vad}})
        client.send({"type": "input_audio_buffer.commit"})
        commands = peer.commands()
        wanted = TurnDetection(speech_starts_at=0.5, preroll_ms=300, silence_ms=300)
        assert await anext(commands) == Configure(turn_detection=wanted)
        assert await anext(commands) == PushToTalk(pressed=False)


async def test_who_sends_faster_than_anybody_reads_has_to_wait() -> None:
    client = SocketClient()
    async with client.open() as peer:
        client.say(np.zeros(24_000 * 3, np.int16))
        client.send({"type": "assistant.mute", "muted": True})
        frames = asyncio.create_task(listen(peer, 149))
        assert await anext(peer.commands()) == Mute(muted=True)
        assert len(await frames) == 149


async def test_what_a_session_starts_from_is_in_its_greeting() -> None:
    client = SocketClient()
    client.peer.configure(SessionUpdate(instructions="Be brief."))
    async with client.open() as peer:
        assert await anext(peer.commands()) == Configure(system_prompt="Be brief.")
        assert client.greeting["session"]["instructions"] == "Be brief."


async def test_mistakes_are_told_and_the_line_goes_on() -> None:
    client = SocketClient()
    async with client.open() as peer:
        client.send_text("{")
        client.send_bytes(b"{}")
        client.send({"type": "response.destroy", "event_id": "mine"})
        client.send({"type": "input_audio_buffer.append", "audio": "AAAA", "event_id": "odd"})
        client.send_text(" " * 70_000 + '{"type": "nothing"}')
        client.send({"type": "assistant.mute", "muted": False})
        assert await anext(peer.commands()) == Mute(muted=False)
        errors = [(await client.next_event("error"))["error"] for _ in range(5)]
    assert [error["code"] for error in errors] == [
        "invalid_json",
        "invalid_json",
        "invalid_value",
        "invalid_value",
        "invalid_value",
    ]
    assert [error["event_id"] for error in errors[2:4]] == ["mine", "odd"]


async def test_two_minutes_are_the_most_that_can_wait() -> None:
    client = SocketClient()
    async with client.open():
        client.update(audio={"input": {"turn_detection": None}})
        for _ in range(13):
            client.say(np.zeros(24_000 * 10, np.int16))
        error = (await client.next_event("error"))["error"]
    assert error["code"] == "input_audio_buffer_full"


async def test_who_does_not_read_is_hung_up_on() -> None:
    client = SocketClient()
    async with client.open() as peer:
        client.reads.clear()
        for _ in range(600):
            peer.send(StateChanged(state=State.LISTENING))
        assert [command async for command in peer.commands()] == []
        assert [frame async for frame in peer.microphone()] == []
        assert client.closed_with == TRY_AGAIN_LATER


async def test_everything_ends_when_the_client_leaves() -> None:
    client = SocketClient()
    async with client.open() as peer:
        client.leave()
        assert [command async for command in peer.commands()] == []
        assert [frame async for frame in peer.microphone()] == []
        peer.send(StateChanged(state=State.LISTENING))  # dropped
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_hanging_up_closes_the_line() -> None:
    client = SocketClient()
    async with client.open() as peer:
        peer.hang_up()
        assert [command async for command in peer.commands()] == []
    assert client.closed_with == 1000
