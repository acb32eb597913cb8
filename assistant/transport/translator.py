"""Between a session and the wire: what happened becomes protocol messages, and the reverse.

One translator for each connection, since the protocol names items and responses, and its
transcript deltas are append-only. No I/O.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from assistant import tools
from assistant.conversation import answer_id, question_id
from assistant.errors import ProtocolError
from assistant.events import (
    AddItem,
    AlertChanged,
    Command,
    Configure,
    Degraded,
    Event,
    ForgetSpeech,
    HeardReply,
    Hearing,
    HistoryKept,
    ItemRetrieved,
    ItemTranscribed,
    ItemTruncated,
    Mute,
    PushToTalk,
    QuestionReopened,
    RecordingChanged,
    Remember,
    RemoveItem,
    ReplyEnded,
    ReplyStarted,
    ReplyWords,
    RetrieveItem,
    SayText,
    SceneSeen,
    SpeechStarted,
    SpeechStopped,
    StateChanged,
    StopTalking,
    TimelineReady,
    TruncateItem,
    UserSaid,
    Working,
)
from assistant.tools import ToolCall
from assistant.transport import audit, items, realtime, settings
from assistant.transport import server_events as wire
from assistant.transport.input_audio import recording
from assistant.transport.item_book import ItemBook
from assistant.transport.response import Response
from assistant.transport.session_book import SessionBook
from assistant.types import ImageFrame, Pcm, Role
from assistant.voices import KnownVoice

Message = dict[str, Any]
Translated = tuple[Command | None, Iterable[Message]]


class Translator:
    """Keeps the protocol's books: which item and response is which, what was already sent.

    `by_message`: whether sound travels in messages, as over a WebSocket, or on tracks.
    """

    def __init__(
        self,
        *,
        model: str,
        voice: str,
        instructions: str,
        max_reply_tokens: int,
        speed: float = 1.0,
        voices: tuple[KnownVoice, ...] = (),
        by_message: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        session = wire.session(
            session_id=wire.new_id("sess"),
            model=model,
            voice=voice,
            speed=speed,
            instructions=instructions,
            max_tokens=max_reply_tokens,
        )
        self.book = SessionBook(session, voices=voices, by_message=by_message)
        """The settings in force."""

        self._voices = voices
        self._by_message = by_message
        self._clock = clock
        self._items = ItemBook()
        self._response: Response | None = None
        self._transcribed = ""
        self._speech_started_ms = 0
        self._speech_ms = 0

    def greeting(self) -> Iterable[Message]:
        yield wire.session_created(self.book.session)
        yield wire.voices(self._voices)

    def to_wire(self, event: Event) -> Iterable[Message]:
        """The messages that tell a client of `event`, in order."""
        match event:
            case SpeechStarted(turn_id=turn_id, audio_start_ms=start_ms):
                self._transcribed = ""
                self._speech_started_ms = start_ms
                yield wire.speech_started(item_id=question_id(turn_id), audio_start_ms=start_ms)
            case Hearing():
                yield from self._hearing(event)
            case SpeechStopped():
                yield from self._speech_stopped(event)
            case UserSaid(turn_id=turn_id, text=text, was_typed=False):
                yield from self._transcript_delta(question_id(turn_id), text)
                yield from self._transcript(question_id(turn_id), text, self._speech_ms)
            case UserSaid():
                pass  # a typed item was announced when it was created
            case QuestionReopened(turn_id=turn_id):
                yield from self._forget(question_id(turn_id), answer_id(turn_id))
            case ReplyStarted(turn_id=turn_id, speaks=speaks):
                self._response = Response(
                    turn_id,
                    self._items,
                    speaks=speaks,
                    by_message=self._by_message,
                    audio_output=self.book.audio_output,
                )
                yield from self._response.begin()
            case ReplyWords(text=text):
                yield from self._current.words(text)
            case ReplyEnded():
                yield from self._current.end(event)
            case ItemTranscribed(item_id=item_id, failure=str(failure)):
                yield wire.transcription_failed(item_id=item_id, message=failure)
            case ItemTranscribed(item_id=item_id, text=text, speech_ms=speech_ms):
                yield from self._transcript(item_id, text, speech_ms)
            case ItemTruncated(item_id=item_id, heard_ms=heard_ms, heard=heard):
                self._items.transcribe(item_id, heard)
                yield wire.item_truncated(item_id=item_id, audio_end_ms=heard_ms)
            case ItemRetrieved(item_id=item_id):
                yield self._retrieved(item_id)
            case StateChanged(state=state):
                yield wire.state(state.value)
            case SceneSeen(facts=facts, preview=preview):
                yield wire.scene(facts, preview)
            case Degraded(stage=stage, code=code, reason=reason):
                yield wire.degraded(stage=stage, code=code, reason=reason)
            case Working(doing=doing):
                yield wire.working(doing)
            case AlertChanged():
                yield wire.alert(**dataclasses.asdict(event))
            case RecordingChanged(is_on=is_on):
                yield wire.recording(is_on=is_on)
            case HistoryKept():
                yield wire.memory(**dataclasses.asdict(event))
            case TimelineReady():
                yield wire.timeline(**dataclasses.asdict(event))

    def sound(self, samples: Pcm) -> Iterable[Message]:
        """Of the response in progress, in the output format's rate."""
        if self._response is not None and not self._response.is_over:
            yield from self._response.sound(self.book.output_format.encode(samples))

    @property
    def _current(self) -> Response:
        assert self._response is not None, "a reply has words after it began"
        return self._response

    def _hearing(self, event: Hearing) -> Iterable[Message]:
        item_id = question_id(event.turn_id)
        yield from self._transcript_delta(item_id, event.committed)
        yield wire.partial(item_id=item_id, committed=event.committed, tentative=event.tentative)

    def _speech_stopped(self, event: SpeechStopped) -> Iterable[Message]:
        item_id = question_id(event.turn_id)
        self._speech_ms = max(0, event.audio_end_ms - self._speech_started_ms)
        yield wire.speech_stopped(item_id=item_id, audio_end_ms=event.audio_end_ms)
        yield wire.input_audio_committed(item_id=item_id, previous_item_id=self._items.last_id)
        yield from self._items.add(wire.user_item(item_id, wire.input_audio()))

    def _retrieved(self, item_id: str) -> Message:
        try:
            return wire.item_retrieved(self._items.find(item_id, so_as_to="retrieve"))
        except ProtocolError as mistake:  # deleted meanwhile
            return wire.error_about(mistake)

    def _forget(self, *item_ids: str) -> Iterable[Message]:
        for item_id in item_ids:
            if item_id in self._items:
                self._items.remove(item_id)
                yield wire.item_deleted(item_id=item_id)

    def _transcript_delta(self, item_id: str, text: str) -> Iterable[Message]:
        """What is new since the last one; nothing where earlier words were revised."""
        if text.startswith(self._transcribed) and text != self._transcribed:
            delta = text[len(self._transcribed) :]
            self._transcribed = text
            yield wire.transcription_delta(item_id=item_id, delta=delta)

    def _transcript(self, item_id: str, text: str, speech_ms: float) -> Iterable[Message]:
        self._items.transcribe(item_id, text)
        yield wire.transcription_completed(item_id=item_id, transcript=text, speech_ms=speech_ms)

    def from_wire(
        self, event: realtime.ClientEvent, images: tuple[ImageFrame, ...] = ()
    ) -> Translated:
        """What the session has to do, and what the client is told at once.

        `images`: those of `event`, decoded. Raises ProtocolError.
        """
        match event:
            case items.ItemCreate():
                return self._create(event, images[0] if images else None)
            case realtime.ItemTruncate():
                return self._truncate(event)
            case realtime.ItemDelete(item_id=item_id):
                self._items.find(item_id, so_as_to="delete")
                self._items.remove(item_id)
                return RemoveItem(item_id=item_id), [wire.item_deleted(item_id=item_id)]
            case realtime.ItemRetrieve(item_id=item_id):
                self._items.find(item_id, so_as_to="retrieve")
                return RetrieveItem(item_id=item_id), []
            case realtime.ResponseCreate():
                wanted = Configure(
                    system_prompt=event.instructions,
                    speak=event.speaks,
                    max_reply_tokens=event.max_reply_tokens,
                )
                return SayText(wanted=wanted), []
            case realtime.ResponseCancel(response_id=response_id):
                return self._cancel(response_id)
            case realtime.OutputAudioClear():
                return self._cancel(None)
            case realtime.InputAudioCommit():
                return PushToTalk(pressed=False), []
            case realtime.InputAudioClear():
                return ForgetSpeech(), [wire.input_audio_cleared()]
            case realtime.Mute(muted=muted):
                return Mute(muted=muted), []
            case realtime.PushToTalk(pressed=pressed):
                return PushToTalk(pressed=pressed), []
            case realtime.Playout(heard_at_s=at_s, uplink_ms=uplink_ms):
                heard = None if at_s is None else HeardReply(at_s=at_s, uplink_ms=uplink_ms)
                return heard, []
            case realtime.Remember(person=person):
                return Remember(person=person), []
            case realtime.Ping(sent_at_ms=sent_at_ms):
                return None, [wire.pong(sent_at_ms=sent_at_ms, server_at_s=self._clock())]
            case settings.SessionUpdate():
                audit.settings_changed(event)
                return self.book.update(event), [wire.session_updated(self.book.session)]
            case realtime.InputAudioAppend():
                raise ProtocolError(
                    "Over WebRTC sound comes on its track.", code="unsupported_event"
                )

    def commit(self, samples: Pcm) -> Translated:
        """Without turn detection: what was appended, at 16 kHz, is an item now."""
        item_id = wire.new_id("item")
        committed = wire.input_audio_committed(
            item_id=item_id, previous_item_id=self._items.last_id
        )
        added = self._items.add(wire.user_item(item_id, wire.input_audio()))
        return AddItem(item_id=item_id, role=Role.USER, sound=samples), [committed, *added]

    def _cancel(self, response_id: str | None) -> Translated:
        response = self._response
        if response_id is not None and (
            response is None or response.is_over or response.response_id != response_id
        ):
            raise ProtocolError(
                "That response is not in progress.",
                code="response_cancel_not_active",
                param="response_id",
            )
        if response is not None:
            response.was_cancelled = True
        return StopTalking(), []

    def _truncate(self, event: realtime.ItemTruncate) -> Translated:
        item = self._items.find(event.item_id, so_as_to="truncate")
        if item.get("role") != "assistant":
            raise ProtocolError(
                "Only an answer that was spoken can be truncated.",
                code="unsupported_content_type",
                param="item_id",
            )
        return TruncateItem(item_id=event.item_id, heard_ms=event.audio_end_ms), []

    def _create(self, event: items.ItemCreate, image: ImageFrame | None) -> Translated:
        item_id = event.item_id or wire.new_id("item")
        role, text, sound = Role.USER, "", None
        match event.item:
            case items.NewMessage() as message:
                role = Role(message.role)
                text = " ".join(part.text for part in message.content if hasattr(part, "text"))
                sound = self._recording(message)
                item = _message_item(item_id, message)
            case items.NewCall(call_id=call_id, name=name, arguments=arguments):
                role = Role.ASSISTANT
                text = str(ToolCall(call_id=call_id, name=name, arguments=arguments))
                item = wire.call_item(item_id, call_id=call_id, name=name, arguments=arguments)
            case items.NewCallOutput(call_id=call_id, output=output):
                text = tools.response(output)
                item = wire.call_output_item(item_id, call_id=call_id, output=output)
        command = AddItem(
            item_id=item_id,
            role=role,
            text=text,
            image=image,
            sound=sound,
            after_id=event.after_id,
        )
        return command, self._items.add(item, after_id=event.after_id)

    def _recording(self, message: items.NewMessage) -> Pcm | None:
        sounds = [
            recording(part.encoded, self.book.input_format)
            for part in message.content
            if isinstance(part, items.InputAudio)
        ]
        return np.concatenate(sounds) if sounds else None


def _message_item(item_id: str, message: items.NewMessage) -> Message:
    content = list[Message]()
    for part in message.content:
        match part:
            case items.InputText(text=text):
                content.append(wire.input_text(text))
            case items.OutputText(text=text):
                content.append(wire.output_text(text))
            case items.InputImage():
                content.append(wire.input_image())
            case items.InputAudio():
                content.append(wire.input_audio())
    if message.role == "user":
        return wire.user_item(item_id, *content)
    new_item = wire.system_item if message.role == "system" else wire.assistant_item
    return new_item(item_id, *content)
