"""The OpenAI Realtime protocol (GA), the client's half: text in, typed events out. Pure.

Names and fields are those of https://platform.openai.com/docs/api-reference/realtime; what begins
with "assistant." is ours. What the server says back is in server_events.py, what either means
to a session in translator.py.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assistant.errors import ProtocolError
from assistant.transport.fields import Fields

MAX_EVENT_BYTES = 256 * 1024
"""What aiortc announces as the largest data channel message; the same for WebSockets."""

MAX_REPLY_TOKENS = 4_096
"""The protocol's own limit, and what "inf" means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    event_id: str | None = None
    """The client's own name for this event; errors about it repeat it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionUpdate(_Event):
    """Settings to change; None leaves one as it is.

    Models, voices, audio formats and the like are accepted and not looked at: `session.updated`
    answers with what is really in force.
    """

    instructions: str | None = None
    """Replaces the system prompt."""

    speaks: bool | None = None
    """False for replies as text alone."""

    max_reply_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputText:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputImage:
    encoded: bytes
    """A whole PNG or JPEG file; see `pictures.decode`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCreate(_Event):
    """A message of the user that was not spoken, added to the end of the conversation."""

    content: tuple[InputText | InputImage, ...]
    item_id: str | None = None
    """The client's own id for the item; None for one of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTruncate(_Event):
    """The client played only this much of an answer, so the rest was not heard."""

    item_id: str
    audio_end_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseCreate(_Event):
    """Answer now, with the session's settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseCancel(_Event):
    response_id: str | None = None
    """None for whichever is in progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAudioClear(_Event):
    """Forget what is being said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputAudioClear(_Event):
    """Be silent at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Playout(_Event):
    """Ours: the answer became audible at the listener."""

    heard_at_s: float | None
    """On our monotonic clock; None until the client knows how far the clocks are apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute(_Event):
    """Ours: the person switched the microphone off, or on again."""

    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PushToTalk(_Event):
    """Ours: while the key is pressed everything is speech, and letting it go ends the turn."""

    pressed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping(_Event):
    """Ours: asks for a pong with our time."""

    sent_at_ms: float
    """On the client's clock, whichever that is."""


ClientEvent = (
    SessionUpdate
    | ItemCreate
    | ItemTruncate
    | ResponseCreate
    | ResponseCancel
    | InputAudioClear
    | OutputAudioClear
    | Playout
    | Mute
    | PushToTalk
    | Ping
)


def parse(text: str) -> ClientEvent:
    """One client event. Raises ProtocolError, with the event's id where it has one."""
    fields = Fields(_load(text))
    event_id = fields.text_or_none("event_id")
    try:
        read = _READERS[fields.choice("type", _READERS)]
        event = read(fields, event_id)
        fields.end()
    except ProtocolError as error:
        error.event_id = event_id
        raise
    return event


def parse_session(text: str) -> SessionUpdate:
    """The `session` that may come along with an SDP offer. Raises ProtocolError."""
    return _read_session(Fields(_load(text), "session"), None)


def _load(text: str) -> Any:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_EVENT_BYTES:
        raise ProtocolError(
            f"An event may have {MAX_EVENT_BYTES // 1024} KiB at most.", code="message_too_large"
        )
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("An event must be valid JSON.", code="invalid_json") from error


def _refuse_constant(name: str) -> float:
    """Python would read NaN and Infinity, which JSON does not have."""
    raise ValueError(name)


def _read_session_update(fields: Fields, event_id: str | None) -> SessionUpdate:
    return _read_session(fields.object("session"), event_id)


def _read_session(session: Fields, event_id: str | None) -> SessionUpdate:
    session.choice("type", ("realtime",))
    session.refuse("tools", "function calls are not implemented")
    session.refuse("prompt", "there are no stored prompts; use instructions")
    session.skip("id", "object", "expires_at", "model", "include", "tool_choice", "tracing")
    session.skip("truncation", "parallel_tool_calls", "reasoning")
    if audio := session.object_or_none("audio"):
        _read_audio(audio)
    update = SessionUpdate(
        event_id=event_id,
        instructions=session.text_or_none("instructions"),
        speaks=_read_modality(session),
        max_reply_tokens=_read_max_tokens(session),
    )
    session.end()
    return update


def _read_audio(audio: Fields) -> None:
    """Nothing here changes anything yet, so whatever would have to is refused."""
    if ours := audio.object_or_none("output"):
        ours.skip("format", "voice", "speed")
        ours.end()
    if theirs := audio.object_or_none("input"):
        if theirs.take_null("turn_detection"):
            raise theirs.unsupported("turn_detection", "it cannot be switched off")
        if turn_detection := theirs.object_or_none("turn_detection"):
            turn_detection.choice("type", ("server_vad", "semantic_vad"))
            for switch in ("create_response", "interrupt_response"):
                if turn_detection.flag_or_none(switch) is False:
                    raise turn_detection.unsupported(switch, "it cannot be switched off")
            turn_detection.refuse("idle_timeout_ms", "the assistant does not speak unasked")
            turn_detection.skip("threshold", "prefix_padding_ms", "silence_duration_ms")
            turn_detection.skip("eagerness")
            turn_detection.end()
        theirs.skip("format", "noise_reduction", "transcription")
        theirs.end()
    audio.end()


