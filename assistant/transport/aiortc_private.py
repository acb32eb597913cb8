"""The one place that reaches into aiortc and aioice. Each function has a test that notices when
they change.

Whatever is changed is changed for one connection, from outside: nothing is patched for the whole
process.
"""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable

from aioice import Candidate, ice, turn
from aioice.candidate import candidate_foundation, candidate_priority
from aiortc import RTCPeerConnection, RTCRtpReceiver
from aiortc.jitterbuffer import JitterBuffer, JitterFrame
from aiortc.rtp import RtpPacket

from assistant.errors import BusyError

LOOPBACK = "127.0.0.1"


def gather_here(connection: RTCPeerConnection, ports: range) -> None:
    """Decide where candidates are gathered; call it before they are.

    On the loopback interface too. aioice leaves that out, as RFC 8445 asks. But browser and
    assistant often share one machine, and that may have no other network, or a VPN that keeps the
    two apart. And on one of `ports`, unless that is empty; aioice takes any.
    """
    transports = {transceiver.receiver.transport for transceiver in connection.getTransceivers()}
    if connection.sctp is not None:
        transports.add(connection.sctp.transport)
    for transport in transports:
        _gather_here(transport.transport.iceGatherer._connection, ports)


def _gather_here(agent: ice.Connection, ports: range) -> None:
    gather = agent.get_component_candidates

    async def gather_here(
        component: int,
        addresses: list[str],
        timeout: int = 5,  # noqa: ASYNC109
    ) -> list[Candidate]:
        addresses = [*addresses, LOOPBACK]
        if not ports:
            return await gather(component, addresses, timeout)
        tried = [await _bind(agent, component, address, ports) for address in addresses]
        bound = [protocol for protocol in tried if protocol is not None]
        if not bound:
            raise BusyError(f"All UDP ports from {ports[0]} to {ports[-1]} are in use.")
        agent._protocols += bound
        own = [protocol.local_candidate for protocol in bound]
        return own + await gather(component, [], timeout)  # what a TURN server gives

    vars(agent)["get_component_candidates"] = gather_here


async def _bind(
    agent: ice.Connection, component: int, address: str, ports: range
) -> ice.StunProtocol | None:
    """A host candidate on one of `ports`, as aioice makes it on any; None where none is free."""
    loop = asyncio.get_running_loop()
    for port in random.sample(ports, len(ports)):
        try:
            transport, protocol = await loop.create_datagram_endpoint(
                lambda: ice.StunProtocol(agent), local_addr=(address, port)
            )
        except OSError:
            continue
        transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_RCVBUF, turn.UDP_SOCKET_BUFFER_SIZE
        )
        protocol.local_candidate = Candidate(
            foundation=candidate_foundation("host", "udp", address),
            component=component,
            transport="udp",
            priority=candidate_priority(component, "host"),
            host=address,
            port=port,
            type="host",
        )
        return protocol
    return None


def unread_bytes(connection: RTCPeerConnection) -> int:
    """How much of messages that are not complete yet is kept for the data channels.

    aiortc announces a limit but keeps whatever comes.
    """
    if connection.sctp is None:
        return 0
    return _RECEIVE_WINDOW_BYTES - connection.sctp._advertised_rwnd


_RECEIVE_WINDOW_BYTES = 1024 * 1024


def take_packets(receiver: RTCRtpReceiver, take: Callable[[RtpPacket], None]) -> None:
    """Have `take` called with every audio packet as it arrives; aiortc decodes none of them.

    Its jitter buffer adds 80 ms, 280 ms after 1 % loss and 481 ms after 5 %, and never gives it
    back; and its decoder shortens the sound by every packet that is lost.
    """
    assert _BUFFER in vars(receiver)
    vars(receiver)[_BUFFER] = _Tap(take)


_BUFFER = "_RTCRtpReceiver__jitter_buffer"


class _Tap:
    """Stands in for aiortc.jitterbuffer.JitterBuffer."""

    def __init__(self, take: Callable[[RtpPacket], None]) -> None:
        self._take = take

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        """Neither asks for a key frame nor has a frame to decode."""
        self._take(packet)
        return False, None


def decode_at_once(receiver: RTCRtpReceiver) -> None:
    """Have each frame of a video decoded with its last packet, which is marked (RFC 6184 and 7741).

    aiortc waits for the first packet of the next one: half a second, at two frames a second.
    """
    stock = vars(receiver)[_BUFFER]
    vars(receiver)[_BUFFER] = _PromptBuffer(stock.capacity, is_video=True)


class _PromptBuffer(JitterBuffer):
    _gone: int | None = None
    """The timestamp of the frame that was handed over last."""

    def _remove_frame(self, sequence_number: int) -> JitterFrame | None:
        # Packets that only fill the line have the timestamp of the frame before them.
        while (first := self._at(0)) is not None and first.timestamp == self._gone:
            self.remove(1)
        frame = super()._remove_frame(sequence_number) or self._marked()
        if frame is not None:
            self._gone = frame.timestamp
        return frame

    def _marked(self) -> JitterFrame | None:
        """The first frame, if all of it is there."""
        packets = list[RtpPacket]()
        while len(packets) < self.capacity and (packet := self._at(len(packets))) is not None:
            packets.append(packet)
            if packet.marker:
                self.remove(len(packets))
                data = b"".join(each._data for each in packets)  # type: ignore[attr-defined]
                return JitterFrame(data=data, timestamp=packet.timestamp)
        return None

    def _at(self, place: int) -> RtpPacket | None:
        assert self._origin is not None
        return self._packets[(self._origin + place) % self.capacity]
