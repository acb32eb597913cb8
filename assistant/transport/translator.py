"""Between a session and the wire: what happened becomes protocol messages, and the reverse.

One translator for each connection, since the protocol names items and responses, and its
transcript deltas are append-only. No I/O.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable
from typing import Any

from assistant.errors import ProtocolError
from assistant.events import (
    Command,
    Configure,
    Degraded,
    Event,
    HeardReply,
    Hearing,
    Mute,
    PushToTalk,
    ReplyEnded,
    ReplyStarted,
    ReplyStatus,
    ReplyWords,
    SayText,
    SceneSeen,
    SpeechStarted,
    SpeechStopped,
    StateChanged,
    StopTalking,
    TimelineReady,
    UserSaid,
)
from assistant.transport import pictures, realtime
from assistant.transport import server_events as wire

Message = dict[str, Any]

_MAX_TYPED_PARTS = 64
"""Texts and pictures that wait for response.create."""


class Translator:
    """Keeps the protocol's books: which item and response is which, what was already sent."""

    def __init__(
        self,
        *,
        model: str,
        voice: str,
        instructions: str,
        max_reply_tokens: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = wire.session(
            session_id=wire.new_id("sess"),
            model=model,
            voice=voice,
            instructions=instructions,
            speaks=True,
            max_tokens=max_reply_tokens,
        )
        self._clock = clock
        self._last_item_id: str | None = None
        self._typed: list[realtime.InputText | realtime.InputImage] = []
        """Content of the items that no response has answered yet."""

        self._question_id = wire.new_id("item")
        self._answer_id = wire.new_id("item")
        self._response_id = wire.new_id("resp")
        self._transcribed = ""
        self._answered = ""
        self._speech_started_ms = 0
        self._speech_ms = 0
        self._was_stopped = False
        """Whether the client asked for the response to end."""

    @property
    def _speaks(self) -> bool:
        return bool(self._session["output_modalities"] == ["audio"])

    def greeting(self) -> Message:
        return wire.session_created(self._session)

    def to_wire(self, event: Event) -> Iterable[Message]:
        """The messages that tell a client of `event`, in order."""
        match event:
            case SpeechStarted(audio_start_ms=start_ms):
                self._question_id = wire.new_id("item")
                self._transcribed = ""
                self._speech_started_ms = start_ms
                yield wire.speech_started(item_id=self._question_id, audio_start_ms=start_ms)
            case Hearing():
                yield from self._hearing(event)
            case SpeechStopped(audio_end_ms=end_ms):
                self._speech_ms = max(0, end_ms - self._speech_started_ms)
                yield wire.speech_stopped(item_id=self._question_id, audio_end_ms=end_ms)
                yield wire.input_audio_committed(
                    item_id=self._question_id, previous_item_id=self._last_item_id
                )
                yield from self._item(
                    wire.user_item(self._question_id, wire.input_audio()), self._question_id
                )
            case UserSaid(text=text, was_typed=False):
                yield from self._transcript_delta(text)
                yield wire.transcription_completed(
                    item_id=self._question_id, transcript=text, speech_ms=self._speech_ms
                )
            case UserSaid():
                pass  # a typed item was announced when it was created
            case ReplyStarted():
                yield from self._reply_started()
            case ReplyWords(text=text):
                if not self._answered:
                    yield wire.output_audio_started(response_id=self._response_id)
                self._answered += text
                yield wire.output_transcript_delta(
                    response_id=self._response_id, item_id=self._answer_id, delta=text
                )
            case ReplyEnded():
                yield from self._reply_ended(event)
            case StateChanged(state=state):
                yield wire.state(state.value)
            case SceneSeen(facts=facts):
                yield wire.scene(facts)
            case Degraded(stage=stage, reason=reason):
                yield wire.degraded(stage=stage, reason=reason)
            case TimelineReady():
                yield wire.timeline(**dataclasses.asdict(event))

    def _hearing(self, event: Hearing) -> Iterable[Message]:
        yield from self._transcript_delta(event.committed)
        yield wire.partial(
            item_id=self._question_id, committed=event.committed, tentative=event.tentative
        )

    def _transcript_delta(self, text: str) -> Iterable[Message]:
        """What is new since the last one; nothing where earlier words were revised."""
        if text.startswith(self._transcribed) and text != self._transcribed:
            delta = text[len(self._transcribed) :]
            self._transcribed = text
            yield wire.transcription_delta(item_id=self._question_id, delta=delta)

    def _item(self, item: Message, item_id: str) -> Iterable[Message]:
        yield wire.item_added(item, previous_item_id=self._last_item_id)
        yield wire.item_done(item, previous_item_id=self._last_item_id)
        self._last_item_id = item_id

    def _reply_started(self) -> Iterable[Message]:
        self._response_id, self._answer_id = wire.new_id("resp"), wire.new_id("item")
        self._answered, self._was_stopped = "", False
        item = wire.assistant_item(self._answer_id, status="in_progress")
        yield wire.response_created(
            wire.response(self._response_id, status="in_progress", speaks=self._speaks)
        )
        yield wire.output_item_added(item, response_id=self._response_id)
        yield wire.item_added(item, previous_item_id=self._last_item_id)

    def _reply_ended(self, event: ReplyEnded) -> Iterable[Message]:
        response_id, item_id = self._response_id, self._answer_id
        completed = event.status is ReplyStatus.COMPLETED
        item = wire.assistant_item(
            item_id,
            wire.output_audio(event.heard),
            status="completed" if completed else "incomplete",
        )
        yield wire.output_transcript_done(
            response_id=response_id, item_id=item_id, transcript=event.heard
        )
        yield wire.output_item_done(item, response_id=response_id)
        yield wire.item_done(item, previous_item_id=self._last_item_id)
        self._last_item_id = item_id
        reason = "client_cancelled" if self._was_stopped else "turn_detected"
        yield wire.response_done(
            wire.response(
                response_id,
                status=event.status.value,
                speaks=self._speaks,
                output=[item],
                reason=None if completed else reason,
            )
        )
        if self._answered:
            told = wire.output_audio_stopped if completed else wire.output_audio_cleared
            yield told(response_id=response_id)

    def from_wire(self, event: realtime.ClientEvent) -> tuple[Command | None, list[Message]]:
        """What the session has to do, and what the client is told at once.

        Raises ProtocolError. Decoding a picture takes some 10 ms a megapixel.
        """
        match event:
            case realtime.ItemCreate(content=content, item_id=item_id):
                return None, self._take_item(content, item_id or wire.new_id("item"))
            case realtime.ResponseCreate():
                return self._say_typed(), []
            case realtime.ResponseCancel() | realtime.OutputAudioClear():
                self._was_stopped = True
                return StopTalking(), []
            case realtime.Mute(muted=muted):
                return Mute(muted=muted), []
            case realtime.PushToTalk(pressed=pressed):
                return PushToTalk(pressed=pressed), []
            case realtime.Playout(heard_at_s=at_s):
                return (HeardReply(at_s=at_s) if at_s is not None else None), []
            case realtime.Ping(sent_at_ms=sent_at_ms):
                return None, [wire.pong(sent_at_ms=sent_at_ms, server_at_s=self._clock())]
            case realtime.SessionUpdate():
                return self._update(event)
            case realtime.InputAudioClear() | realtime.ItemTruncate():
                raise ProtocolError(
                    "Over WebRTC the server keeps count of what was heard itself.",
                    code="unsupported_event",
                )

    def _take_item(
        self, content: tuple[realtime.InputText | realtime.InputImage, ...], item_id: str
    ) -> list[Message]:
        if len(self._typed) + len(content) > _MAX_TYPED_PARTS:
            raise ProtocolError(
                "Too much waits for an answer; send response.create.", code="too_much_content"
            )
        self._typed += content
        texts = [wire.input_text(part.text) for part in content if hasattr(part, "text")]
        return list(self._item(wire.user_item(item_id, *texts), item_id))

    def _say_typed(self) -> SayText:
        typed, self._typed = self._typed, []
        texts = [part.text for part in typed if isinstance(part, realtime.InputText)]
        encoded = [part.encoded for part in typed if isinstance(part, realtime.InputImage)]
        if not typed:
            raise ProtocolError("There is nothing to answer yet.", code="nothing_to_answer")
        return SayText(text=" ".join(texts), images=tuple(map(pictures.decode, encoded)))

    def _update(self, event: realtime.SessionUpdate) -> tuple[Command, list[Message]]:
        if event.instructions is not None:
            self._session["instructions"] = event.instructions
        if event.speaks is not None:
            self._session["output_modalities"] = ["audio" if event.speaks else "text"]
        if event.max_reply_tokens is not None:
            self._session["max_output_tokens"] = event.max_reply_tokens
        command = Configure(
            system_prompt=event.instructions,
            speak=event.speaks,
            max_reply_tokens=event.max_reply_tokens,
        )
        return command, [wire.session_updated(self._session)]
