"""What is told to one client, in order and only once, over however many lines it takes.

Words that come thick and fast are joined: the first goes out at once, and those of the next 30 ms
go as one message. What was sent is kept a while, for a line that is lost with some of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

Message = dict[str, Any]

JOINED_FOR_S = 0.03

KEPT_MESSAGES = 256
"""More than a minute of talk; the oldest are dropped."""

_WORDS = {
    "conversation.item.input_audio_transcription.delta",
    "response.output_audio_transcript.delta",
    "response.output_text.delta",
}


class Outbox:
    """`transmit` is called with each message while a line is open."""

    def __init__(self) -> None:
        self._kept: deque[Message] = deque(maxlen=KEPT_MESSAGES)
        self._n_waiting = 0
        """How many of the kept messages no line was open for."""

        self._transmit: Callable[[Message], object] | None = None
        self._words: Message | None = None
        """A delta that others may still join."""

        self._timer: asyncio.TimerHandle | None = None

    def put(self, message: Message) -> None:
        if message["type"] not in _WORDS:
            self._send_words()
            self._send(message)
        elif self._timer is None:
            self._send(message)
            self._start_joining()
        elif self._words is not None and self._words["item_id"] == message["item_id"]:
            self._words["delta"] += message["delta"]
        else:
            self._send_words()
            self._words = dict(message)

    def open(
        self,
        transmit: Callable[[Message], object],
        *,
        greeting: Iterable[Message] = (),
        last_event_id: str | None = None,
    ) -> None:
        """A line is there: greet whoever is at its end, then tell what was put meanwhile.

        `last_event_id`: the last message that they got of another line; all after it go out again.
        """
        kept = list(self._kept)
        missed = kept[len(kept) - self._n_waiting :]
        for n, message in enumerate(kept):
            if message["event_id"] == last_event_id:
                missed = kept[n + 1 :]
        self._kept.clear()
        self._n_waiting = 0
        self._transmit = transmit
        for message in (*greeting, *missed):
            self._send(message)

    def close(self) -> None:
        """The line is gone; messages wait for the next one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._send_words()
        self._transmit = None

    def _start_joining(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(JOINED_FOR_S, self._stop_joining)

    def _stop_joining(self) -> None:
        self._timer = None
        if self._words is not None:
            self._send_words()
            self._start_joining()

    def _send_words(self) -> None:
        if self._words is not None:
            words, self._words = self._words, None
            self._send(words)

    def _send(self, message: Message) -> None:
        self._kept.append(message)
        if self._transmit is None:
            self._n_waiting = min(self._n_waiting + 1, KEPT_MESSAGES)
        else:
            self._transmit(message)