def _read_modality(fields: Fields) -> bool | None:
    modalities = fields.list_or_none("output_modalities")
    if modalities is None:
        return None
    if modalities not in (["audio"], ["text"]):
        raise fields.unsupported("output_modalities", 'it must be ["audio"] or ["text"]')
    return modalities == ["audio"]


def _read_max_tokens(fields: Fields) -> int | None:
    if fields.take_if("max_output_tokens", "inf"):
        return MAX_REPLY_TOKENS
    return fields.whole_or_none("max_output_tokens", 1, MAX_REPLY_TOKENS)


def _read_item_create(fields: Fields, event_id: str | None) -> ItemCreate:
    fields.refuse("previous_item_id", "items are added at the end")
    item = fields.object("item")
    item.choice("type", ("message",))
    item.choice("role", ("user",))
    item.skip("object", "status")
    parts = item.objects("content")
    if not parts:
        raise item.unsupported("content", "it is empty")
    event = ItemCreate(
        event_id=event_id,
        item_id=item.text_or_none("id"),
        content=tuple(_read_content(part) for part in parts),
    )
    item.end()
    return event


def _read_content(part: Fields) -> InputText | InputImage:
    content: InputText | InputImage
    if part.choice("type", ("input_text", "input_image")) == "input_text":
        content = InputText(text=part.text("text"))
    else:
        part.skip("detail")
        content = InputImage(encoded=_read_data_url(part))
    part.end()
    return content


def _read_data_url(part: Fields) -> bytes:
    header, _, encoded = part.text("image_url").partition(",")
    if header not in ("data:image/png;base64", "data:image/jpeg;base64"):
        raise part.unsupported("image_url", "it must be a data URL of a PNG or JPEG in base64")
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise part.unsupported("image_url", "its base64 is damaged") from error


def _read_item_truncate(fields: Fields, event_id: str | None) -> ItemTruncate:
    fields.whole("content_index", 0, 0)
    return ItemTruncate(
        event_id=event_id,
        item_id=fields.text("item_id"),
        audio_end_ms=fields.whole("audio_end_ms", 0, 2**31),
    )


def _read_response_create(fields: Fields, event_id: str | None) -> ResponseCreate:
    response = fields.object_or_none("response")
    if response is None:
        return ResponseCreate(event_id=event_id)
    response.refuse("tools", "function calls are not implemented")
    response.refuse("input", "a response always uses the whole conversation")
    response.refuse("prompt", "there are no stored prompts; use instructions")
    if response.text_or_none("conversation") not in (None, "auto"):
        raise response.unsupported("conversation", "a response always joins the conversation")
    for setting in ("instructions", "output_modalities", "max_output_tokens"):
        response.refuse(setting, "it counts for the whole session; use session.update")
    response.skip("audio", "metadata", "tool_choice", "parallel_tool_calls", "reasoning")
    response.end()
    return ResponseCreate(event_id=event_id)


def _read_playout(fields: Fields, event_id: str | None) -> Playout:
    heard_at_ms = fields.number("heard_at_ms")
    offset_ms = fields.number_or_none("clock_offset_ms")
    return Playout(
        event_id=event_id,
        heard_at_s=None if offset_ms is None else (heard_at_ms + offset_ms) / 1_000,
    )


_READERS: dict[str, Callable[[Fields, str | None], ClientEvent]] = {
    "session.update": _read_session_update,
    "conversation.item.create": _read_item_create,
    "conversation.item.truncate": _read_item_truncate,
    "response.create": _read_response_create,
    "response.cancel": lambda fields, event_id: ResponseCancel(
        event_id=event_id, response_id=fields.text_or_none("response_id")
    ),
    "input_audio_buffer.clear": lambda _, event_id: InputAudioClear(event_id=event_id),
    "output_audio_buffer.clear": lambda _, event_id: OutputAudioClear(event_id=event_id),
    "assistant.playout": _read_playout,
    "assistant.mute": lambda fields, event_id: Mute(event_id=event_id, muted=fields.flag("muted")),
    "assistant.push_to_talk": lambda fields, event_id: PushToTalk(
        event_id=event_id, pressed=fields.flag("pressed")
    ),
    "assistant.ping": lambda fields, event_id: Ping(
        event_id=event_id, sent_at_ms=fields.number("sent_at_ms")
    ),
}
