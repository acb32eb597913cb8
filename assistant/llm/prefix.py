"""Pure: what two prompts share, and how much of a cached one may be kept.

The prompt is a value and the KV cache only a cache: cells are compared one by one, so a hit is
never wrong, only a miss is slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Picture:
    """A whole image as one cell: it is read and taken back only whole."""

    key: str
    """Content hash of the pixels."""

    n_positions: int
    """Positions that it takes up; with M-RoPE fewer than its tokens."""

    n_tokens: int


Cell = int | Picture
"""A text token, or an image."""


class Memory(StrEnum):
    """How a model's cache may be taken back. Source: llama_memory_seq_rm in llama.h."""

    FULL = "full"
    """Full attention: to anywhere."""

    SLIDING = "sliding"
    """Sliding window: to anywhere whose window is still there. llama.cpp does not check."""

    RECURRENT = "recurrent"
    """Recurrent or hybrid: nowhere; a state has no parts."""


def common_cells(one: Sequence[Cell], other: Sequence[Cell]) -> int:
    """Length of the longest common prefix."""
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return i
    return min(len(one), len(other))


def leading_tokens(cells: Sequence[Cell]) -> list[int]:
    """The text before the first picture."""
    tokens: list[int] = []
    for cell in cells:
        if not isinstance(cell, int):
            break
        tokens.append(cell)
    return tokens


def n_positions(cells: Sequence[Cell]) -> int:
    return sum(1 if isinstance(cell, int) else cell.n_positions for cell in cells)


def n_tokens(cells: Sequence[Cell]) -> int:
    return sum(1 if isinstance(cell, int) else cell.n_tokens for cell in cells)


def can_roll_back(
    memory: Memory, *, to_position: int, end_position: int, first_position: int, window: int
) -> bool:
    """Whether a sequence that holds [first, end) is still valid cut off at `to_position`."""
    if to_position == end_position:
        return True
    match memory:
        case Memory.FULL:
            return True
        case Memory.SLIDING:
            return first_position <= max(0, to_position - window)
        case Memory.RECURRENT:
            return False


def is_revision(*, shared: int, discarded: int, prefix: int) -> bool:
    """Whether a prompt is the next state of the cached conversation, not another conversation.

    All conversations share the `prefix` and a few words; the same one keeps more than it drops.
    """
    return shared - prefix >= discarded
