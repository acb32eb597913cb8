"""Pure: how long a remote brain is waited for, and whether it is asked again."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.config import BudgetConfig

_FIRST_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Time-outs of one request."""

    connect_ms: float
    first_token_ms: float
    """From the request, every try included."""

    gap_ms: float
    """Between one token and the next."""


def patience(budget: BudgetConfig) -> Patience:
    """To connect may take what thinking has of the promise. The first token may take twice the
    promise: an acknowledgement passes the time, and another tier can still answer before people
    leave. A stall is noticed as soon."""
    return Patience(
        connect_ms=budget.prefill_ms + budget.first_phrase_ms,
        first_token_ms=2 * budget.voice_to_voice_ms,
        gap_ms=2 * budget.voice_to_voice_ms,
    )


def pause_s(n_tries: int, luck: float, *, asked_s: float | None = None) -> float:
    """How long to wait after `n_tries` failures: a random share of 0.1 s, 0.2 s, 0.4 s and so on
    ("full jitter"), so that many clients do not come back at once.

    `luck`: from 0 to 1. `asked_s`: what the server asks for (Retry-After), which is the least.
    """
    jittered = luck * _FIRST_PAUSE_S * 2.0 ** (n_tries - 1)
    return jittered if asked_s is None else asked_s + jittered
