"""The OpenAI Realtime protocol (GA), the server's half: what it tells of a response. Pure.

A response has one message, and that has one content part, whose `content_index` is always 0; calls
of functions follow it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any, Literal

from assistant.transport.server_events import Message, Part, event
from assistant.types import ReplyStats

ResponseStatus = Literal["in_progress", "completed", "cancelled", "failed", "incomplete"]


def response(
    response_id: str,
    *,
    status: ResponseStatus,
    speaks: bool,
    audio_output: Message,
    output: Iterable[Message] = (),
    reason: str | None = None,
    stats: ReplyStats | None = None,
) -> Message:
    """For the two events below. `audio_output`: format and voice; `reason`: of being cancelled."""
    details: Message | None = None
    if status == "failed":
        details = {"type": "failed", "error": {"type": "server_error", "code": "stage"}}
    elif status not in ("in_progress", "completed"):
        details = {"type": status, "reason": reason}
    return {
        "object": "realtime.response",
        "id": response_id,
        "status": status,
        "status_details": details,
        "output": list(output),
        "output_modalities": ["audio" if speaks else "text"],
        "audio": {"output": audio_output},
        "usage": None if stats is None else _usage(stats),
    }


def _usage(stats: ReplyStats) -> Message:
    return {
        "total_tokens": stats.prompt_tokens + stats.reply_tokens,
        "input_tokens": stats.prompt_tokens,
        "output_tokens": stats.reply_tokens,
        "input_token_details": {
            "cached_tokens": stats.cached_tokens,
            "text_tokens": stats.prompt_tokens,
            "audio_tokens": 0,
            "image_tokens": 0,
        },
        "output_token_details": {"text_tokens": stats.reply_tokens, "audio_tokens": 0},
    }


def response_created(response: Message) -> Message:
    return event("response.created", response=response)


def response_done(response: Message) -> Message:
    return event("response.done", response=response)


def output_item_added(item: Message, *, response_id: str, output_index: int = 0) -> Message:
    return event(
        "response.output_item.added", response_id=response_id, output_index=output_index, item=item
    )


def output_item_done(item: Message, *, response_id: str, output_index: int = 0) -> Message:
    return event(
        "response.output_item.done", response_id=response_id, output_index=output_index, item=item
    )


def content_part_added(*, response_id: str, item_id: str, part: Part) -> Message:
    return _output("response.content_part.added", response_id, item_id, part=part)


def content_part_done(*, response_id: str, item_id: str, part: Part) -> Message:
    return _output("response.content_part.done", response_id, item_id, part=part)


def text_part(text: str) -> Part:
    """Of the two events above, which have names of their own for the kinds."""
    return {"type": "text", "text": text}


def audio_part(transcript: str) -> Part:
    return {"type": "audio", "transcript": transcript}


def output_audio_delta(*, response_id: str, item_id: str, sound: bytes) -> Message:
    delta = base64.b64encode(sound).decode()
    return _output("response.output_audio.delta", response_id, item_id, delta=delta)


def output_audio_done(*, response_id: str, item_id: str) -> Message:
    return _output("response.output_audio.done", response_id, item_id)


def output_transcript_delta(*, response_id: str, item_id: str, delta: str) -> Message:
    return _output("response.output_audio_transcript.delta", response_id, item_id, delta=delta)


def output_transcript_done(*, response_id: str, item_id: str, transcript: str) -> Message:
    return _output(
        "response.output_audio_transcript.done", response_id, item_id, transcript=transcript
    )


def output_text_delta(*, response_id: str, item_id: str, delta: str) -> Message:
    return _output("response.output_text.delta", response_id, item_id, delta=delta)


def output_text_done(*, response_id: str, item_id: str, text: str) -> Message:
    return _output("response.output_text.done", response_id, item_id, text=text)


def call_arguments(call: Message, *, response_id: str, output_index: int) -> Iterable[Message]:
    """All of them, in one piece and then as a whole. `call`: the item."""
    place = {
        "response_id": response_id,
        "item_id": call["id"],
        "output_index": output_index,
        "call_id": call["call_id"],
    }
    arguments = call["arguments"]
    yield event("response.function_call_arguments.delta", **place, delta=arguments)
    yield event(
        "response.function_call_arguments.done", **place, name=call["name"], arguments=arguments
    )


def rate_limits_updated() -> Message:
    """There are none."""
    return event("rate_limits.updated", rate_limits=[])


def output_buffer_started(*, response_id: str) -> Message:
    return event("output_audio_buffer.started", response_id=response_id)


def output_buffer_stopped(*, response_id: str) -> Message:
    return event("output_audio_buffer.stopped", response_id=response_id)


def output_buffer_cleared(*, response_id: str) -> Message:
    return event("output_audio_buffer.cleared", response_id=response_id)


def _output(kind: str, response_id: str, item_id: str, **fields: Any) -> Message:
    place = {"response_id": response_id, "item_id": item_id, "output_index": 0, "content_index": 0}
    return event(kind, **place, **fields)
