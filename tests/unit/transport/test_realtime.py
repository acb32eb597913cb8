"""Client events: what is accepted, and what exactly is wrong with the rest."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from assistant.errors import ProtocolError
from assistant.transport.realtime import (
    MAX_EVENT_BYTES,
    ClientEvent,
    InputAudioClear,
    InputImage,
    InputText,
    ItemCreate,
    ItemTruncate,
    Mute,
    OutputAudioClear,
    Ping,
    Playout,
    PushToTalk,
    ResponseCancel,
    ResponseCreate,
    SessionUpdate,
    parse,
    parse_session,
)

PNG = b"\x89PNG..."
PNG_URL = "data:image/png;base64," + base64.b64encode(PNG).decode()


def item(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"type": "message", "role": "user", "content": list(content), **more}
    return {"type": "conversation.item.create", "item": message}


def session(**settings: Any) -> dict[str, Any]:
    return {"type": "session.update", "session": {"type": "realtime", **settings}}


def turn_detection(value: Any) -> dict[str, Any]:
    return session(audio={"input": {"turn_detection": value}})


TEXT = {"type": "input_text", "text": "hello"}
SPOKEN_SESSION = {
    "model": "gpt-realtime",
    "output_modalities": ["audio"],
    "tools": [],
    "tool_choice": "auto",
    "tracing": None,
    "audio": {
        "input": {
            "format": {"type": "audio/pcm", "rate": 24_000},
            "noise_reduction": None,
            "transcription": {"model": "gpt-4o-mini-transcribe"},
            "turn_detection": {"type": "semantic_vad", "eagerness": "high"},
        },
        "output": {"voice": "marin", "speed": 1.0},
    },
}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (session(), SessionUpdate()),
        (session(**SPOKEN_SESSION), SessionUpdate(speaks=True)),
        (
            session(instructions="", output_modalities=["text"]),
            SessionUpdate(instructions="", speaks=False),
        ),
        (session(max_output_tokens=7), SessionUpdate(max_reply_tokens=7)),
        (session(max_output_tokens="inf"), SessionUpdate(max_reply_tokens=4_096)),
        (
            turn_detection({"type": "server_vad", "create_response": True, "threshold": 0.5}),
            SessionUpdate(),
        ),
        (item(TEXT), ItemCreate(content=(InputText(text="hello"),))),
        (
            item(TEXT, {"type": "input_image", "image_url": PNG_URL, "detail": "low"}, id="item_1"),
            ItemCreate(
                content=(InputText(text="hello"), InputImage(encoded=PNG)), item_id="item_1"
            ),
        ),
        (
            {
                "type": "conversation.item.truncate",
                "item_id": "item_1",
                "content_index": 0,
                "audio_end_ms": 1_500,
            },
            ItemTruncate(item_id="item_1", audio_end_ms=1_500),
        ),
        ({"type": "response.create"}, ResponseCreate()),
        ({"type": "response.create", "response": {"conversation": "auto"}}, ResponseCreate()),
        ({"type": "response.cancel"}, ResponseCancel()),
        (
            {"type": "response.cancel", "response_id": "resp_1"},
            ResponseCancel(response_id="resp_1"),
        ),
        ({"type": "input_audio_buffer.clear"}, InputAudioClear()),
        ({"type": "output_audio_buffer.clear", "event_id": "e"}, OutputAudioClear(event_id="e")),
        ({"type": "assistant.mute", "muted": True}, Mute(muted=True)),
        ({"type": "assistant.push_to_talk", "pressed": False}, PushToTalk(pressed=False)),
        ({"type": "assistant.ping", "sent_at_ms": 12}, Ping(sent_at_ms=12.0)),
        (
            {"type": "assistant.playout", "heard_at_ms": 1_000.5, "clock_offset_ms": -500},
            Playout(heard_at_s=0.5005),
        ),
        (
            {"type": "assistant.playout", "heard_at_ms": 1_000.5, "clock_offset_ms": None},
            Playout(heard_at_s=None),
        ),
    ],
)
def test_an_event_becomes_a_value(event: dict[str, Any], expected: ClientEvent) -> None:
    assert parse(json.dumps(event)) == expected


@pytest.mark.parametrize(
    ("text", "code", "param"),
    [
        ("", "invalid_json", None),
        ("{", "invalid_json", None),
        ('{"type": "assistant.ping", "sent_at_ms": NaN}', "invalid_json", None),
        ("[" * 100_000, "invalid_json", None),
        ("9" * 10_000, "invalid_json", None),
        ("[]", "invalid_type", None),
        ("null", "invalid_type", None),
        ("{}", "missing_required_parameter", "type"),
        ('{"type": 1}', "invalid_type", "type"),
        ('{"type": "response.destroy"}', "invalid_value", "type"),
        ('{"type": "response.cancel", "event_id": 1}', "invalid_type", "event_id"),
        ('{"type": "response.cancel", "response_id": "\\ud800"}', "invalid_value", "response_id"),
        ('{"type": "response.cancel", "\\ud800": 1}', "unknown_parameter", "'\\ud800'"),
        ('"' + "x" * MAX_EVENT_BYTES + '"', "message_too_large", None),
        ('"' + "好" * (MAX_EVENT_BYTES // 3) + '"', "message_too_large", None),
    ],
)
def test_text_that_is_no_event_is_named(text: str, code: str, param: str | None) -> None:
    with pytest.raises(ProtocolError) as raised:
        parse(text)
    assert (raised.value.code, raised.value.param) == (code, param)


@pytest.mark.parametrize(
    ("event", "code", "param"),
    [
        ({"type": "assistant.mute"}, "missing_required_parameter", "muted"),
        ({"type": "assistant.mute", "muted": 1}, "invalid_type", "muted"),
        ({"type": "assistant.mute", "muted": True, "x": 1}, "unknown_parameter", "x"),
        ({"type": "assistant.ping", "sent_at_ms": True}, "invalid_type", "sent_at_ms"),
        ({"type": "session.update"}, "missing_required_parameter", "session"),
        (
            {"type": "session.update", "session": {}},
            "missing_required_parameter",
            "session.type",
        ),
        (
            {"type": "session.update", "session": {"type": "transcription"}},
            "invalid_value",
            "session.type",
        ),
        (session(colour="red"), "unknown_parameter", "session.colour"),
        (session(tools=[{"type": "function"}]), "unsupported_value", "session.tools"),
        (
            session(output_modalities=["audio", "text"]),
            "unsupported_value",
            "session.output_modalities",
        ),
        (session(max_output_tokens=0), "invalid_value", "session.max_output_tokens"),
        (session(max_output_tokens=True), "invalid_type", "session.max_output_tokens"),
        (turn_detection(None), "unsupported_value", "session.audio.input.turn_detection"),
        (
            turn_detection({"type": "server_vad", "create_response": False}),
            "unsupported_value",
            "session.audio.input.turn_detection.create_response",
        ),
        (item(), "unsupported_value", "item.content"),
        (item({"type": "input_text"}), "missing_required_parameter", "item.content[0].text"),
        (item(TEXT, {"type": "input_audio"}), "invalid_value", "item.content[1].type"),
        (item(TEXT, role="system"), "invalid_value", "item.role"),
        (
            item({"type": "input_image", "image_url": "https://example.org/cat.png"}),
            "unsupported_value",
            "item.content[0].image_url",
        ),
        (
            item({"type": "input_image", "image_url": "data:image/png;base64,!!"}),
            "unsupported_value",
            "item.content[0].image_url",
        ),
        (
            {
                "type": "conversation.item.create",
                "item": item(TEXT)["item"],
                "previous_item_id": "i",
            },
            "unsupported_value",
            "previous_item_id",
        ),
        (
            {
                "type": "conversation.item.truncate",
                "item_id": "i",
                "content_index": 1,
                "audio_end_ms": 1,
            },
            "invalid_value",
            "content_index",
        ),
        (
            {"type": "response.create", "response": {"conversation": "none"}},
            "unsupported_value",
            "response.conversation",
        ),
        (
            {"type": "response.create", "response": {"instructions": "Be rude."}},
            "unsupported_value",
            "response.instructions",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(
    event: dict[str, Any], code: str, param: str | None
) -> None:
    with pytest.raises(ProtocolError) as raised:
        parse(json.dumps({"event_id": "mine", **event}))
    mistake = raised.value
    assert (mistake.code, mistake.param, mistake.event_id) == (code, param, "mine")
    assert str(mistake).endswith(".")


def test_a_session_can_come_with_the_offer() -> None:
    text = json.dumps({"type": "realtime", "instructions": "Be brief."})
    assert parse_session(text) == SessionUpdate(instructions="Be brief.")
    with pytest.raises(ProtocolError) as raised:
        parse_session("{}")
    assert raised.value.param == "session.type"
