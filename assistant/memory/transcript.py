"""Pure: which lines a conversation consists of, by what is told of it while it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.conversation import answer_id, question_id
from assistant.events import (
    AddItem,
    Command,
    Event,
    ItemTranscribed,
    ItemTruncated,
    QuestionReopened,
    RemoveItem,
    ReplyEnded,
    ReplyStarted,
    ReplyWords,
    SpeechStarted,
    SpeechStopped,
    UserSaid,
)
from assistant.memory.line import Line
from assistant.types import Role

_RECENT = 16
"""Lines that may still change: an answer is cut short soon, or not at all."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What stood under this id was not said after all."""

    item_id: str


@dataclass(slots=True)
class Transcript:
    """Follows one conversation. Times are milliseconds since it began."""

    _lines: dict[str, Line] = field(default_factory=dict)
    """The last few, by id."""

    _speech: tuple[int, int | None] | None = None
    """Since when somebody speaks, and until when."""

    _sounding_since: int | None = None
    _speaks: bool = True

    def changes(self, told: Event | Command, at_ms: int) -> Iterator[Line | Dropped]:
        """What `told` adds to the lines, changes of them, or takes away."""
        for change in self._changes(told, at_ms):
            if isinstance(change, Dropped):
                self._lines.pop(change.item_id, None)
            else:
                self._lines[change.item_id] = change
                if len(self._lines) > _RECENT:
                    del self._lines[next(iter(self._lines))]
            yield change

    def _changes(self, told: Event | Command, at_ms: int) -> Iterator[Line | Dropped]:
        match told:
            case SpeechStarted(audio_start_ms=start_ms):
                self._speech = (start_ms, None)
            case SpeechStopped(audio_end_ms=end_ms):
                self._speech = (self._speech[0] if self._speech else end_ms, end_ms)
            case UserSaid(turn_id=turn_id, text=text) if text:
                yield self._question(question_id(turn_id), text, at_ms)
                self._speech = None
            case QuestionReopened(turn_id=turn_id):
                yield Dropped(question_id(turn_id))
                yield Dropped(answer_id(turn_id))
            case ReplyStarted(speaks=speaks):
                self._sounding_since, self._speaks = None, speaks
            case ReplyWords() if self._sounding_since is None:
                self._sounding_since = at_ms
            case ReplyEnded(turn_id=turn_id, heard=heard) if heard:
                yield self._answer(answer_id(turn_id), heard, at_ms)
            case AddItem(item_id=item_id, role=role, text=text) if text and role is not Role.SYSTEM:
                yield Line(item_id=item_id, role=role, text=text, at_ms=at_ms)
            case ItemTranscribed(item_id=item_id, text=text, speech_ms=speech_ms) if text:
                spoken_ms = round(speech_ms)
                start_ms = max(0, at_ms - spoken_ms)
                yield Line(
                    item_id=item_id,
                    role=Role.USER,
                    text=text,
                    at_ms=start_ms,
                    spoken_ms=spoken_ms,
                )
            case ItemTruncated(item_id=item_id, heard_ms=heard_ms, heard=heard):
                yield from self._truncated(item_id, heard_ms, heard)
            case RemoveItem(item_id=item_id):
                yield Dropped(item_id)

    def _question(self, item_id: str, text: str, at_ms: int) -> Line:
        start_ms, end_ms = self._speech or (at_ms, None)
        is_spoken = end_ms is not None
        return Line(
            item_id=item_id,
            role=Role.USER,
            text=text,
            at_ms=start_ms if is_spoken else at_ms,
            spoken_ms=max(0, end_ms - start_ms) if end_ms is not None else None,
        )

    def _answer(self, item_id: str, heard: str, at_ms: int) -> Line:
        start_ms = at_ms if self._sounding_since is None else self._sounding_since
        return Line(
            item_id=item_id,
            role=Role.ASSISTANT,
            text=heard,
            at_ms=start_ms,
            spoken_ms=at_ms - start_ms if self._speaks else None,
        )

    def _truncated(self, item_id: str, heard_ms: int, heard: str) -> Iterator[Line | Dropped]:
        line = self._lines.get(item_id)
        if not heard:
            yield Dropped(item_id)
        elif line is not None:
            yield Line(
                item_id=item_id,
                role=line.role,
                text=heard,
                at_ms=line.at_ms,
                spoken_ms=heard_ms,
            )
