"""What a client may add to a conversation, read from JSON. Pure."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from assistant.transport.client_event import FromClient
from assistant.transport.fields import Fields

MAX_PARTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class InputText:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputText:
    """Words that the assistant is to have said."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputImage:
    encoded: bytes
    """A whole PNG or JPEG file; see `pictures.decode`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAudio:
    encoded: bytes
    """In the session's input format."""


Part = InputText | OutputText | InputImage | InputAudio

_PARTS_OF = {
    "user": ("input_text", "input_image", "input_audio"),
    "system": ("input_text",),
    "assistant": ("output_text", "output_audio"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    role: str
    """user, system or assistant."""

    content: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCall:
    """A call that was made in an earlier session."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCallOutput:
    call_id: str
    output: str


NewItem = NewMessage | NewCall | NewCallOutput


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCreate(FromClient):
    """Something that was not spoken."""

    item: NewItem
    item_id: str | None = None
    """The client's own id for the item; None for one of ours."""

    after_id: str | None = None
    """The item that it follows, or "root" for the beginning; None for the end."""

    @property
    def images(self) -> tuple[InputImage, ...]:
        content = self.item.content if isinstance(self.item, NewMessage) else ()
        return tuple(part for part in content if isinstance(part, InputImage))


def read_item_create(fields: Fields, event_id: str | None) -> ItemCreate:
    after_id = fields.text_or_none("previous_item_id")
    item = fields.object("item")
    kind = item.choice("type", ("message", "function_call", "function_call_output"))
    item.skip("object", "status")
    event = ItemCreate(
        event_id=event_id,
        item_id=item.text_or_none("id"),
        after_id=after_id,
        item=_read_message(item) if kind == "message" else _read_call(item, kind),
    )
    item.end()
    return event


def _read_message(item: Fields) -> NewMessage:
    role = item.choice("role", tuple(_PARTS_OF))
    parts = item.objects("content")
    if not parts:
        raise item.unsupported("content", "it is empty")
    if len(parts) > MAX_PARTS:
        raise item.unsupported("content", f"there may be {MAX_PARTS} parts at most")
    content = tuple(_read_part(part, role) for part in parts)
    if sum(isinstance(part, InputImage) for part in content) > 1:
        raise item.unsupported("content", "one message can show one image")
    return NewMessage(role=role, content=content)


def _read_part(part: Fields, role: str) -> Part:
    read: Part
    match part.choice("type", _PARTS_OF[role]):
        case "input_text":
            read = InputText(text=part.text("text"))
        case "output_text":
            read = OutputText(text=part.text("text"))
        case "output_audio":
            part.skip("audio")
            read = OutputText(text=part.text("transcript"))
        case "input_audio":
            read = _read_audio(part)
        case _:
            part.skip("detail")
            read = InputImage(encoded=_read_data_url(part))
    part.end()
    return read


def _read_audio(part: Fields) -> InputAudio | InputText:
    """A history that is handed back has the words alone."""
    encoded, transcript = part.base64_or_none("audio"), part.text_or_none("transcript")
    if encoded is None and transcript is not None:
        return InputText(text=transcript)
    return InputAudio(encoded=part.required("audio", encoded))


def _read_data_url(part: Fields) -> bytes:
    header, _, encoded = part.text("image_url").partition(",")
    if header not in ("data:image/png;base64", "data:image/jpeg;base64"):
        raise part.unsupported("image_url", "it must be a data URL of a PNG or JPEG in base64")
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise part.unsupported("image_url", "its base64 is damaged") from error


def _read_call(item: Fields, kind: str) -> NewCall | NewCallOutput:
    call_id = item.text("call_id")
    if kind == "function_call_output":
        return NewCallOutput(call_id=call_id, output=item.text("output"))
    return NewCall(call_id=call_id, name=item.text("name"), arguments=item.text("arguments"))
