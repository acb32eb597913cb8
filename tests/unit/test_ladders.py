from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from assistant.budget import Stage
from assistant.conversation import Conversation, estimated_tokens
from assistant.fallback import FallbackPolicy, Plan
from assistant.ladders import helped
from assistant.types import Answerer, Prompt, ReplyStats, Spoken
from tests.fakes import STATS

KEPT = replace(STATS, prompt_tokens=900, cached_tokens=880)
LOST = replace(STATS, prompt_tokens=900, cached_tokens=60, reread_tokens=820)
STRONG = Answerer(tier="strong", model="m", is_remote=True, reason="it compares")
SHOWN = replace(STATS, prompt_tokens=900, cached_tokens=600, reread_tokens=0)


@pytest.mark.parametrize(
    ("late", "stats", "saw_picture", "expected"),
    [
        # Other stages are helped by their own ladders, whatever was read.
        ([], KEPT, False, []),
        ([Stage.TTS, Stage.ASR], KEPT, False, [Stage.TTS, Stage.ASR]),
        # A slow machine that had nothing much to read.
        ([Stage.PREFILL], KEPT, False, []),
        ([Stage.PREFILL, Stage.FIRST_PHRASE], KEPT, False, [Stage.FIRST_PHRASE]),
        # Earlier turns were read again while somebody waited.
        ([Stage.PREFILL], LOST, False, [Stage.PREFILL]),
        ([Stage.PREFILL], LOST, True, [Stage.PREFILL]),
        # What was read was the question: a picture, or a long text.
        ([Stage.PREFILL], SHOWN, True, [Stage.VISION]),
        ([Stage.PREFILL], SHOWN, False, []),
        ([Stage.PREFILL], KEPT, True, []),
        # A strong brain is slow to begin.
        ([Stage.PREFILL], replace(KEPT, by=STRONG), False, [Stage.FIRST_PHRASE]),
        ([Stage.PREFILL], replace(KEPT, by=replace(STRONG, tier="fast")), False, []),
        # Cut off, and nobody knows.
        ([Stage.PREFILL], None, True, []),
    ],
)
def test_less_is_given_only_where_it_saves_time(
    late: list[Stage], stats: ReplyStats | None, saw_picture: bool, expected: list[Stage]
) -> None:
    assert helped(late, stats, saw_picture=saw_picture) == set(expected)


@dataclass(slots=True)
class Memory:
    """A brain that keeps whatever it has read, like the cells of a KV cache."""

    kept: list[Prompt] = field(default_factory=list)

    def read(self, prompt: Prompt, *, at_most: float = float("inf")) -> ReplyStats:
        """What there was to read of `prompt`; with less time only so much of it is kept."""
        n_kept = self.n_kept(prompt)
        missing = prompt[n_kept:]
        n_now = len(prompt)
        while n_now > n_kept and estimated_tokens(prompt[n_kept:n_now]) > at_most:
            n_now -= 1
        self.kept.append(prompt[:n_now])
        whole, n_read = estimated_tokens(prompt), estimated_tokens(missing)
        return replace(
            STATS,
            prompt_tokens=whole,
            cached_tokens=whole - n_read,
            reread_tokens=max(0, n_read - estimated_tokens(prompt[-1:])),
        )

    def n_kept(self, prompt: Prompt) -> int:
        """Messages that need not be read again."""
        return max((_n_common(each, prompt) for each in self.kept), default=0)


def _n_common(one: Sequence[object], other: Sequence[object]) -> int:
    n = 0
    while n < min(len(one), len(other)) and one[n] == other[n]:
        n += 1
    return n


def converse(n_turns: int, *, tokens_between: float, max_tokens: int) -> tuple[Plan, list[int]]:
    """A conversation on a machine so slow that every first token is late. `tokens_between`: what it
    can read from one question to the next. What it was told at last, and what was read again."""
    conversation = Conversation(system_prompt="Be brief.", max_tokens=max_tokens)
    memory, policy, reread = Memory(), FallbackPolicy(), list[int]()
    for n in range(n_turns):
        asked = conversation.asking(f"And what about number {n}, please?", turn_id=f"turn_{n}")
        stats = memory.read(asked.prompt)
        reread.append(stats.reread_tokens)
        conversation.answering()
        conversation.remember(asked, f"turn_{n}", Spoken(f"The answer to number {n} is {n}."))
        memory.kept[-1] = (*asked.prompt, conversation.messages[-1])
        policy.after_turn(helped([Stage.PREFILL], stats, saw_picture=False))
        shorter = conversation.shortened(policy.plan.history_share)
        if shorter is not None:
            memory.read(shorter.prompt, at_most=tokens_between)
            if memory.n_kept(shorter.prompt) == len(shorter.prompt):
                conversation.adopt(shorter)
    return policy.plan, reread


def test_a_slow_machine_that_keeps_what_it_has_read_never_forgets_a_turn() -> None:
    plan, reread = converse(10, tokens_between=0, max_tokens=1_000)
    assert plan == Plan()
    assert max(reread[1:]) == 0


@pytest.mark.parametrize("tokens_between", [100, 200, 1_000])
def test_to_forget_the_oldest_turns_makes_nobody_wait(tokens_between: float) -> None:
    plan, reread = converse(80, tokens_between=tokens_between, max_tokens=1_000)
    assert plan == Plan()
    assert max(reread[1:]) == 0
