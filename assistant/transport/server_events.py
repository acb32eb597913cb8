"""The OpenAI Realtime protocol (GA), the server's half: functions that make events. Pure.

Each returns a new JSON object with an `event_id` of its own. Those about a response are in
response_events.py.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterable
from typing import Any, Literal

from assistant.errors import ProtocolError
from assistant.voices import KnownVoice

Message = dict[str, Any]
Part = dict[str, Any]
ItemStatus = Literal["in_progress", "completed", "incomplete"]


def new_id(kind: str) -> str:
    """Such as "item_5f0c…"; the protocol's kinds are event, sess, item, resp and rtc (a call)."""
    return f"{kind}_{secrets.token_hex(10)}"


def session_created(session: Message) -> Message:
    return event("session.created", session=session)


def session_updated(session: Message) -> Message:
    return event("session.updated", session=session)


def session(
    *,
    session_id: str,
    model: str,
    voice: str,
    speed: float,
    instructions: str,
    max_tokens: int,
) -> Message:
    """The configuration that a session begins with, for the two events above."""
    return {
        "type": "realtime",
        "object": "realtime.session",
        "id": session_id,
        "model": model,
        "instructions": instructions,
        "output_modalities": ["audio"],
        "max_output_tokens": max_tokens,
        "audio": {
            "input": {
                "format": audio_format("audio/pcm", 24_000),
                "noise_reduction": None,
                "transcription": {"model": "whisper"},
                "turn_detection": turn_detection("semantic_vad", eagerness="auto"),
            },
            "output": {
                "format": audio_format("audio/pcm", 24_000),
                "voice": voice,
                "speed": speed,
            },
        },
        "tools": [],
        "tool_choice": "auto",
        "tracing": None,
    }


def audio_format(kind: str, rate_hz: int) -> Message:
    return {"type": kind, "rate": rate_hz} if kind == "audio/pcm" else {"type": kind}


def turn_detection(kind: str, **settings: Any) -> Message:
    return {"type": kind, **settings, "create_response": True, "interrupt_response": True}


