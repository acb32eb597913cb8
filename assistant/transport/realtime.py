"""The OpenAI Realtime protocol (GA), the client's half: text in, typed events out. Pure.

Names and fields are those of https://platform.openai.com/docs/api-reference/realtime; what begins
with "assistant." is ours. What a client may set is in settings.py, what it may add to the
conversation in items.py; what the server says back is in server_events.py, and what either means
to a session in translator.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from assistant.errors import ProtocolError
from assistant.transport.client_event import FromClient
from assistant.transport.fields import Fields
from assistant.transport.items import ItemCreate, read_item_create
from assistant.transport.settings import (
    SessionUpdate,
    read_max_tokens,
    read_modality,
    read_session,
)

MAX_EVENT_BYTES = 256 * 1024
"""What aiortc announces as the largest data channel message."""

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
"""Of a WebSocket: a photograph, or a minute of sound at once."""

_PERSON = re.compile(r"[A-Za-z0-9_-]{32,128}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTruncate(FromClient):
    """The client played only this much of an answer, so the rest was not heard."""

    item_id: str
    audio_end_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDelete(FromClient):
    item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRetrieve(FromClient):
    item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseCreate(FromClient):
    """Answer now; None leaves a setting as it is in the session."""

    instructions: str | None = None
    speaks: bool | None = None
    max_reply_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseCancel(FromClient):
    response_id: str | None = None
    """None for whichever is in progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAudioAppend(FromClient):
    encoded: bytes
    """In the session's input format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAudioCommit(FromClient):
    """What was appended is all that was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAudioClear(FromClient):
    """Forget what is being said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputAudioClear(FromClient):
    """Be silent at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Playout(FromClient):
    """Ours: the answer became audible at the listener."""

    heard_at_s: float | None
    """On our monotonic clock; None until the client knows how far the clocks are apart."""

    uplink_ms: float | None
    """How long sound takes from the microphone to us; None where the client does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute(FromClient):
    """Ours: the person switched the microphone off, or on again."""

    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PushToTalk(FromClient):
    """Ours: while the key is pressed everything is speech, and letting it go ends the turn."""

    pressed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping(FromClient):
    """Ours: asks for a pong with our time."""

    sent_at_ms: float
    """On the client's clock, whichever that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(FromClient):
    """Ours: who this is, as far as it matters for what was said earlier."""

    person: str = field(repr=False)


ClientEvent = (
    SessionUpdate
    | ItemCreate
    | ItemTruncate
    | ItemDelete
    | ItemRetrieve
    | ResponseCreate
    | ResponseCancel
    | InputAudioAppend
    | InputAudioCommit
    | InputAudioClear
    | OutputAudioClear
    | Playout
    | Mute
    | PushToTalk
    | Ping
    | Remember
)


def parse(text: str, *, max_bytes: int = MAX_EVENT_BYTES) -> ClientEvent:
    """One client event. Raises ProtocolError, with the event's id where it has one."""
    fields = Fields(load_json(text, max_bytes=max_bytes))
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
    return read_session(Fields(load_json(text), "session"))


def load_json(text: str, *, max_bytes: int = MAX_EVENT_BYTES) -> Any:
    """Raises ProtocolError."""
    if len(text.encode("utf-8", "surrogatepass")) > max_bytes:
        raise ProtocolError(
            f"An event may have {max_bytes // 1024} KiB at most.", code="message_too_large"
        )
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("An event must be valid JSON.", code="invalid_json") from error


def _refuse_constant(name: str) -> float:
    """Python would read NaN and Infinity, which JSON does not have."""
    raise ValueError(name)


def checked_person(person: str) -> str:
    """An id that nobody can guess. Raises ProtocolError."""
    if not _PERSON.fullmatch(person):
        raise ProtocolError(
            "A person is known by 32 to 128 random letters, digits, - and _.",
            code="invalid_value",
            param="person",
        )
    return person


def _read_session_update(fields: Fields, event_id: str | None) -> SessionUpdate:
    return read_session(fields.object("session"), event_id)


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
    response.refuse("tools", "they count for the whole session; use session.update")
    response.refuse("input", "a response always uses the whole conversation")
    response.refuse("prompt", "there are no stored prompts; use instructions")
    if response.text_or_none("conversation") not in (None, "auto"):
        raise response.unsupported("conversation", "a response always joins the conversation")
    if not response.take_if("tool_choice", "auto"):
        response.refuse("tool_choice", "it counts for the whole session; use session.update")
    response.skip("audio", "metadata", "parallel_tool_calls", "reasoning")
    event = ResponseCreate(
        event_id=event_id,
        instructions=response.text_or_none("instructions"),
        speaks=read_modality(response),
        max_reply_tokens=read_max_tokens(response),
    )
    response.end()
    return event


def _read_playout(fields: Fields, event_id: str | None) -> Playout:
    heard_at_ms = fields.number("heard_at_ms")
    offset_ms = fields.number_or_none("clock_offset_ms")
    return Playout(
        event_id=event_id,
        heard_at_s=None if offset_ms is None else (heard_at_ms + offset_ms) / 1_000,
        uplink_ms=fields.number_or_none("uplink_ms"),
    )


_READERS: dict[str, Callable[[Fields, str | None], ClientEvent]] = {
    "session.update": _read_session_update,
    "conversation.item.create": read_item_create,
    "conversation.item.truncate": _read_item_truncate,
    "conversation.item.delete": lambda fields, event_id: ItemDelete(
        event_id=event_id, item_id=fields.text("item_id")
    ),
    "conversation.item.retrieve": lambda fields, event_id: ItemRetrieve(
        event_id=event_id, item_id=fields.text("item_id")
    ),
    "response.create": _read_response_create,
    "response.cancel": lambda fields, event_id: ResponseCancel(
        event_id=event_id, response_id=fields.text_or_none("response_id")
    ),
    "input_audio_buffer.append": lambda fields, event_id: InputAudioAppend(
        event_id=event_id, encoded=fields.base64("audio")
    ),
    "input_audio_buffer.commit": lambda _, event_id: InputAudioCommit(event_id=event_id),
    "input_audio_buffer.clear": lambda _, event_id: InputAudioClear(event_id=event_id),
    "output_audio_buffer.clear": lambda _, event_id: OutputAudioClear(event_id=event_id),
    "assistant.playout": _read_playout,
    "assistant.mute": lambda fields, event_id: Mute(event_id=event_id, muted=fields.flag("muted")),
    "assistant.push_to_talk": lambda fields, event_id: PushToTalk(
        event_id=event_id, pressed=fields.flag("pressed")
    ),
    "assistant.remember": lambda fields, event_id: Remember(
        event_id=event_id, person=checked_person(fields.text("person"))
    ),
    "assistant.ping": lambda fields, event_id: Ping(
        event_id=event_id, sent_at_ms=fields.number("sent_at_ms")
    ),
}
