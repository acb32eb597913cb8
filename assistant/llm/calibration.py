"""What a decode costs on this machine, measured once at start."""

from __future__ import annotations

import time

import numpy as np

from assistant.errors import BrainError
from assistant.llm.context import Context, Decoded, Run
from assistant.llm.draft import MAX_GUESSES, DraftLength, Guesser

_SIZES = (1, 2, 4, MAX_GUESSES + 1)
"""Tokens in a decode; the costs between are on the line between."""

_ROUNDS = 2
"""The faster one counts: what else the machine did is no cost of ours."""


def calibrate(context: Context, sequence: int, tokens: list[int], guesser: Guesser) -> DraftLength:
    """Time decodes in a sequence that is scratch space, and the guesser."""
    rounds = [[_decode_ms(context, sequence, tokens, n) for n in _SIZES] for _ in range(_ROUNDS)]
    fastest = np.min(rounds, axis=0)
    check_ms = np.interp(range(1, MAX_GUESSES + 2), _SIZES, fastest)
    guesser.guess(tokens, 1)
    guess_ms = min(_guess_ms(guesser, tokens) for _ in range(_ROUNDS))
    return DraftLength(check_ms=check_ms.tolist(), guess_ms=guess_ms)


def _decode_ms(context: Context, sequence: int, tokens: list[int], n: int) -> float:
    run = Run(sequence, 0, (tokens * n)[:n], n)
    began_at_s = time.monotonic()
    if context.decode([run]) is not Decoded.DONE:
        raise BrainError("the brain could not decode")
    took_ms = 1_000 * (time.monotonic() - began_at_s)
    context.remove(sequence)
    return took_ms


def _guess_ms(guesser: Guesser, tokens: list[int]) -> float:
    began_at_s = time.monotonic()
    guesser.guess(tokens, MAX_GUESSES)
    return 1_000 * (time.monotonic() - began_at_s) / MAX_GUESSES
