"""Whatever comes from the network is either understood or refused in a sentence.

`FUZZ_EXAMPLES=100000 pytest tests/unit/transport/test_fuzz.py --timeout=0` tries harder.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.exceptions import HTTPException

from assistant.errors import ProtocolError
from assistant.transport import pictures, sdp
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.client_secrets import read_wanted, token_in
from assistant.transport.endpoints import read_offer
from assistant.transport.fields import Fields
from assistant.transport.input_audio import InputBuffer, recording
from assistant.transport.items import ItemCreate
from assistant.transport.realtime import load_json, parse, parse_session
from assistant.transport.translator import Translator
from tests.fakes import picture
from tests.unit.transport.socket_client import SocketClient
from tests.unit.transport.test_peer import new_peer
from tests.unit.transport.test_pictures import JPEG, PNG

T = TypeVar("T")

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "500"))
fuzz = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
fuzz_slowly = settings(fuzz, max_examples=max(20, EXAMPLES // 50))

NAMES = ["type", "event_id", "item", "session", "response", "content", "id", "role", "audio"]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["", "root", "realtime", "message", "user", "input_text", "\ud800", "AAAA"]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=8)), inner, max_size=5),
    ),
    max_leaves=12,
)

TEXT = {"type": "input_text", "text": "hello"}
IMAGE = {
    "type": "input_image",
    "image_url": f"data:image/png;base64,{base64.b64encode(PNG).decode()}",
}
SOUND = {"type": "input_audio", "audio": base64.b64encode(bytes(4_800)).decode()}
TOOL = {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}}
MESSAGE = {"type": "message", "id": "i", "role": "user", "content": [TEXT, IMAGE, SOUND]}
SESSION = {
    "type": "realtime",
    "instructions": "Be brief.",
    "output_modalities": ["audio"],
    "max_output_tokens": 7,
    "tools": [TOOL],
    "tool_choice": "auto",
    "audio": {
        "input": {
            "format": {"type": "audio/pcm", "rate": 24_000},
            "turn_detection": {"type": "server_vad", "threshold": 0.5, "silence_duration_ms": 500},
        },
        "output": {"format": {"type": "audio/pcmu"}, "voice": "v", "speed": 1.0},
    },
}
EVENTS: list[dict[str, Any]] = [
    {"type": "session.update", "event_id": "e", "session": SESSION},
    {
        "type": "session.update",
        "session": {"type": "realtime", "audio": {"input": {"turn_detection": None}}},
    },
    {"type": "conversation.item.create", "previous_item_id": "root", "item": MESSAGE},
    {
        "type": "conversation.item.create",
        "item": {"type": "function_call_output", "call_id": "c", "output": "done"},
    },
    {"type": "conversation.item.delete", "item_id": "i"},
    {"type": "conversation.item.retrieve", "item_id": "i"},
    {
        "type": "conversation.item.truncate",
        "item_id": "i",
        "content_index": 0,
        "audio_end_ms": 100,
    },
    {"type": "response.create", "response": {"instructions": "x", "output_modalities": ["text"]}},
    {"type": "response.cancel", "response_id": "r"},
    {"type": "input_audio_buffer.append", "audio": "AAAA"},
    {"type": "input_audio_buffer.commit"},
    {"type": "input_audio_buffer.clear"},
    {"type": "output_audio_buffer.clear"},
    {"type": "assistant.playout", "heard_at_ms": 1.0, "clock_offset_ms": 2},
    {"type": "assistant.mute", "muted": True},
    {"type": "assistant.push_to_talk", "pressed": False},
    {"type": "assistant.ping", "sent_at_ms": 1},
]

OFFER = "\r\n".join(
    [
        "v=0",
        "o=- 1 2 IN IP4 127.0.0.1",
        "s=-",
        "t=0 0",
        "a=group:BUNDLE 0 1",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111",
        "c=IN IP4 0.0.0.0",
        "a=candidate:1 1 udp 2113937151 192.0.2.1 5000 typ host",
        "a=candidate:2 1 udp 2113937151 abc.local 5000 typ host",
        "a=ice-ufrag:abcd",
        "a=ice-pwd:abcdefghijklmnopqrstuvwx",
        "a=fingerprint:sha-256 " + ":".join(["AB"] * 32),
        "a=setup:actpass",
        "a=mid:0",
        "a=sendrecv",
        "a=rtcp-mux",
        "a=rtpmap:111 opus/48000/2",
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "c=IN IP4 0.0.0.0",
        "a=ice-ufrag:abcd",
        "a=ice-pwd:abcdefghijklmnopqrstuvwx",
        "a=fingerprint:sha-256 " + ":".join(["AB"] * 32),
        "a=setup:actpass",
        "a=mid:1",
        "a=sctp-port:5000",
        "",
    ]
)
FORM = (
    b'--x\r\nContent-Disposition: form-data; name="sdp"\r\nContent-Type: application/sdp\r\n\r\n'
    b'v=0\r\n--x\r\nContent-Disposition: form-data; name="session"\r\n\r\n{}\r\n--x--\r\n'
)


@st.composite
def spoilt(draw: st.DrawFn, value: Any) -> Any:
    """`value` with some of its parts replaced, left out or added."""
    if draw(st.integers(0, 15)) == 0:
        return draw(JSON)
    if isinstance(value, dict):
        kept = {
            name: draw(spoilt(inner)) for name, inner in value.items() if draw(st.integers(0, 30))
        }
        return kept | draw(st.dictionaries(st.text(max_size=5), JSON, max_size=1))
    if isinstance(value, list):
        return [draw(spoilt(inner)) for inner in value]
    return value


def cut_up(text: T, alphabet: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """A text or bytes with a stretch of it taken out and something put in its place."""
    places = st.integers(0, len(text))  # type: ignore[arg-type]
    return st.tuples(places, places, alphabet).map(
        lambda cut: text[: min(cut[:2])] + cut[2] + text[max(cut[:2]) :]  # type: ignore[index]
    )


spoilt_events = st.sampled_from(EVENTS).flatmap(spoilt)
event_texts = st.one_of(
    spoilt_events.map(json.dumps),
    st.text(max_size=50),
    st.sampled_from(EVENTS).map(json.dumps).flatmap(lambda text: cut_up(text, st.text(max_size=9))),
)


def understood(read: Callable[[], T]) -> T | None:
    """What was read; None where it was refused, in a sentence that can be sent."""
    mistake: Exception
    try:
        return read()
    except (ProtocolError, HTTPException) as error:
        mistake = error
    if isinstance(mistake, HTTPException):
        assert mistake.status_code < 500
    else:
        assert str(mistake).endswith(".")
        assert mistake.code
        (str(mistake) + (mistake.param or "")).encode()
    return None


@fuzz
@given(event_texts)
def test_events(text: str) -> None:
    understood(lambda: parse(text))
    understood(lambda: parse_session(text))
    understood(lambda: read_wanted(Fields(load_json(text))))


@fuzz
@given(st.lists(spoilt_events, max_size=12), st.booleans())
def test_conversations(events: list[Any], by_message: bool) -> None:
    """Whatever the order of events, what is said of them can be sent."""
    translator = Translator(
        model="m", voice="v", instructions="i", max_reply_tokens=1, by_message=by_message
    )
    for each in events:
        event = understood(lambda each=each: parse(json.dumps(each)))  # type: ignore[misc]
        if event is not None:
            shown = (picture(),) if isinstance(event, ItemCreate) and event.images else ()
            told = understood(lambda e=event, s=shown: translator.from_wire(e, s))  # type: ignore[misc]
            for message in told[1] if told else ():
                json.dumps(message, ensure_ascii=False).encode()


@fuzz
@given(st.binary(max_size=2_000), st.sampled_from(AudioFormat))
def test_sound(encoded: bytes, audio_format: AudioFormat) -> None:
    samples = understood(lambda: recording(encoded, audio_format))
    streamed = understood(lambda: InputBuffer().append(encoded, audio_format))
    assert (samples is None) == (streamed is None) == bool(len(encoded) % audio_format.sample_bytes)


@fuzz
@given(st.one_of(cut_up(PNG, st.binary(max_size=9)), cut_up(JPEG, st.binary(max_size=9))))
def test_pictures(encoded: bytes) -> None:
    understood(lambda: pictures.decode(encoded))


@fuzz
@given(
    st.one_of(
        cut_up(OFFER, st.text(max_size=20)),
        st.lists(st.sampled_from(OFFER.split("\r\n")), max_size=40).map("\r\n".join),
        st.text(max_size=200),
    )
)
def test_offers(offer: str) -> None:
    understood(lambda: sdp.tidy(offer))


@fuzz_slowly
@given(cut_up(OFFER, st.text(max_size=20)))
def test_offers_that_go_as_far_as_webrtc(sdp: str) -> None:
    async def answer() -> None:
        peer = new_peer()
        with suppress(ProtocolError):
            await peer.accept(sdp)
        await peer.close()

    asyncio.run(asyncio.wait_for(answer(), 20))


CONTENT_TYPES = st.one_of(
    st.sampled_from(
        ["application/sdp", "multipart/form-data; boundary=x", 'multipart/form-data; boundary="']
    ),
    cut_up(
        "multipart/form-data; boundary=x", st.text(st.characters(max_codepoint=255), max_size=9)
    ),
    st.text(st.characters(max_codepoint=255), max_size=40),
)


@fuzz
@given(CONTENT_TYPES, st.one_of(cut_up(FORM, st.binary(max_size=20)), st.binary(max_size=200)))
def test_forms(content_type: str, body: bytes) -> None:
    understood(lambda: read_offer(content_type, body))


@fuzz
@given(st.one_of(st.none(), st.text(max_size=40)), st.lists(st.text(max_size=40), max_size=3))
def test_tokens(authorization: str | None, subprotocols: list[str]) -> None:
    token_in(authorization, subprotocols)


@fuzz_slowly
@given(st.lists(st.one_of(event_texts, st.binary(max_size=20)), max_size=30))
def test_a_websocket_goes_on_whatever_is_sent(messages: list[str | bytes]) -> None:
    async def talk() -> None:
        client = SocketClient()
        async with client.open() as peer, asyncio.TaskGroup() as tasks:

            async def read_all() -> None:
                async for _ in peer.commands():
                    pass

            async def listen() -> None:
                async for _ in peer.microphone():
                    pass

            reading = [tasks.create_task(read_all()), tasks.create_task(listen())]
            for message in messages:
                if isinstance(message, str):
                    client.send_text(message)
                else:
                    client.send_bytes(message)
            client.send({"type": "assistant.ping", "sent_at_ms": 4_711})
            while (await client.next_event("assistant.pong"))["sent_at_ms"] != 4_711:
                pass
            for task in reading:
                task.cancel()

    asyncio.run(asyncio.wait_for(talk(), 30))


@pytest.mark.parametrize("depth", [10, 1_000, 100_000])
def test_nesting(depth: int) -> None:
    parameters = '{"a":' * depth + "1" + "}" * depth
    tool = f'{{"type": "function", "name": "f", "parameters": {parameters}}}'
    session = f'{{"type": "realtime", "tools": [{tool}]}}'
    understood(lambda: parse_session(session))
