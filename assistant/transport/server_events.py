"""The OpenAI Realtime protocol (GA), the server's half: functions that make events. Pure.

Each returns a new JSON object with an `event_id` of its own. A response has one item and that has
one content part, so `output_index` and `content_index` are always 0.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any, Literal

from assistant.errors import ProtocolError

Message = dict[str, Any]
Part = dict[str, Any]
ItemStatus = Literal["in_progress", "completed", "incomplete"]
ResponseStatus = Literal["in_progress", "completed", "cancelled", "failed", "incomplete"]


def new_id(kind: str) -> str:
    """Such as "item_5f0c…"; the protocol's kinds are event, sess, item, resp and rtc (a call)."""
    return f"{kind}_{secrets.token_hex(10)}"


def session_created(session: Message) -> Message:
    return _event("session.created", session=session)


def session_updated(session: Message) -> Message:
    return _event("session.updated", session=session)


def session(
    *,
    session_id: str,
    model: str,
    voice: str,
    instructions: str,
    speaks: bool,
    max_tokens: int,
) -> Message:
    """The configuration in force, for the two events above."""
    return {
        "type": "realtime",
        "object": "realtime.session",
        "id": session_id,
        "model": model,
        "instructions": instructions,
        "output_modalities": ["audio" if speaks else "text"],
        "max_output_tokens": max_tokens,
        "audio": {
            "input": {
                "turn_detection": {
                    "type": "semantic_vad",
                    "create_response": True,
                    "interrupt_response": True,
                }
            },
            "output": {"voice": voice},
        },
        "tools": [],
        "tool_choice": "none",
    }


def error(
    message: str,
    *,
    code: str,
    param: str | None = None,
    event_id: str | None = None,
    kind: Literal["invalid_request_error", "server_error"] = "server_error",
) -> Message:
    """`event_id` is the client's own, of the event that went wrong."""
    return _event(
        "error",
        error={
            "type": kind,
            "code": code,
            "message": message,
            "param": param,
            "event_id": event_id,
        },
    )


def error_about(mistake: ProtocolError) -> Message:
    return error(
        str(mistake),
        code=mistake.code,
        param=mistake.param,
        event_id=mistake.event_id,
        kind="invalid_request_error",
    )


def speech_started(*, item_id: str, audio_start_ms: int) -> Message:
    return _event(
        "input_audio_buffer.speech_started", item_id=item_id, audio_start_ms=audio_start_ms
    )


def speech_stopped(*, item_id: str, audio_end_ms: int) -> Message:
    return _event("input_audio_buffer.speech_stopped", item_id=item_id, audio_end_ms=audio_end_ms)


def input_audio_committed(*, item_id: str, previous_item_id: str | None) -> Message:
    return _event(
        "input_audio_buffer.committed", item_id=item_id, previous_item_id=previous_item_id
    )


def item_added(item: Message, *, previous_item_id: str | None) -> Message:
    """In GA, `conversation.item.created` is no more: this took its place."""
    return _event("conversation.item.added", item=item, previous_item_id=previous_item_id)


def item_done(item: Message, *, previous_item_id: str | None) -> Message:
    return _event("conversation.item.done", item=item, previous_item_id=previous_item_id)


def item_truncated(*, item_id: str, audio_end_ms: int) -> Message:
    return _event(
        "conversation.item.truncated", item_id=item_id, content_index=0, audio_end_ms=audio_end_ms
    )


def user_item(item_id: str, *content: Part, status: ItemStatus = "completed") -> Message:
    return _item(item_id, "user", content, status)


def assistant_item(item_id: str, *content: Part, status: ItemStatus = "completed") -> Message:
    return _item(item_id, "assistant", content, status)


def input_text(text: str) -> Part:
    return {"type": "input_text", "text": text}


def input_audio(transcript: str | None = None) -> Part:
    return {"type": "input_audio", "transcript": transcript}


def output_text(text: str) -> Part:
    return {"type": "output_text", "text": text}


def output_audio(transcript: str) -> Part:
    return {"type": "output_audio", "transcript": transcript}


def transcription_delta(*, item_id: str, delta: str) -> Message:
    return _event(
        "conversation.item.input_audio_transcription.delta",
        item_id=item_id,
        content_index=0,
        delta=delta,
    )


def transcription_completed(*, item_id: str, transcript: str, speech_ms: float) -> Message:
    return _event(
        "conversation.item.input_audio_transcription.completed",
        item_id=item_id,
        content_index=0,
        transcript=transcript,
        usage={"type": "duration", "seconds": round(speech_ms / 1_000, 3)},
    )


def response(
    response_id: str,
    *,
    status: ResponseStatus,
    speaks: bool,
    output: Iterable[Message] = (),
    reason: str | None = None,
) -> Message:
    """For the two events below. `reason`: why it did not complete, such as "turn_detected"."""
    details = None if status in ("in_progress", "completed") else {"type": status, "reason": reason}
    return {
        "object": "realtime.response",
        "id": response_id,
        "status": status,
        "status_details": details,
        "output": list(output),
        "output_modalities": ["audio" if speaks else "text"],
        "usage": None,
    }


def response_created(response: Message) -> Message:
    return _event("response.created", response=response)


def response_done(response: Message) -> Message:
    return _event("response.done", response=response)


def output_item_added(item: Message, *, response_id: str) -> Message:
    return _event("response.output_item.added", response_id=response_id, output_index=0, item=item)


def output_item_done(item: Message, *, response_id: str) -> Message:
    return _event("response.output_item.done", response_id=response_id, output_index=0, item=item)


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


def output_audio_started(*, response_id: str) -> Message:
    return _event("output_audio_buffer.started", response_id=response_id)


def output_audio_stopped(*, response_id: str) -> Message:
    return _event("output_audio_buffer.stopped", response_id=response_id)


def output_audio_cleared(*, response_id: str) -> Message:
    return _event("output_audio_buffer.cleared", response_id=response_id)


def state(now: Literal["listening", "thinking", "speaking"]) -> Message:
    """Ours: what the assistant is doing."""
    return _event("assistant.state", state=now)


def partial(*, item_id: str, committed: str, tentative: str) -> Message:
    """Ours: what is being said. `tentative` may change, so it cannot be a delta."""
    return _event("assistant.partial", item_id=item_id, committed=committed, tentative=tentative)


def timeline(*, turn_id: str, **ledger: Any) -> Message:
    """Ours: where the time of one turn went."""
    return _event("assistant.timeline", turn_id=turn_id, **ledger)


def scene(facts: Iterable[str]) -> Message:
    """Ours: what the camera showed."""
    return _event("assistant.scene", facts=list(facts))


def degraded(*, stage: str, reason: str) -> Message:
    """Ours: a stage gave less than usual, and why."""
    return _event("assistant.degraded", stage=stage, reason=reason)


def pong(*, sent_at_ms: float, server_at_s: float) -> Message:
    """Ours: the answer to a ping. `server_at_s` is on our monotonic clock."""
    return _event("assistant.pong", sent_at_ms=sent_at_ms, server_at_ms=1_000 * server_at_s)


def _event(kind: str, **fields: Any) -> Message:
    return {"type": kind, "event_id": new_id("event"), **fields}


def _output(kind: str, response_id: str, item_id: str, **fields: str) -> Message:
    place = {"response_id": response_id, "item_id": item_id, "output_index": 0, "content_index": 0}
    return _event(kind, **place, **fields)


def _item(item_id: str, role: str, content: Iterable[Part], status: ItemStatus) -> Message:
    return {
        "object": "realtime.item",
        "id": item_id,
        "type": "message",
        "role": role,
        "status": status,
        "content": list(content),
    }
