"""SDP offers before aiortc sees them."""

from __future__ import annotations

import pytest

from assistant.errors import ProtocolError
from assistant.transport.offer import MAX_CANDIDATES, tidy

HEAD = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=fingerprint:sha-256 AB:CD"]
AUDIO = "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0"
VIDEO = "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1"
EVENTS = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:2"


def offer(*lines: str) -> str:
    return "\r\n".join([*HEAD, *lines]) + "\r\n"


def candidate(host: str) -> str:
    return f"a=candidate:1 1 udp 2122260223 {host} 50000 typ host generation 0"


def test_an_ordinary_offer_stays_as_it_is() -> None:
    sdp = offer(
        "a=group:BUNDLE 0 1 2", AUDIO, candidate("192.0.2.7"), candidate("fd00::7"), VIDEO, EVENTS
    )
    assert tidy(sdp) == sdp
    assert tidy(sdp.replace("\r\n", "\n")) == sdp


def test_names_that_only_multicast_dns_knows_are_left_out() -> None:
    hidden = candidate("5f6a3f1e-1c3b-4a6e-9d0c-3d8a0f1f0c55.local")
    assert tidy(offer(AUDIO, hidden, candidate("192.0.2.7"))) == offer(
        AUDIO, candidate("192.0.2.7")
    )


def test_a_flood_of_candidates_is_cut_off() -> None:
    kept = tidy(offer(AUDIO, *[candidate(f"192.0.2.{n % 250}") for n in range(3_000)]))
    assert kept.count("a=candidate:") == MAX_CANDIDATES


@pytest.mark.parametrize(
    "sdp",
    [
        "",
        "hello",
        "<html>",
        offer(),
        offer(VIDEO),
        offer(AUDIO, AUDIO.replace("mid:0", "mid:1")),
        offer(AUDIO, VIDEO, VIDEO.replace("mid:1", "mid:3")),
        offer(AUDIO, EVENTS, EVENTS.replace("mid:2", "mid:3")),
        offer(AUDIO, VIDEO.replace("mid:1", "mid:0")),
        offer(AUDIO.replace("a=mid", "a=name")),
        offer(AUDIO, "a=mid:1", VIDEO.replace("a=mid", "a=name")),
        offer("a=group:BUNDLE 7", AUDIO),
        offer(AUDIO).replace("fingerprint", "toeprint"),
    ],
)
def test_what_is_no_call_is_refused(sdp: str) -> None:
    with pytest.raises(ProtocolError) as raised:
        tidy(sdp)
    assert raised.value.code == "invalid_offer"
