"""What all events of a client have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FromClient:
    event_id: str | None = None
    """The client's own name for this event; errors about it repeat it."""
