"""What the README lists as not supported: each is answered with an error that says so."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

from assistant.errors import ProtocolError
from assistant.transport import realtime
from assistant.transport.input_audio import MAX_WAITING_S, InputBuffer
from assistant.transport.translator import Translator


def session(**settings: Any) -> dict[str, Any]:
    return {"type": "session.update", "session": {"type": "realtime", **settings}}


def heard(**settings: Any) -> dict[str, Any]:
    return session(audio={"input": settings})


def respond(**settings: Any) -> dict[str, Any]:
    return {"type": "response.create", "response": settings}


def shown(*urls: str) -> dict[str, Any]:
    content = [{"type": "input_image", "image_url": url} for url in urls]
    item = {"type": "message", "role": "user", "content": content}
    return {"type": "conversation.item.create", "item": item}


PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()


@pytest.mark.parametrize(
    ("message", "param"),
    [
        (session(tool_choice="required"), "session.tool_choice"),
        (session(tool_choice={"type": "function", "name": "f"}), "session.tool_choice"),
        (session(tools=[{"type": "mcp", "server_label": "s"}]), "session.tools[0].type"),
        (session(prompt={"id": "p"}), "session.prompt"),
        ({"type": "session.update", "session": {"type": "transcription"}}, "session.type"),
        (
            heard(turn_detection={"type": "server_vad", "create_response": False}),
            "session.audio.input.turn_detection.create_response",
        ),
        (
            heard(turn_detection={"type": "semantic_vad", "interrupt_response": False}),
            "session.audio.input.turn_detection.interrupt_response",
        ),
        (
            heard(turn_detection={"type": "server_vad", "idle_timeout_ms": 6_000}),
            "session.audio.input.turn_detection.idle_timeout_ms",
        ),
        (heard(format={"type": "audio/pcm", "rate": 16_000}), "session.audio.input.format.rate"),
        (heard(turn_detection=None), "session.audio.input.turn_detection"),
        ({"type": "input_audio_buffer.append", "audio": "AAAA"}, None),
        (respond(tools=[]), "response.tools"),
        (respond(tool_choice="none"), "response.tool_choice"),
        (respond(input=[]), "response.input"),
        (respond(prompt={"id": "p"}), "response.prompt"),
        (respond(conversation="none"), "response.conversation"),
        (shown("https://example.org/a.png"), "item.content[0].image_url"),
        (shown("data:image/gif;base64,R0lGODlh"), "item.content[0].image_url"),
        (shown(PNG, PNG), "item.content"),
    ],
)
def test_it_is_answered_with_an_error_that_names_it(
    message: dict[str, Any], param: str | None
) -> None:
    translator = Translator(model="m", voice="v", instructions="i", max_reply_tokens=10)
    with pytest.raises(ProtocolError) as refusal:
        translator.from_wire(realtime.parse(json.dumps(message)))
    assert refusal.value.param == param
    assert refusal.value.code in ("unsupported_value", "invalid_value", "unsupported_event")
    assert str(refusal.value).endswith(".")


def test_a_response_s_own_choice_may_be_the_usual_one() -> None:
    assert realtime.parse(json.dumps(respond(tool_choice="auto"))) == realtime.ResponseCreate()


def test_more_than_two_minutes_do_not_wait_to_be_committed() -> None:
    waiting = InputBuffer()
    waiting.keep(np.zeros(MAX_WAITING_S * 16_000, np.int16))
    with pytest.raises(ProtocolError, match="120 seconds"):
        waiting.keep(np.zeros(16, np.int16))
