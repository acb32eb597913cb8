"""What we rely on inside aiortc and aioice. These tests fail when a new version changes it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from aioice import ice
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpReceiver
from aiortc.jitterbuffer import JitterBuffer
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.rtcsctptransport import SCTP_DATA_FIRST_FRAG, DataChunk
from aiortc.rtp import RtpPacket

from assistant.errors import BusyError
from assistant.transport import aiortc_private
from tests.unit.transport.webrtc_client import WebRtcClient

OPUS = RTCRtpCodecParameters(mimeType="audio/opus", clockRate=48_000, channels=2, payloadType=96)


def candidate_addresses(sdp: str) -> set[str]:
    return {line.split()[4] for line in sdp.splitlines() if line.startswith("a=candidate:")}


def test_aioice_itself_still_leaves_loopback_out() -> None:
    assert "127.0.0.1" not in ice.get_host_addresses(use_ipv4=True, use_ipv6=True)


async def gathered(ports: range) -> RTCPeerConnection:
    connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    connection.createDataChannel("events")
    connection.addTransceiver("audio")
    aiortc_private.gather_here(connection, ports)
    await connection.setLocalDescription()
    return connection


async def test_loopback_is_offered_beside_the_other_addresses() -> None:
    connection = await gathered(range(0))
    addresses = candidate_addresses(connection.localDescription.sdp)
    await connection.close()
    assert addresses == {
        "127.0.0.1",
        *ice.get_host_addresses(use_ipv4=True, use_ipv6=True),
    }


async def test_candidates_lie_in_the_range_of_ports() -> None:
    ports = range(42_000, 42_020)
    connection = await gathered(ports)
    sdp = connection.localDescription.sdp
    lines = [line.split() for line in sdp.splitlines() if line.startswith("a=candidate:")]
    await connection.close()
    assert candidate_addresses(sdp) >= {"127.0.0.1"}
    assert all(int(line[5]) in ports for line in lines)


async def test_a_full_range_of_ports_is_told() -> None:
    connection = await gathered(ports := range(42_030, 42_032))
    with pytest.raises(BusyError, match="All UDP ports from 42030 to 42031 are in use"):
        await gathered(ports)
    await connection.close()


async def test_a_call_goes_through_the_range_of_ports() -> None:
    async with WebRtcClient() as caller, WebRtcClient() as callee:
        for client in (caller, callee):
            aiortc_private.gather_here(client.connection, range(42_040, 42_060))
        await caller.take(await callee.answer(await caller.offer()))
        await caller.is_open()


async def test_a_call_needs_no_network_but_loopback() -> None:
    async with WebRtcClient() as caller, WebRtcClient() as callee:
        for client in (caller, callee):
            aiortc_private.gather_here(client.connection, range(0))
        offer = only_loopback(await caller.offer())
        answer = only_loopback(await callee.answer(offer))
        await caller.take(answer)
        await caller.is_open()


def only_loopback(sdp: str) -> str:
    lines = sdp.splitlines()
    kept = [line for line in lines if not line.startswith("a=candidate:") or "127.0.0.1" in line]
    return "\r\n".join(kept) + "\r\n"


async def test_what_waits_for_the_rest_of_its_message_is_counted() -> None:
    connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    assert aiortc_private.unread_bytes(connection) == 0
    connection.createDataChannel("events")
    assert connection.sctp is not None
    assert aiortc_private.unread_bytes(connection) == 0
    connection.sctp._last_received_tsn = 0
    beginning = DataChunk(flags=SCTP_DATA_FIRST_FRAG)
    beginning.tsn, beginning.user_data = 1, bytes(1_000)
    await connection.sctp._receive_data_chunk(beginning)
    assert aiortc_private.unread_bytes(connection) == 1_000
    await connection.close()


def receiver_at_work(
    monkeypatch: pytest.MonkeyPatch, kind: str = "audio"
) -> tuple[RTCRtpReceiver, list[int]]:
    """A real receiver, and the timestamps of what it gives its decoder, counted in packets."""
    receiver = RTCRtpReceiver(kind, cast(Any, SimpleNamespace(state="connected")))
    private = vars(receiver)
    private["_RTCRtpReceiver__codecs"][96] = OPUS
    private["_RTCRtpReceiver__decoder_thread"] = object()
    decoded: list[int] = []
    monkeypatch.setattr(
        private["_RTCRtpReceiver__decoder_queue"],
        "put",
        lambda work: decoded.append(work[1].timestamp // 960),
    )
    return receiver, decoded


async def receive(
    receiver: RTCRtpReceiver, number: int, *, timestamp: int | None = None, marker: int = 0
) -> None:
    packet = RtpPacket(payload_type=96, sequence_number=number, marker=marker, ssrc=1)
    packet.timestamp = 960 * (number if timestamp is None else timestamp)
    packet.payload = b"opus"
    await receiver._handle_rtp_packet(packet, arrival_time_ms=0)


def test_the_tap_takes_the_place_of_aiortc_s_own_buffer() -> None:
    receiver = RTCRtpReceiver("audio", cast(Any, SimpleNamespace(state="new")))
    name = "_RTCRtpReceiver__jitter_buffer"
    assert isinstance(vars(receiver)[name], JitterBuffer)
    aiortc_private.take_packets(receiver, lambda packet: None)
    assert not isinstance(vars(receiver)[name], JitterBuffer)


async def test_every_packet_is_handed_over_at_once_and_none_is_decoded_by_aiortc(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receiver, decoded = receiver_at_work(monkeypatch)
    taken: list[RtpPacket] = []
    aiortc_private.take_packets(receiver, taken.append)
    for number in (0, 1, 3, 2):
        await receive(receiver, number)
    assert [(p.sequence_number, p.timestamp, p.payload) for p in taken] == [
        (number, number * 960, b"opus") for number in (0, 1, 3, 2)
    ]
    assert decoded == []


async def test_aiortc_s_own_buffer_still_holds_packets_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receiver, decoded = receiver_at_work(monkeypatch)
    for number in range(4):
        await receive(receiver, number)
    assert decoded == []


async def test_a_frame_of_a_video_is_decoded_with_its_last_packet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receiver, decoded = receiver_at_work(monkeypatch, kind="video")
    aiortc_private.decode_at_once(receiver)
    for number, timestamp, marker in [(7, 0, 0), (8, 0, 1), (9, 0, 0), (10, 1, 0)]:
        await receive(receiver, number, timestamp=timestamp, marker=marker)
    assert decoded == [0]
    await receive(receiver, 12, timestamp=2, marker=1)
    assert decoded == [0]
    await receive(receiver, 11, timestamp=1, marker=1)
    await receive(receiver, 13, timestamp=3, marker=1)
    await receive(receiver, 14, timestamp=4, marker=1)
    assert decoded[:3] == [0, 1, 2]


async def test_aiortc_itself_still_waits_for_the_next_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receiver, decoded = receiver_at_work(monkeypatch, kind="video")
    await receive(receiver, 7, timestamp=0, marker=1)
    assert decoded == []
    await receive(receiver, 8, timestamp=1, marker=1)
    assert decoded == [0]
