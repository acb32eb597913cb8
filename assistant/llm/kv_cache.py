"""Which conversation's cells are in which sequence of the context.

Sequence 0 holds the system prompt and never changes. Every other sequence holds the newest state of
one conversation, sharing cells with the others where their prompts agree. Nobody names a
conversation: the sequence with the longest common prefix is the right one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from assistant.llm.context import Context
from assistant.llm.prefix import Cell, can_roll_back, common_cells, is_revision, n_positions


@dataclass(eq=False, slots=True)
class Slot:
    """One sequence and what is in it."""

    sequence: int
    cells: list[Cell] = field(default_factory=list)
    used_at: int = 0
    """Counts up with every use; 0 when empty."""

    is_busy: bool = False
    """A job is using it."""

    @property
    def end_position(self) -> int:
        return n_positions(self.cells)


class KvCache:
    """The slots of one context. For the scheduler's thread only."""

    def __init__(self, context: Context, n_slots: int) -> None:
        self._context = context
        self._model = context.model
        self.prefix = Slot(0, is_busy=True)
        self.slots = [Slot(sequence) for sequence in range(1, n_slots + 1)]
        self._clock = count(1)

    def take(self, cells: list[Cell], *, keep_at_most: int) -> Slot | None:
        """A slot that holds the longest cached prefix of `cells`; None when all are busy."""
        idle = [slot for slot in self.slots if not slot.is_busy]
        if not idle:
            return None
        sources = [self.prefix, *self.slots]
        shared = {id(slot): self._usable(slot, cells, keep_at_most) for slot in sources}
        source = max(
            sources, key=lambda slot: (shared[id(slot)], -len(slot.cells), not slot.is_busy)
        )
        keep = shared[id(source)]
        discarded = len(source.cells) - keep
        if not source.is_busy and is_revision(
            shared=keep, discarded=discarded, prefix=len(self.prefix.cells)
        ):
            slot = source
        else:
            slot = min(idle, key=lambda slot: slot.used_at)
        if slot is source:
            self.cut(slot, keep)
        else:
            self.clear(slot)
            self._share(source, slot, keep)
        slot.is_busy = True
        slot.used_at = next(self._clock)
        return slot

    def release(self, slot: Slot) -> None:
        slot.is_busy = False
        slot.used_at = next(self._clock) if slot.cells else 0

    def cut(self, slot: Slot, n_cells: int) -> None:
        """Keep the first `n_cells`, which `can_roll_back` allowed."""
        if n_cells < len(slot.cells):
            del slot.cells[n_cells:]
            self._context.remove(slot.sequence, slot.end_position)

    def clear(self, slot: Slot) -> None:
        self._context.remove(slot.sequence)
        slot.cells.clear()
        slot.used_at = 0

    def evict(self) -> bool:
        """Drop the least recently used conversation's cells. False when there is none to drop."""
        idle = [slot for slot in self.slots if slot.cells and not slot.is_busy]
        if not idle:
            return False
        self.clear(min(idle, key=lambda slot: slot.used_at))
        return True

    def _usable(self, slot: Slot, cells: list[Cell], at_most: int) -> int:
        """How many of the slot's cells may serve as the beginning of `cells`."""
        shared = min(common_cells(slot.cells, cells), at_most)
        allowed = shared and can_roll_back(
            self._model.memory,
            to_position=n_positions(cells[:shared]),
            end_position=slot.end_position,
            first_position=self._context.first_position(slot.sequence),
            window=self._model.sliding_window,
        )
        return shared if allowed else 0

    def _share(self, source: Slot, target: Slot, n_cells: int) -> None:
        if n_cells:
            target.cells = source.cells[:n_cells]
            self._context.copy(source.sequence, target.sequence, target.end_position)
