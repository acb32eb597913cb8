"""Pure: what drafting does to speed (Leviathan et al. 2023, arXiv:2211.17192).

All costs are in units of one token without drafting. The engine decides by the same arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.llm.draft import DraftLength

LONGEST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """What becomes of one draft length."""

    length: int
    tokens_per_step: float
    speed_up: float


def by_length(*, acceptance: float, draft_cost: float, check_cost: float = 0.0) -> list[Drafted]:
    """Of every draft length from 0 on.

    `acceptance`: the chance that a guess is right, 0 to 1. `draft_cost`: of one guess.
    `check_cost`: of each guess more in the batch that checks them; near 0 on a GPU, more on a CPU.
    """
    length = DraftLength(
        check_ms=[1 + check_cost * n for n in range(LONGEST + 1)], guess_ms=draft_cost
    )
    return [
        Drafted(
            length=n,
            tokens_per_step=sum(acceptance**i for i in range(n + 1)),
            speed_up=length.speed_ratio(n, acceptance),
        )
        for n in range(LONGEST + 1)
    ]


def best(drafted: list[Drafted]) -> Drafted:
    """Length 0 where drafting does not pay."""
    return max(drafted, key=lambda each: each.speed_up)
