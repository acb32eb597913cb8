"""Client events: what is accepted, and what exactly is wrong with the rest."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from assistant.errors import ProtocolError
from assistant.tools import Tool
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.items import (
    InputAudio,
    InputImage,
    InputText,
    ItemCreate,
    NewCall,
    NewCallOutput,
    NewMessage,
    OutputText,
)
from assistant.transport.realtime import (
    MAX_EVENT_BYTES,
    ClientEvent,
    InputAudioAppend,
    InputAudioClear,
    InputAudioCommit,
    ItemDelete,
    ItemRetrieve,
    ItemTruncate,
    Mute,
    OutputAudioClear,
    Ping,
    Playout,
    PushToTalk,
    ResponseCancel,
    ResponseCreate,
    parse,
    parse_session,
)
from assistant.transport.settings import NoTurnDetection, SemanticVad, ServerVad, SessionUpdate

PNG = b"\x89PNG..."
PNG_URL = "data:image/png;base64," + base64.b64encode(PNG).decode()


def item(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"type": "message", "role": "user", "content": list(content), **more}
    return {"type": "conversation.item.create", "item": message}


def session(**settings: Any) -> dict[str, Any]:
    return {"type": "session.update", "session": {"type": "realtime", **settings}}


def turn_detection(value: Any) -> dict[str, Any]:
    return session(audio={"input": {"turn_detection": value}})


def output(**settings: Any) -> dict[str, Any]:
    return session(audio={"output": settings})


def created(*content: Any, role: str = "user", item_id: str | None = None) -> ItemCreate:
    return ItemCreate(item=NewMessage(role=role, content=content), item_id=item_id)


def call_item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "conversation.item.create", "item": {"type": kind, **fields}}


TEXT = {"type": "input_text", "text": "hello"}
TOOL = {
    "type": "function",
    "name": "light",
    "description": "Turns it on.",
    "parameters": {"type": "object"},
}
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
        (
            session(**SPOKEN_SESSION),
            SessionUpdate(
                speaks=True,
                voice="marin",
                speed=1.0,
                input_format=AudioFormat.PCM,
                turn_detection=SemanticVad(eagerness="high"),
                tools=(),
                calls_tools=True,
            ),
        ),
        (
            session(tools=[TOOL], tool_choice="none"),
            SessionUpdate(
                tools=(
                    Tool(name="light", description="Turns it on.", parameters='{"type": "object"}'),
                ),
                calls_tools=False,
            ),
        ),
        (
            session(audio={"output": {"format": {"type": "audio/pcmu"}, "voice": {"id": "v"}}}),
            SessionUpdate(output_format=AudioFormat.MU_LAW),
        ),
        (turn_detection(None), SessionUpdate(turn_detection=NoTurnDetection())),
        (
            turn_detection({"type": "server_vad", "silence_duration_ms": 700, "eagerness": "low"}),
            SessionUpdate(turn_detection=ServerVad(silence_duration_ms=700)),
        ),
        (
            session(instructions="", output_modalities=["text"]),
            SessionUpdate(instructions="", speaks=False),
        ),
        (session(max_output_tokens=7), SessionUpdate(max_reply_tokens=7)),
        (session(max_output_tokens="inf"), SessionUpdate(max_reply_tokens=4_096)),
        (
            turn_detection({"type": "server_vad", "create_response": True, "threshold": 0.6}),
            SessionUpdate(turn_detection=ServerVad(threshold=0.6)),
        ),
        (item(TEXT), created(InputText(text="hello"))),
        (
            item(TEXT, {"type": "input_image", "image_url": PNG_URL, "detail": "low"}, id="item_1"),
            created(InputText(text="hello"), InputImage(encoded=PNG), item_id="item_1"),
        ),
        (
            item({"type": "input_audio", "audio": "AAAA", "transcript": "hm"}),
            created(InputAudio(encoded=bytes(3))),
        ),
        (
            item({"type": "input_audio", "audio": None, "transcript": "hm"}),
            created(InputText(text="hm")),
        ),
        (item(TEXT, role="system"), created(InputText(text="hello"), role="system")),
        (
            item({"type": "output_audio", "transcript": "Hi."}, role="assistant"),
            created(OutputText(text="Hi."), role="assistant"),
        ),
        (
            call_item("function_call", call_id="c", name="light", arguments="{}"),
            ItemCreate(item=NewCall(call_id="c", name="light", arguments="{}")),
        ),
        (
            call_item("function_call_output", call_id="c", output="done"),
            ItemCreate(item=NewCallOutput(call_id="c", output="done")),
        ),
        (
            {**item(TEXT), "previous_item_id": "root"},
            ItemCreate(
                item=NewMessage(role="user", content=(InputText(text="hello"),)), after_id="root"
            ),
        ),
        ({"type": "conversation.item.delete", "item_id": "i"}, ItemDelete(item_id="i")),
        ({"type": "conversation.item.retrieve", "item_id": "i"}, ItemRetrieve(item_id="i")),
        (
            {"type": "input_audio_buffer.append", "audio": "AAAA"},
            InputAudioAppend(encoded=bytes(3)),
        ),
        ({"type": "input_audio_buffer.commit"}, InputAudioCommit()),
        (
            {"type": "response.create", "response": {"instructions": "Greet.", "metadata": {}}},
            ResponseCreate(instructions="Greet."),
        ),
        (
            {
                "type": "response.create",
                "response": {"output_modalities": ["text"], "max_output_tokens": 9},
            },
            ResponseCreate(speaks=False, max_reply_tokens=9),
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
            Playout(heard_at_s=0.5005, uplink_ms=None),
        ),
        (
            {
                "type": "assistant.playout",
                "heard_at_ms": 1_000.5,
                "clock_offset_ms": None,
                "uplink_ms": 30,
            },
            Playout(heard_at_s=None, uplink_ms=30.0),
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
        (session(tools=[{"type": "mcp"}]), "invalid_value", "session.tools[0].type"),
        (
            session(tools=[{"type": "function"}]),
            "missing_required_parameter",
            "session.tools[0].name",
        ),
        (session(tools=[TOOL] * 33), "unsupported_value", "session.tools"),
        (session(tools=[TOOL | {"parameters": 1}]), "invalid_type", "session.tools[0].parameters"),
        (session(tool_choice="required"), "invalid_value", "session.tool_choice"),
        (session(tool_choice={"type": "function"}), "unsupported_value", "session.tool_choice"),
        (
            session(audio={"input": {"format": {"type": "audio/pcm", "rate": 16_000}}}),
            "invalid_value",
            "session.audio.input.format.rate",
        ),
        (
            session(audio={"input": {"format": {"type": "audio/opus"}}}),
            "invalid_value",
            "session.audio.input.format.type",
        ),
        (
            session(output_modalities=["audio", "text"]),
            "unsupported_value",
            "session.output_modalities",
        ),
        (session(max_output_tokens=0), "invalid_value", "session.max_output_tokens"),
        (session(max_output_tokens=True), "invalid_type", "session.max_output_tokens"),
        (output(speed=0.25), "invalid_value", "session.audio.output.speed"),
        (output(speed="fast"), "invalid_type", "session.audio.output.speed"),
        (output(voice=7), "invalid_type", "session.audio.output.voice"),
        (
            turn_detection({"type": "semantic_vad", "eagerness": "hot"}),
            "invalid_value",
            "session.audio.input.turn_detection.eagerness",
        ),
        (
            turn_detection({"type": "server_vad", "create_response": False}),
            "unsupported_value",
            "session.audio.input.turn_detection.create_response",
        ),
        (item(), "unsupported_value", "item.content"),
        (item({"type": "input_text"}), "missing_required_parameter", "item.content[0].text"),
        (
            item(TEXT, {"type": "input_audio"}),
            "missing_required_parameter",
            "item.content[1].audio",
        ),
        (
            item({"type": "input_audio", "audio": "!"}),
            "invalid_value",
            "item.content[0].audio",
        ),
        (item(TEXT, role="assistant"), "invalid_value", "item.content[0].type"),
        (item(TEXT, role="developer"), "invalid_value", "item.role"),
        (item(*[TEXT] * 65), "unsupported_value", "item.content"),
        (
            item(*[{"type": "input_image", "image_url": PNG_URL}] * 2),
            "unsupported_value",
            "item.content",
        ),
        (call_item("mcp_approval_response"), "invalid_value", "item.type"),
        ({"type": "input_audio_buffer.append"}, "missing_required_parameter", "audio"),
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
            {"type": "response.create", "response": {"tools": [TOOL]}},
            "unsupported_value",
            "response.tools",
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
