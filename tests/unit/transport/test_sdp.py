"""SDP offers before aiortc sees them, and its answers before clients do."""

from __future__ import annotations

import pytest

from assistant.errors import ProtocolError
from assistant.transport.sdp import MAX_CANDIDATES, complete, tidy

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


def test_the_candidates_of_an_offer_are_never_the_last() -> None:
    assert tidy(offer(AUDIO, candidate("192.0.2.7"), "a=end-of-candidates")) == offer(
        AUDIO, candidate("192.0.2.7")
    )


def test_an_answer_asks_for_opus_with_redundancy() -> None:
    completed = complete(offer(AUDIO, "a=rtpmap:111 opus/48000/2"), announced_address="")
    assert completed == offer(
        AUDIO, "a=rtpmap:111 opus/48000/2", "a=fmtp:111 minptime=10;useinbandfec=1"
    )


def test_an_announced_address_stands_beside_our_own() -> None:
    def host(address: str) -> str:
        return f"a=candidate:1 1 udp 2130706431 {address} 50000 typ host"

    ours = [host(address) for address in ("172.17.0.2", "fd00::2", "127.0.0.1")]
    completed = complete(offer(AUDIO, *ours), announced_address="203.0.113.9")
    announced = host("203.0.113.9").replace(":1 1", ":1a 1")
    assert completed == offer(AUDIO, ours[0], announced, *ours[1:])
    assert complete(offer(AUDIO, *ours), announced_address="") == offer(AUDIO, *ours)


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
