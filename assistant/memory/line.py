"""What one side said once, and a conversation of such lines. Never sound, never pictures."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from assistant.types import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    item_id: str
    """As in the conversation."""

    role: Role
    text: str
    """Of an answer: what was heard of it."""

    at_ms: int
    """Since the conversation began: when it began to be said."""

    spoken_ms: int | None = None
    """How long it was to be heard; None for what was typed, or shown in words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptConversation:
    conversation_id: str
    began_at_s: float
    """Since 1970."""

    lines: tuple[Line, ...] = ()


def packed(line: Line) -> bytes:
    return msgspec.json.encode(line)


def unpacked(encoded: bytes) -> Line:
    """Raises msgspec.MsgspecError (a ValueError)."""
    return msgspec.json.decode(encoded, type=Line)
