"""The one place that reaches into aiortc and aioice. Each function has a test that notices when
they change.

Whatever is changed is changed for one connection, from outside: nothing is patched for the whole
process.
"""

from __future__ import annotations

from typing import Any

from aiortc import RTCPeerConnection, RTCRtpReceiver
from aiortc.jitterbuffer import JitterFrame
from aiortc.rtp import RtpPacket

from assistant.transport.jitter import LowDelayBuffer

LOOPBACK = "127.0.0.1"


def offer_loopback(connection: RTCPeerConnection) -> None:
    """Have candidates on the loopback interface gathered too; call it before they are.

    aioice leaves them out, as RFC 8445 asks. But browser and assistant often share one machine,
    and that may have no other network, or a VPN that keeps the two apart.
    """
    transports = {transceiver.receiver.transport for transceiver in connection.getTransceivers()}
    if connection.sctp is not None:
        transports.add(connection.sctp.transport)
    for transport in transports:
        _gather_also(transport.transport.iceGatherer._connection, LOOPBACK)


def _gather_also(agent: Any, address: str) -> None:
    """`agent`: an aioice.Connection."""
    gather = agent.get_component_candidates

    async def gather_also(component: int, addresses: list[str], timeout: int = 5) -> Any:  # noqa: ASYNC109
        return await gather(component, [*addresses, address], timeout)

    agent.get_component_candidates = gather_also


def unread_bytes(connection: RTCPeerConnection) -> int:
    """How much of messages that are not complete yet is kept for the data channels.

    aiortc announces a limit but keeps whatever comes.
    """
    if connection.sctp is None:
        return 0
    return _RECEIVE_WINDOW_BYTES - connection.sctp._advertised_rwnd


_RECEIVE_WINDOW_BYTES = 1024 * 1024


def use_low_delay_buffer(receiver: RTCRtpReceiver) -> None:
    """Replace an audio receiver's jitter buffer.

    aiortc's own adds 80 ms, 280 ms after 1 % loss and 481 ms after 5 %, and never gives it back.
    """
    assert _BUFFER in vars(receiver)
    vars(receiver)[_BUFFER] = _AudioBuffer(receiver)


_BUFFER = "_RTCRtpReceiver__jitter_buffer"


class _AudioBuffer:
    """Stands in for aiortc.jitterbuffer.JitterBuffer, whose `add` returns one frame at most.

    When a hole is given up several packets are ready at once. All but the last go to the decoder
    from here, as the receiver does it with the last.
    """

    def __init__(self, receiver: RTCRtpReceiver) -> None:
        private = vars(receiver)
        self._codecs = private["_RTCRtpReceiver__codecs"]
        self._decoder_queue = private["_RTCRtpReceiver__decoder_queue"]
        self._timestamps = private["_RTCRtpReceiver__timestamp_mapper"]
        self._buffer: LowDelayBuffer[RtpPacket] = LowDelayBuffer()

    def add(self, packet: RtpPacket) -> tuple[bool, JitterFrame | None]:
        """Whether to ask for a key frame, which audio has none of; and a frame to decode."""
        ready = self._buffer.push(packet.sequence_number, packet)
        if not ready:
            return False, None
        *earlier, last = ready
        for waiting in earlier:
            frame = _frame(waiting)
            frame.timestamp = self._timestamps.map(frame.timestamp)
            self._decoder_queue.put((self._codecs[waiting.payload_type], frame))
        return False, _frame(last)


def _frame(packet: RtpPacket) -> JitterFrame:
    # aiortc puts the depayloaded data on the packet just before it calls `add`.
    return JitterFrame(data=vars(packet)["_data"], timestamp=packet.timestamp)
