"""What a client may set of its session, read from JSON. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assistant.tools import Tool
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.client_event import FromClient
from assistant.transport.fields import Fields

MIN_SPEED, MAX_SPEED = 0.5, 2.0
"""As in the settings file. The protocol's own range is 0.25 to 1.5."""

MAX_REPLY_TOKENS = 4_096
"""The protocol's own limit, and what "inf" means."""

MAX_TOOLS = 32
MAX_SILENCE_MS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerVad:
    """Silence alone ends a turn."""

    threshold: float = 0.5
    prefix_padding_ms: int = 300
    silence_duration_ms: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticVad:
    """How a turn sounds decides how much silence ends it."""

    eagerness: str = "auto"


@dataclass(frozen=True, slots=True)
class NoTurnDetection:
    """The client says when a turn ends, and when it wants an answer."""


TurnDetection = ServerVad | SemanticVad | NoTurnDetection


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionUpdate(FromClient):
    """Settings to change; None leaves one as it is.

    Models, noise reduction and the like are accepted and not looked at: `session.updated` answers
    with what is really in force.
    """

    instructions: str | None = None
    """Replaces the system prompt."""

    speaks: bool | None = None
    """False for replies as text alone."""

    max_reply_tokens: int | None = None
    voice: str | None = None
    """The id of a voice. One that was not offered changes nothing."""

    speed: float | None = None
    input_format: AudioFormat | None = None
    output_format: AudioFormat | None = None
    turn_detection: TurnDetection | None = None
    tools: tuple[Tool, ...] | None = None
    calls_tools: bool | None = None
    """False: no tool is to be called, though they stay."""


def read_session(session: Fields, event_id: str | None = None) -> SessionUpdate:
    session.choice("type", ("realtime",))
    session.refuse("prompt", "there are no stored prompts; use instructions")
    session.skip("id", "object", "expires_at", "model", "include", "tracing")
    session.skip("truncation", "parallel_tool_calls", "reasoning")
    update = SessionUpdate(
        event_id=event_id,
        instructions=session.text_or_none("instructions"),
        speaks=read_modality(session),
        max_reply_tokens=read_max_tokens(session),
        tools=_read_tools(session),
        calls_tools=_read_tool_choice(session),
        **_read_audio(session.object_or_none("audio")),
    )
    session.end()
    return update


def read_modality(fields: Fields) -> bool | None:
    """Whether replies are spoken."""
    modalities = fields.list_or_none("output_modalities")
    if modalities is None:
        return None
    if modalities not in (["audio"], ["text"]):
        raise fields.unsupported("output_modalities", 'it must be ["audio"] or ["text"]')
    return modalities == ["audio"]


def read_max_tokens(fields: Fields) -> int | None:
    if fields.take_if("max_output_tokens", "inf"):
        return MAX_REPLY_TOKENS
    return fields.whole_or_none("max_output_tokens", 1, MAX_REPLY_TOKENS)


def _read_audio(audio: Fields | None) -> dict[str, Any]:
    if audio is None:
        return {}
    ours, theirs = audio.object_or_none("output"), audio.object_or_none("input")
    audio.end()
    settings: dict[str, Any] = {}
    if ours:
        settings["voice"] = _read_voice(ours)
        settings["speed"] = ours.between_or_none("speed", MIN_SPEED, MAX_SPEED)
        settings["output_format"] = _read_format(ours)
        ours.end()
    if theirs:
        settings["input_format"] = _read_format(theirs)
        settings["turn_detection"] = _read_turn_detection(theirs)
        theirs.skip("noise_reduction", "transcription")
        theirs.end()
    return settings


def _read_voice(output: Fields) -> str | None:
    """A name; a voice of the client's own making is none of ours."""
    own = output.take_object("voice")
    return output.text_or_none("voice") if own is None else None


def _read_format(fields: Fields) -> AudioFormat | None:
    wanted = fields.object_or_none("format")
    if wanted is None:
        return None
    audio_format = AudioFormat(wanted.choice("type", [known.value for known in AudioFormat]))
    wanted.whole_or_none("rate", audio_format.rate_hz, audio_format.rate_hz)
    wanted.end()
    return audio_format


def _read_turn_detection(audio: Fields) -> TurnDetection | None:
    if audio.take_null("turn_detection"):
        return NoTurnDetection()
    wanted = audio.object_or_none("turn_detection")
    if wanted is None:
        return None
    for switch in ("create_response", "interrupt_response"):
        if wanted.flag_or_none(switch) is False:
            raise wanted.unsupported(switch, "it cannot be switched off")
    wanted.refuse("idle_timeout_ms", "the assistant does not speak unasked")
    found: TurnDetection
    if wanted.choice("type", ("server_vad", "semantic_vad")) == "server_vad":
        default = ServerVad()
        threshold = wanted.between_or_none("threshold", 0, 1)
        padding_ms = wanted.whole_or_none("prefix_padding_ms", 0, MAX_SILENCE_MS)
        silence_ms = wanted.whole_or_none("silence_duration_ms", 0, MAX_SILENCE_MS)
        found = ServerVad(
            threshold=default.threshold if threshold is None else threshold,
            prefix_padding_ms=default.prefix_padding_ms if padding_ms is None else padding_ms,
            silence_duration_ms=default.silence_duration_ms if silence_ms is None else silence_ms,
        )
    else:
        eagerness = wanted.choice_or_none("eagerness", ("auto", "low", "medium", "high"))
        found = SemanticVad(eagerness=eagerness or "auto")
    # A client may hand back what `session.updated` told it, with the other kind's fields.
    wanted.skip("threshold", "prefix_padding_ms", "silence_duration_ms", "eagerness")
    wanted.end()
    return found


def _read_tool_choice(session: Fields) -> bool | None:
    if session.take_object("tool_choice") is not None:
        raise session.unsupported("tool_choice", "the model chooses by itself")
    choice = session.choice_or_none("tool_choice", ("auto", "none"))
    return None if choice is None else choice == "auto"


def _read_tools(session: Fields) -> tuple[Tool, ...] | None:
    offered = session.objects_or_none("tools")
    if offered is None:
        return None
    if len(offered) > MAX_TOOLS:
        raise session.unsupported("tools", f"there may be {MAX_TOOLS} at most")
    return tuple(map(_read_tool, offered))


def _read_tool(fields: Fields) -> Tool:
    fields.choice("type", ("function",))
    tool = Tool(
        name=fields.text("name"),
        description=fields.text_or_none("description") or "",
        parameters=fields.json_or_none("parameters") or "{}",
    )
    fields.end()
    return tool
