"""The settings of one session that are in force, as the client was told of them. Pure."""

from __future__ import annotations

import json
from typing import Any

from assistant.errors import ProtocolError
from assistant.events import Configure, TurnDetection
from assistant.tools import Tool
from assistant.transport import server_events as wire
from assistant.transport import settings
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.settings import SessionUpdate
from assistant.voices import KnownVoice

Message = dict[str, Any]

_PATIENCE = {"low": 2.0, "medium": 1.0, "auto": 1.0, "high": 0.6}
"""What each eagerness means."""


class SessionBook:
    """`by_message`: whether sound travels in messages, as over a WebSocket, or on tracks."""

    def __init__(
        self, session: Message, *, voices: tuple[KnownVoice, ...], by_message: bool
    ) -> None:
        self.session = session
        """As in `session.created`."""

        self.input_format = AudioFormat.PCM
        self.output_format = AudioFormat.PCM
        self.detects_turns = True
        self._voices = voices
        self._by_message = by_message
        self._tools: tuple[Tool, ...] = ()
        self._calls_tools = True

    @property
    def audio_output(self) -> Message:
        """A copy: what a response was created with stays as it was told."""
        return {**self.session["audio"]["output"]}

    def update(self, event: SessionUpdate) -> Configure:
        """Put the changes in force; what the session has to do about them. Raises ProtocolError."""
        turn_detection = self._choose_detection(event.turn_detection)
        if event.instructions is not None:
            self.session["instructions"] = event.instructions
        if event.speaks is not None:
            self.session["output_modalities"] = ["audio" if event.speaks else "text"]
        if event.max_reply_tokens is not None:
            self.session["max_output_tokens"] = event.max_reply_tokens
        self._choose_formats(event)
        return Configure(
            system_prompt=event.instructions,
            speak=event.speaks,
            max_reply_tokens=event.max_reply_tokens,
            voice=self._choose_voice(event),
            speed=event.speed,
            tools=self._choose_tools(event),
            turn_detection=turn_detection,
        )

    def _choose_voice(self, event: SessionUpdate) -> str | None:
        output = self.session["audio"]["output"]
        voice = event.voice if any(event.voice == known.id for known in self._voices) else None
        if voice is not None:
            output["voice"] = voice
        if event.speed is not None:
            output["speed"] = event.speed
        return voice

    def _choose_tools(self, event: SessionUpdate) -> tuple[Tool, ...] | None:
        if event.tools is None and event.calls_tools is None:
            return None
        self._tools = self._tools if event.tools is None else event.tools
        self._calls_tools = self._calls_tools if event.calls_tools is None else event.calls_tools
        self.session["tools"] = [
            wire.tool(
                name=tool.name,
                description=tool.description,
                parameters=json.loads(tool.parameters),
            )
            for tool in self._tools
        ]
        self.session["tool_choice"] = "auto" if self._calls_tools else "none"
        return self._tools if self._calls_tools else ()

    def _choose_formats(self, event: SessionUpdate) -> None:
        self.input_format = event.input_format or self.input_format
        self.output_format = event.output_format or self.output_format
        for side, chosen in (("input", self.input_format), ("output", self.output_format)):
            self.session["audio"][side]["format"] = wire.audio_format(chosen.value, chosen.rate_hz)

    def _choose_detection(self, wanted: settings.TurnDetection | None) -> TurnDetection | None:
        sound = self.session["audio"]["input"]
        match wanted:
            case None:
                return None
            case settings.NoTurnDetection():
                if not self._by_message:
                    raise ProtocolError(
                        "Over WebRTC turn detection cannot be switched off.",
                        code="unsupported_value",
                        param="session.audio.input.turn_detection",
                    )
                self.detects_turns = False
                sound["turn_detection"] = None
                return None
            case settings.ServerVad():
                self.detects_turns = True
                sound["turn_detection"] = wire.turn_detection(
                    "server_vad",
                    threshold=wanted.threshold,
                    prefix_padding_ms=wanted.prefix_padding_ms,
                    silence_duration_ms=wanted.silence_duration_ms,
                )
                return TurnDetection(
                    speech_starts_at=wanted.threshold,
                    preroll_ms=wanted.prefix_padding_ms,
                    silence_ms=wanted.silence_duration_ms,
                )
            case settings.SemanticVad(eagerness=eagerness):
                self.detects_turns = True
                sound["turn_detection"] = wire.turn_detection("semantic_vad", eagerness=eagerness)
                return TurnDetection(patience=_PATIENCE[eagerness])
