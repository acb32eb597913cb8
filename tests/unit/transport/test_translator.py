"""A conversation as the protocol's messages, and the client's messages as commands."""

from __future__ import annotations

import base64
import json
from fractions import Fraction
from typing import Any

import av
import numpy as np
import pytest

from assistant.errors import ProtocolError
from assistant.events import (
    Configure,
    Event,
    HeardReply,
    Hearing,
    Mute,
    ReplyEnded,
    ReplyStarted,
    ReplyStatus,
    ReplyWords,
    SayText,
    SpeechStarted,
    SpeechStopped,
    StopTalking,
    UserSaid,
)
from assistant.transport import realtime
from assistant.transport.translator import Translator

TURN: tuple[Event, ...] = (
    SpeechStarted(turn_id="turn_1", audio_start_ms=100),
    Hearing(turn_id="turn_1", committed="", tentative="what"),
    Hearing(turn_id="turn_1", committed="what is", tentative="disc"),
    SpeechStopped(turn_id="turn_1", audio_end_ms=1_100),
    UserSaid(turn_id="turn_1", text="what is this"),
    ReplyStarted(turn_id="turn_1"),
    ReplyWords(turn_id="turn_1", text="A cup."),
    ReplyWords(turn_id="turn_1", text=" A red one."),
)


@pytest.fixture
def translator() -> Translator:
    return Translator(
        model="m", voice="v", instructions="Be brief.", max_reply_tokens=100, clock=lambda: 2.0
    )


def tell(translator: Translator, *events: Event) -> list[dict[str, Any]]:
    return [message for event in events for message in translator.to_wire(event)]


def send(translator: Translator, message: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    return translator.from_wire(realtime.parse(json.dumps(message)))


def test_a_spoken_turn_in_the_protocol_s_order(translator: Translator) -> None:
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.COMPLETED, heard="A cup. A red one.")
    messages = tell(translator, *TURN, ended)
    assert [message["type"] for message in messages] == [
        "input_audio_buffer.speech_started",
        "assistant.partial",
        "conversation.item.input_audio_transcription.delta",
        "assistant.partial",
        "input_audio_buffer.speech_stopped",
        "input_audio_buffer.committed",
        "conversation.item.added",
        "conversation.item.done",
        "conversation.item.input_audio_transcription.delta",
        "conversation.item.input_audio_transcription.completed",
        "response.created",
        "response.output_item.added",
        "conversation.item.added",
        "output_audio_buffer.started",
        "response.output_audio_transcript.delta",
        "response.output_audio_transcript.delta",
        "response.output_audio_transcript.done",
        "response.output_item.done",
        "conversation.item.done",
        "response.done",
        "output_audio_buffer.stopped",
    ]
    deltas = [m["delta"] for m in messages if m["type"].endswith("transcription.delta")]
    assert "".join(deltas) == "what is this"
    question = messages[0]["item_id"]
    assert {m["item_id"] for m in messages[:6] if "item_id" in m} == {question}
    assert messages[-2]["response"]["status"] == "completed"
    assert messages[-2]["response"]["output"][0]["content"][0]["transcript"] == "A cup. A red one."


def test_revised_words_are_sent_whole_at_the_end_and_never_as_deltas(
    translator: Translator,
) -> None:
    revised = UserSaid(turn_id="turn_1", text="what was this")
    messages = tell(translator, *TURN[:4], revised)
    deltas = [m["delta"] for m in messages if m["type"].endswith("transcription.delta")]
    assert deltas == ["what is"]
    assert messages[-1]["transcript"] == "what was this"


def test_an_interrupted_reply_keeps_only_what_was_heard(translator: Translator) -> None:
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.CANCELLED, heard="A cup.")
    messages = tell(translator, *TURN, ended)
    done = messages[-2]["response"]
    assert (done["status"], done["status_details"]["reason"]) == ("cancelled", "turn_detected")
    assert done["output"][0]["status"] == "incomplete"
    assert done["output"][0]["content"][0]["transcript"] == "A cup."
    assert messages[-1]["type"] == "output_audio_buffer.cleared"


