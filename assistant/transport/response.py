"""One response, as the client is told of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.conversation import answer_id
from assistant.events import ReplyEnded, ReplyStatus
from assistant.tools import ToolCall
from assistant.transport import response_events as wire
from assistant.transport import server_events
from assistant.transport.item_book import ItemBook
from assistant.transport.server_events import Message


class Response:
    """Its messages in their order: created, one answer in words, calls of functions, done.

    `by_message`: whether its sound travels in messages too. On a track it does not, and the client
    is told when it begins and ends instead.
    """

    def __init__(
        self,
        turn_id: str,
        items: ItemBook,
        *,
        speaks: bool,
        by_message: bool,
        audio_output: Message,
    ) -> None:
        self.response_id = server_events.new_id("resp")
        self.is_over = False
        self.was_cancelled = False
        """Whether the client asked for its end."""

        self._answer_id = answer_id(turn_id)
        self._items = items
        self._speaks = speaks
        self._by_message = by_message
        self._audio_output = audio_output
        self._previous_id: str | None = None
        self._has_begun = False
        self._has_sound = False

    def begin(self) -> Iterable[Message]:
        yield wire.response_created(
            wire.response(
                self.response_id,
                status="in_progress",
                speaks=self._speaks,
                audio_output=self._audio_output,
            )
        )
        yield wire.rate_limits_updated()

    def words(self, text: str) -> Iterable[Message]:
        yield from self._begin_answer()
        delta = wire.output_transcript_delta if self._speaks else wire.output_text_delta
        yield delta(response_id=self.response_id, item_id=self._answer_id, delta=text)

    def sound(self, encoded: bytes) -> Iterable[Message]:
        yield from self._begin_answer()
        self._has_sound = True
        yield wire.output_audio_delta(
            response_id=self.response_id, item_id=self._answer_id, sound=encoded
        )

    def end(self, ended: ReplyEnded) -> Iterable[Message]:
        self.is_over = True
        output = list[Message]()
        if self._has_begun:
            answer = self._answer(ended)
            output.append(answer)
            yield from self._end_answer(answer, ended.heard)
        for call in ended.calls:
            item = _call_item(call)
            yield from self._call(item, output_index=len(output))
            output.append(item)
        yield wire.response_done(
            wire.response(
                self.response_id,
                status=ended.status.value,
                speaks=self._speaks,
                audio_output=self._audio_output,
                output=output,
                reason="client_cancelled" if self.was_cancelled else "turn_detected",
                stats=ended.stats,
            )
        )
        if self._is_on_track:
            completed = ended.status is ReplyStatus.COMPLETED
            told = wire.output_buffer_stopped if completed else wire.output_buffer_cleared
            yield told(response_id=self.response_id)

    @property
    def _is_on_track(self) -> bool:
        return self._has_begun and self._speaks and not self._by_message

    def _part(self, text: str) -> Message:
        return wire.audio_part(text) if self._speaks else wire.text_part(text)

    def _begin_answer(self) -> Iterable[Message]:
        if self._has_begun:
            return
        self._has_begun = True
        item = server_events.assistant_item(self._answer_id, status="in_progress")
        self._previous_id = self._items.place(item)
        yield wire.output_item_added(item, response_id=self.response_id)
        yield server_events.item_added(item, previous_item_id=self._previous_id)
        yield wire.content_part_added(
            response_id=self.response_id, item_id=self._answer_id, part=self._part("")
        )
        if self._is_on_track:
            yield wire.output_buffer_started(response_id=self.response_id)

    def _answer(self, ended: ReplyEnded) -> Message:
        content = server_events.output_audio if self._speaks else server_events.output_text
        completed = ended.status is ReplyStatus.COMPLETED
        return server_events.assistant_item(
            self._answer_id,
            content(ended.heard),
            status="completed" if completed else "incomplete",
        )

    def _end_answer(self, answer: Message, heard: str) -> Iterable[Message]:
        response_id, item_id = self.response_id, self._answer_id
        if self._has_sound:
            yield wire.output_audio_done(response_id=response_id, item_id=item_id)
        if self._speaks:
            yield wire.output_transcript_done(
                response_id=response_id, item_id=item_id, transcript=heard
            )
        else:
            yield wire.output_text_done(response_id=response_id, item_id=item_id, text=heard)
        yield wire.content_part_done(
            response_id=response_id, item_id=item_id, part=self._part(heard)
        )
        yield wire.output_item_done(answer, response_id=response_id)
        yield server_events.item_done(answer, previous_item_id=self._previous_id)
        self._items.replace(answer)

    def _call(self, item: Message, *, output_index: int) -> Iterable[Message]:
        response_id = self.response_id
        begun = {**item, "status": "in_progress", "arguments": ""}
        previous_id = self._items.place(item)
        yield wire.output_item_added(begun, response_id=response_id, output_index=output_index)
        yield server_events.item_added(begun, previous_item_id=previous_id)
        yield from wire.call_arguments(item, response_id=response_id, output_index=output_index)
        yield wire.output_item_done(item, response_id=response_id, output_index=output_index)
        yield server_events.item_done(item, previous_item_id=previous_id)


def _call_item(call: ToolCall) -> Message:
    return server_events.call_item(
        call.item_id, call_id=call.call_id, name=call.name, arguments=call.arguments
    )