def tool(*, name: str, description: str, parameters: Any) -> Message:
    return {
        "type": "function",
        "name": name,
        "description": description,
        "parameters": parameters,
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
    return event(
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


def input_audio_cleared() -> Message:
    return event("input_audio_buffer.cleared")


def speech_started(*, item_id: str, audio_start_ms: int) -> Message:
    return event(
        "input_audio_buffer.speech_started", item_id=item_id, audio_start_ms=audio_start_ms
    )


def speech_stopped(*, item_id: str, audio_end_ms: int) -> Message:
    return event("input_audio_buffer.speech_stopped", item_id=item_id, audio_end_ms=audio_end_ms)


def input_audio_committed(*, item_id: str, previous_item_id: str | None) -> Message:
    return event("input_audio_buffer.committed", item_id=item_id, previous_item_id=previous_item_id)


def item_added(item: Message, *, previous_item_id: str | None) -> Message:
    """In GA, `conversation.item.created` is no more: this took its place."""
    return event("conversation.item.added", item=item, previous_item_id=previous_item_id)


def item_done(item: Message, *, previous_item_id: str | None) -> Message:
    return event("conversation.item.done", item=item, previous_item_id=previous_item_id)


def item_deleted(*, item_id: str) -> Message:
    return event("conversation.item.deleted", item_id=item_id)


def item_retrieved(item: Message) -> Message:
    return event("conversation.item.retrieved", item=item)


def item_truncated(*, item_id: str, audio_end_ms: int) -> Message:
    return event(
        "conversation.item.truncated", item_id=item_id, content_index=0, audio_end_ms=audio_end_ms
    )


def user_item(item_id: str, *content: Part, status: ItemStatus = "completed") -> Message:
    return _item(item_id, "user", content, status)


def assistant_item(item_id: str, *content: Part, status: ItemStatus = "completed") -> Message:
    return _item(item_id, "assistant", content, status)


def system_item(item_id: str, *content: Part) -> Message:
    return _item(item_id, "system", content, "completed")


def call_item(
    item_id: str, *, call_id: str, name: str, arguments: str, status: ItemStatus = "completed"
) -> Message:
    return {
        "object": "realtime.item",
        "id": item_id,
        "type": "function_call",
        "status": status,
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def call_output_item(item_id: str, *, call_id: str, output: str) -> Message:
    return {
        "object": "realtime.item",
        "id": item_id,
        "type": "function_call_output",
        "status": "completed",
        "call_id": call_id,
        "output": output,
    }


def input_image() -> Part:
    """Without the image: the client has it."""
    return {"type": "input_image"}


def input_text(text: str) -> Part:
    return {"type": "input_text", "text": text}


def input_audio(transcript: str | None = None) -> Part:
    return {"type": "input_audio", "transcript": transcript}


def output_text(text: str) -> Part:
    return {"type": "output_text", "text": text}


def output_audio(transcript: str) -> Part:
    return {"type": "output_audio", "transcript": transcript}


def transcription_delta(*, item_id: str, delta: str) -> Message:
    return event(
        "conversation.item.input_audio_transcription.delta",
        item_id=item_id,
        content_index=0,
        delta=delta,
    )


def transcription_completed(*, item_id: str, transcript: str, speech_ms: float) -> Message:
    return event(
        "conversation.item.input_audio_transcription.completed",
        item_id=item_id,
        content_index=0,
        transcript=transcript,
        usage={"type": "duration", "seconds": round(speech_ms / 1_000, 3)},
    )


def transcription_failed(*, item_id: str, message: str) -> Message:
    return event(
        "conversation.item.input_audio_transcription.failed",
        item_id=item_id,
        content_index=0,
        error={"type": "server_error", "code": "recognizer", "message": message, "param": None},
    )


def state(now: Literal["listening", "thinking", "speaking"]) -> Message:
    """Ours: what the assistant is doing."""
    return event("assistant.state", state=now)


def partial(*, item_id: str, committed: str, tentative: str) -> Message:
    """Ours: what is being said. `tentative` may change, so it cannot be a delta."""
    return event("assistant.partial", item_id=item_id, committed=committed, tentative=tentative)


def timeline(*, turn_id: str, **ledger: Any) -> Message:
    """Ours: where the time of one turn went."""
    return event("assistant.timeline", turn_id=turn_id, **ledger)


def scene(facts: Iterable[str], preview: bytes) -> Message:
    """Ours: somebody looked at this frame, a small JPEG, and saw this in it."""
    picture = base64.b64encode(preview).decode()
    return event("assistant.scene", facts=list(facts), picture=f"data:image/jpeg;base64,{picture}")


def voices(offered: Iterable[KnownVoice]) -> Message:
    """Ours: what `audio.output.voice` may be."""
    listed = [
        {"id": voice.id, "summary": voice.summary, "languages": list(voice.languages)}
        for voice in offered
    ]
    return event("assistant.voices", voices=listed)


def degraded(*, stage: str, code: str, reason: str) -> Message:
    """Ours: a stage gave less than usual: which way, and why. `code` is one of Shortfall."""
    return event("assistant.degraded", stage=stage, code=code, reason=reason)


def working(doing: str) -> Message:
    """Ours: something is done before there is more to say."""
    return event("assistant.working", doing=doing)


def alert(**alert: Any) -> Message:
    """Ours: a percentile of everybody's last turns is over its limit, or is so no more."""
    return event("assistant.alert", **alert)


def recording(*, is_on: bool) -> Message:
    """Ours: what is said and shown is kept on disk, or is so no more."""
    return event("assistant.recording", is_on=is_on)


def memory(**kept: Any) -> Message:
    """Ours: what becomes of the conversation's words, and which earlier ones it goes on from."""
    return event("assistant.memory", **kept)


def resume(token: str, *, last_event_id: str | None) -> Message:
    """Ours: whose line is lost may call again with this and goes on with the conversation.

    `last_event_id`: the last of the client's events that came through.
    """
    return event("assistant.resume", token=token, last_event_id=last_event_id)


def pong(*, sent_at_ms: float, server_at_s: float) -> Message:
    """Ours: the answer to a ping. `server_at_s` is on our monotonic clock."""
    return event("assistant.pong", sent_at_ms=sent_at_ms, server_at_ms=1_000 * server_at_s)


def event(kind: str, **fields: Any) -> Message:
    """Any of them."""
    return {"type": kind, "event_id": new_id("event"), **fields}


def _item(item_id: str, role: str, content: Iterable[Part], status: ItemStatus) -> Message:
    return {
        "object": "realtime.item",
        "id": item_id,
        "type": "message",
        "role": role,
        "status": status,
        "content": list(content),
    }