def test_a_reply_that_the_client_stopped_says_so(translator: Translator) -> None:
    tell(translator, *TURN)
    send(translator, {"type": "response.cancel"})
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.CANCELLED, heard="A cup.")
    done = next(m for m in tell(translator, ended) if m["type"] == "response.done")
    assert done["response"]["status_details"]["reason"] == "client_cancelled"


def test_items_name_the_one_before(translator: Translator) -> None:
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.COMPLETED, heard="A cup.")
    added = [m for m in tell(translator, *TURN, ended) if m["type"] == "conversation.item.added"]
    assert [m["previous_item_id"] for m in added] == [None, added[0]["item"]["id"]]


def test_typed_words_and_pictures_wait_for_response_create(translator: Translator) -> None:
    encoder = av.CodecContext.create("png", "w")
    encoder.width = encoder.height = 8
    encoder.pix_fmt = "rgb24"
    encoder.time_base = Fraction(1)
    red = np.zeros((8, 8, 3), np.uint8)
    red[:, :, 0] = 255
    packets = encoder.encode(av.VideoFrame.from_ndarray(red, format="rgb24"))
    png = b"".join(map(bytes, [*packets, *encoder.encode(None)]))
    url = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    item = {
        "type": "message",
        "role": "user",
        "content": [
            {"type": "input_text", "text": "What is this?"},
            {"type": "input_image", "image_url": url},
        ],
    }
    command, told = send(translator, {"type": "conversation.item.create", "item": item})
    assert command is None
    assert [m["type"] for m in told] == ["conversation.item.added", "conversation.item.done"]
    command, told = send(translator, {"type": "response.create"})
    assert isinstance(command, SayText)
    assert command.text == "What is this?"
    assert (command.images[0].pixels == red).all()
    assert told == []


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ({"type": "response.cancel"}, StopTalking()),
        ({"type": "output_audio_buffer.clear"}, StopTalking()),
        ({"type": "assistant.mute", "muted": True}, Mute(muted=True)),
        (
            {"type": "assistant.playout", "heard_at_ms": 500, "clock_offset_ms": 500},
            HeardReply(at_s=1.0),
        ),
        ({"type": "assistant.playout", "heard_at_ms": 500, "clock_offset_ms": None}, None),
        (
            {"type": "session.update", "session": {"type": "realtime", "instructions": "Rhyme."}},
            Configure(system_prompt="Rhyme."),
        ),
    ],
)
def test_commands(translator: Translator, message: dict[str, Any], command: object) -> None:
    assert send(translator, message)[0] == command


def test_an_update_is_answered_with_what_is_in_force(translator: Translator) -> None:
    wanted = {"type": "realtime", "output_modalities": ["text"]}
    _, told = send(translator, {"type": "session.update", "session": wanted})
    assert told[0]["type"] == "session.updated"
    assert told[0]["session"]["output_modalities"] == ["text"]
    assert told[0]["session"]["instructions"] == "Be brief."


def test_a_ping_is_answered_with_our_clock(translator: Translator) -> None:
    _, told = send(translator, {"type": "assistant.ping", "sent_at_ms": 7})
    assert (told[0]["sent_at_ms"], told[0]["server_at_ms"]) == (7, 2_000)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "response.create"}, "nothing_to_answer"),
        (
            {
                "type": "conversation.item.truncate",
                "item_id": "a",
                "content_index": 0,
                "audio_end_ms": 1,
            },
            "unsupported_event",
        ),
    ],
)
def test_what_cannot_be_done_says_so(
    translator: Translator, message: dict[str, Any], code: str
) -> None:
    with pytest.raises(ProtocolError) as caught:
        send(translator, message)
    assert caught.value.code == code
