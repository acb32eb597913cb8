"""The items of a conversation, as the client was told of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.conversation import ROOT
from assistant.errors import ProtocolError
from assistant.transport import server_events as wire
from assistant.transport.server_events import Message

MAX_ITEMS = 1_000
"""Of which the client can still ask; the oldest are forgotten."""


class ItemBook:
    def __init__(self) -> None:
        self._items: dict[str, Message] = {}
        """In the conversation's order."""

    def __contains__(self, item_id: str) -> bool:
        return item_id in self._items

    @property
    def last_id(self) -> str | None:
        return next(reversed(self._items), None)

    def find(self, item_id: str, *, so_as_to: str) -> Message:
        """`so_as_to`: the verb of the request. Raises ProtocolError."""
        if item_id not in self._items:
            raise ProtocolError(
                f"There is no item {item_id[:80]!r} to {so_as_to}.",
                code=f"item_{so_as_to}_invalid_item_id",
                param="item_id",
            )
        return self._items[item_id]

    def add(self, item: Message, *, after_id: str | None = None) -> Iterable[Message]:
        """A new item that is complete. Raises ProtocolError before the first message."""
        previous_id = self.place(item, after_id=after_id)
        return (
            wire.item_added(item, previous_item_id=previous_id),
            wire.item_done(item, previous_item_id=previous_id),
        )

    def place(self, item: Message, *, after_id: str | None = None) -> str | None:
        """Enter a new item; return the id of the one before it. Raises ProtocolError.

        `after_id`: of the item that it follows, or ROOT; None for the end.
        """
        if item["id"] in self._items:
            raise ProtocolError(
                f"There is an item {item['id'][:80]!r} already.",
                code="item_create_duplicate_item_id",
                param="item.id",
            )
        if after_id not in (None, ROOT, *self._items):
            raise ProtocolError(
                f"There is no item {str(after_id)[:80]!r} to follow.",
                code="item_create_invalid_previous_item_id",
                param="previous_item_id",
            )
        ids = list(self._items)
        previous_id = self.last_id if after_id is None else after_id
        at = 0 if previous_id in (None, ROOT) else ids.index(str(previous_id)) + 1
        entries = list(self._items.items())
        entries.insert(at, (item["id"], item))
        self._items = dict(entries[-MAX_ITEMS:])
        return None if previous_id == ROOT else previous_id

    def replace(self, item: Message) -> None:
        """The item has become this, unless it was removed meanwhile."""
        if item["id"] in self._items:
            self._items[item["id"]] = item

    def transcribe(self, item_id: str, transcript: str) -> None:
        """The words of an item's sound are known, or fewer than before are left of them."""
        item = self._items.get(item_id)
        if item is not None:
            content = [
                {**part, "transcript": transcript} if "transcript" in part else part
                for part in item["content"]
            ]
            self._items[item_id] = {**item, "content": content}

    def remove(self, item_id: str) -> None:
        del self._items[item_id]
