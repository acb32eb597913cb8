"""A conversation as the protocol's messages, and the client's messages as commands."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

from assistant.conversation import answer_id, question_id
from assistant.errors import ProtocolError
from assistant.events import (
    AddItem,
    AlertChanged,
    Configure,
    Degraded,
    Event,
    ForgetSpeech,
    HeardReply,
    Hearing,
    ItemRetrieved,
    ItemTranscribed,
    ItemTruncated,
    Mute,
    PushToTalk,
    QuestionReopened,
    RecordingChanged,
    RemoveItem,
    ReplyEnded,
    ReplyStarted,
    ReplyStatus,
    ReplyWords,
    RetrieveItem,
    SayText,
    SceneSeen,
    SpeechStarted,
    SpeechStopped,
    StopTalking,
    TruncateItem,
    UserSaid,
)
from assistant.shortfalls import Shortfall
from assistant.tools import ToolCall
from assistant.transport import realtime
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.translator import Translator
from assistant.types import Role
from assistant.voices import KnownVoice
from tests.fakes import picture

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
        model="m",
        voice="v",
        voices=(
            KnownVoice(id="v", summary="a man", languages=("en",)),
            KnownVoice(id="w", summary="a woman", languages=("zh",)),
        ),
        instructions="Be brief.",
        max_reply_tokens=100,
        clock=lambda: 2.0,
    )


def tell(translator: Translator, *events: Event) -> list[dict[str, Any]]:
    return [message for event in events for message in translator.to_wire(event)]


def send(translator: Translator, message: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    command, told = translator.from_wire(realtime.parse(json.dumps(message)))
    return command, list(told)


def voice_update(**output: Any) -> dict[str, Any]:
    session = {"type": "realtime", "audio": {"output": output}}
    return {"type": "session.update", "session": session}


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
        "rate_limits.updated",
        "response.output_item.added",
        "conversation.item.added",
        "response.content_part.added",
        "output_audio_buffer.started",
        "response.output_audio_transcript.delta",
        "response.output_audio_transcript.delta",
        "response.output_audio_transcript.done",
        "response.content_part.done",
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


def create(*content: dict[str, Any], **fields: Any) -> dict[str, Any]:
    item = {"type": "message", "role": "user", "content": list(content), **fields}
    return {"type": "conversation.item.create", "item": item}


def test_typed_words_and_pictures_wait_for_response_create(translator: Translator) -> None:
    text = {"type": "input_text", "text": "What is this?"}
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    event = realtime.parse(json.dumps(create(text, image, id="mine")))
    command, told = translator.from_wire(event, (picture(),))
    assert isinstance(command, AddItem)
    assert (command.item_id, command.role, command.text) == ("mine", Role.USER, "What is this?")
    assert command.image is not None
    added, done = told
    assert [added["type"], done["type"]] == ["conversation.item.added", "conversation.item.done"]
    assert added["item"]["content"] == [text, {"type": "input_image"}]
    assert send(translator, {"type": "response.create"}) == (SayText(wanted=Configure()), [])


def test_a_recording_is_heard_in_the_session_s_format(translator: Translator) -> None:
    settings = {"type": "realtime", "audio": {"input": {"format": {"type": "audio/pcma"}}}}
    send(translator, {"type": "session.update", "session": settings})
    audio = base64.b64encode(AudioFormat.A_LAW.encode(np.full(800, 1_000, np.int16))).decode()
    command, told = send(translator, create({"type": "input_audio", "audio": audio}, id="mine"))
    assert isinstance(command, AddItem)
    assert command.sound is not None
    assert len(command.sound) == 1_600
    assert abs(int(command.sound[800]) - 1_000) < 50
    assert told[0]["item"]["content"] == [{"type": "input_audio", "transcript": None}]
    [heard] = tell(translator, ItemTranscribed(item_id="mine", text="hello", speech_ms=100))
    assert (heard["item_id"], heard["transcript"]) == ("mine", "hello")
    [retrieved] = tell(translator, ItemRetrieved(item_id="mine"))
    assert retrieved["item"]["content"] == [{"type": "input_audio", "transcript": "hello"}]


def test_a_recording_that_could_not_be_heard_says_so(translator: Translator) -> None:
    failed = ItemTranscribed(item_id="mine", text="", speech_ms=100, failure="No ears.")
    [message] = tell(translator, failed)
    assert message["type"] == "conversation.item.input_audio_transcription.failed"
    assert message["error"]["message"] == "No ears."


def test_items_are_put_where_the_client_wants_them(translator: Translator) -> None:
    text = {"type": "input_text", "text": "hello"}
    for item_id, after in (("a", None), ("c", "a"), ("b", "a"), ("z", "root")):
        command, (added, _) = send(
            translator, create(text, id=item_id) | {"previous_item_id": after}
        )
        assert command.after_id == after
        assert added["previous_item_id"] == (None if after == "root" else after)
    told = tell(translator, *TURN)
    committed = next(m for m in told if m["type"] == "input_audio_buffer.committed")
    assert committed["previous_item_id"] == "c"


def test_an_item_that_is_removed_is_gone(translator: Translator) -> None:
    send(translator, create({"type": "input_text", "text": "hello"}, id="a"))
    retrieve = {"type": "conversation.item.retrieve", "item_id": "a"}
    assert send(translator, retrieve) == (RetrieveItem(item_id="a"), [])
    delete = {"type": "conversation.item.delete", "item_id": "a"}
    command, [deleted] = send(translator, delete)
    assert command == RemoveItem(item_id="a")
    assert (deleted["type"], deleted["item_id"]) == ("conversation.item.deleted", "a")
    with pytest.raises(ProtocolError):
        send(translator, delete)
    [error] = tell(translator, ItemRetrieved(item_id="a"))
    assert error["error"]["code"] == "item_retrieve_invalid_item_id"


def test_a_question_that_goes_on_is_taken_back(translator: Translator) -> None:
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.CANCELLED, heard="")
    reopened = QuestionReopened(turn_id="turn_1")
    messages = tell(translator, *TURN[:6], ended, reopened, reopened)
    deleted = [m["item_id"] for m in messages if m["type"] == "conversation.item.deleted"]
    assert deleted == [question_id("turn_1")]


def test_an_answer_is_truncated_to_what_was_heard(translator: Translator) -> None:
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.CANCELLED, heard="A cup. A red one.")
    tell(translator, *TURN, ended)
    answer = answer_id("turn_1")
    truncate = {"type": "conversation.item.truncate", "item_id": answer, "content_index": 0}
    command, told = send(translator, truncate | {"audio_end_ms": 400})
    assert (command, told) == (TruncateItem(item_id=answer, heard_ms=400), [])
    [truncated] = tell(translator, ItemTruncated(item_id=answer, heard_ms=400, heard="A cup."))
    assert truncated["audio_end_ms"] == 400
    [retrieved] = tell(translator, ItemRetrieved(item_id=answer))
    assert retrieved["item"]["content"] == [{"type": "output_audio", "transcript": "A cup."}]


def test_sound_travels_in_messages_of_the_answer() -> None:
    translator = Translator(
        model="m", voice="v", instructions="", max_reply_tokens=1, by_message=True
    )
    tell(translator, *TURN[:6])
    first = list(translator.sound(np.full(2, 256, np.int16)))
    assert [m["type"] for m in first] == [
        "response.output_item.added",
        "conversation.item.added",
        "response.content_part.added",
        "response.output_audio.delta",
    ]
    assert base64.b64decode(first[-1]["delta"]) == bytes([0, 1, 0, 1])
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.COMPLETED, heard="A cup.")
    kinds = [m["type"] for m in tell(translator, TURN[6], ended)]
    assert kinds[:3] == [
        "response.output_audio_transcript.delta",
        "response.output_audio.done",
        "response.output_audio_transcript.done",
    ]
    assert kinds[-1] == "response.done"
    assert list(translator.sound(np.zeros(2, np.int16))) == []


def test_the_person_is_shown_the_frame_that_was_looked_at(translator: Translator) -> None:
    (scene,) = tell(translator, SceneSeen(facts=("a cat",), preview=b"a small JPEG"))
    assert scene["type"] == "assistant.scene"
    assert scene["facts"] == ["a cat"]
    kind, encoded = scene["picture"].split(",")
    assert kind == "data:image/jpeg;base64"
    assert base64.b64decode(encoded) == b"a small JPEG"


def test_an_answer_in_words_alone(translator: Translator) -> None:
    started = ReplyStarted(turn_id="turn_1", speaks=False)
    words = ReplyWords(turn_id="turn_1", text="A cup.")
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.COMPLETED, heard="A cup.")
    told = tell(translator, started, words, ended)
    kinds = [m["type"] for m in told if m["type"].startswith(("response.output_text", "output"))]
    assert kinds == ["response.output_text.delta", "response.output_text.done"]
    response = told[-1]["response"]
    assert response["output_modalities"] == ["text"]
    assert response["output"][0]["content"] == [{"type": "output_text", "text": "A cup."}]


def test_a_call_of_a_function_and_its_result(translator: Translator) -> None:
    call = ToolCall(call_id="call_1", name="light", arguments='{"on": true}')
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.COMPLETED, heard="", calls=(call,))
    told = tell(translator, *TURN[:6], ended)
    kinds = [m["type"] for m in told]
    assert kinds[kinds.index("rate_limits.updated") + 1 :] == [
        "response.output_item.added",
        "conversation.item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "conversation.item.done",
        "response.done",
    ]
    [item] = told[-1]["response"]["output"]
    assert (item["type"], item["name"], item["call_id"]) == ("function_call", "light", "call_1")
    result = {"type": "function_call_output", "call_id": "call_1", "output": "done"}
    command, _ = send(translator, {"type": "conversation.item.create", "item": result})
    assert command.text == "<tool_response>\ndone\n</tool_response>"


def test_a_response_that_never_said_anything_has_no_items(translator: Translator) -> None:
    ended = ReplyEnded(turn_id="turn_1", status=ReplyStatus.FAILED, heard="")
    done = tell(translator, *TURN[:6], ended)[-1]["response"]
    assert (done["status"], done["output"]) == ("failed", [])


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ({"type": "response.cancel"}, StopTalking()),
        ({"type": "input_audio_buffer.commit"}, PushToTalk(pressed=False)),
        ({"type": "input_audio_buffer.clear"}, ForgetSpeech()),
        (
            {"type": "response.create", "response": {"instructions": "Greet."}},
            SayText(wanted=Configure(system_prompt="Greet.")),
        ),
        ({"type": "output_audio_buffer.clear"}, StopTalking()),
        ({"type": "assistant.mute", "muted": True}, Mute(muted=True)),
        (
            {
                "type": "assistant.playout",
                "heard_at_ms": 500,
                "clock_offset_ms": 500,
                "uplink_ms": 30,
            },
            HeardReply(at_s=1.0, uplink_ms=30.0),
        ),
        ({"type": "assistant.playout", "heard_at_ms": 500, "clock_offset_ms": None}, None),
        (
            {"type": "session.update", "session": {"type": "realtime", "instructions": "Rhyme."}},
            Configure(system_prompt="Rhyme."),
        ),
        (voice_update(voice="w", speed=1.5), Configure(voice="w", speed=1.5)),
        (voice_update(voice="marin"), Configure()),
    ],
)
def test_commands(translator: Translator, message: dict[str, Any], command: object) -> None:
    assert send(translator, message)[0] == command


def chosen(message: dict[str, Any]) -> dict[str, Any]:
    """The voice and its speed, of a message about the session."""
    output = message["session"]["audio"]["output"]
    return {"voice": output["voice"], "speed": output["speed"]}


def test_the_voices_that_are_here_are_offered(translator: Translator) -> None:
    created, voices = translator.greeting()
    assert chosen(created) == {"voice": "v", "speed": 1.0}
    assert voices["type"] == "assistant.voices"
    assert voices["voices"][1] == {"id": "w", "summary": "a woman", "languages": ["zh"]}


@pytest.mark.parametrize(
    ("wanted", "in_force"),
    [
        ({"voice": "w"}, {"voice": "w", "speed": 1.0}),
        ({"speed": 0.5}, {"voice": "v", "speed": 0.5}),
        ({"voice": "marin", "speed": 2}, {"voice": "v", "speed": 2.0}),
    ],
)
def test_only_a_voice_that_is_here_comes_into_force(
    translator: Translator, wanted: dict[str, Any], in_force: dict[str, Any]
) -> None:
    _, told = send(translator, voice_update(**wanted))
    assert chosen(told[0]) == in_force


def test_an_update_is_answered_with_what_is_in_force(translator: Translator) -> None:
    wanted = {"type": "realtime", "output_modalities": ["text"]}
    _, told = send(translator, {"type": "session.update", "session": wanted})
    assert told[0]["type"] == "session.updated"
    assert told[0]["session"]["output_modalities"] == ["text"]
    assert told[0]["session"]["instructions"] == "Be brief."


def test_an_alert_is_told_as_it_is(translator: Translator) -> None:
    alert = AlertChanged(
        stage="tts", percentile=95, is_over=True, value_ms=420.0, limit_ms=300, n_turns=50
    )
    (told,) = translator.to_wire(alert)
    assert told["type"] == "assistant.alert"
    assert told.items() >= {"stage": "tts", "is_over": True, "limit_ms": 300}.items()


def test_less_than_usual_is_told_with_its_code(translator: Translator) -> None:
    given = Degraded(stage="brain", code=Shortfall.CUT_SHORT, reason="the answer was cut short")
    (told,) = tell(translator, given)
    assert told["type"] == "assistant.degraded"
    assert (told["stage"], told["code"], told["reason"]) == ("brain", "cut_short", given.reason)


def test_whether_the_conversation_is_recorded_is_told(translator: Translator) -> None:
    (told,) = translator.to_wire(RecordingChanged(is_on=True))
    assert (told["type"], told["is_on"]) == ("assistant.recording", True)


def test_a_ping_is_answered_with_our_clock(translator: Translator) -> None:
    _, told = send(translator, {"type": "assistant.ping", "sent_at_ms": 7})
    assert (told[0]["sent_at_ms"], told[0]["server_at_ms"]) == (7, 2_000)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (
            {
                "type": "conversation.item.truncate",
                "item_id": "a",
                "content_index": 0,
                "audio_end_ms": 1,
            },
            "item_truncate_invalid_item_id",
        ),
        (
            {
                "type": "conversation.item.truncate",
                "item_id": question_id("turn_1"),
                "content_index": 0,
                "audio_end_ms": 1,
            },
            "unsupported_content_type",
        ),
        ({"type": "conversation.item.delete", "item_id": "a"}, "item_delete_invalid_item_id"),
        ({"type": "conversation.item.retrieve", "item_id": "a"}, "item_retrieve_invalid_item_id"),
        (
            create({"type": "input_text", "text": "x"}, id=question_id("turn_1")),
            "item_create_duplicate_item_id",
        ),
        (
            create({"type": "input_text", "text": "x"}) | {"previous_item_id": "a"},
            "item_create_invalid_previous_item_id",
        ),
        ({"type": "response.cancel", "response_id": "old"}, "response_cancel_not_active"),
        ({"type": "input_audio_buffer.append", "audio": "AAAA"}, "unsupported_event"),
        (
            {
                "type": "session.update",
                "session": {"type": "realtime", "audio": {"input": {"turn_detection": None}}},
            },
            "unsupported_value",
        ),
        (create({"type": "input_audio", "audio": "AAAA"}), "invalid_value"),
    ],
)
def test_what_cannot_be_done_says_so(
    translator: Translator, message: dict[str, Any], code: str
) -> None:
    tell(translator, *TURN)
    with pytest.raises(ProtocolError) as caught:
        send(translator, message)
    assert caught.value.code == code
