"""Which tier answers, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.router import Reason, Tier, route


@pytest.mark.parametrize(
    ("question", "tier", "reason"),
    [
        ("What is the capital of France?", Tier.FAST, Reason.SHORT),
        ("中国的首都是哪里？", Tier.FAST, Reason.SHORT),
        ("Think about it: what is the capital of France?", Tier.STRONG, Reason.ASKED),
        ("好好想想，法国的首都是哪里？", Tier.STRONG, Reason.ASKED),
        ("Why not?", Tier.FAST, Reason.SHORT),
        ("Why is the sky blue?", Tier.STRONG, Reason.REASONS),
        ("Compare tea and coffee", Tier.STRONG, Reason.COMPARISON),
        ("Write a short poem about the sea.", Tier.STRONG, Reason.WRITING),
        ("Please refactor this for me", Tier.STRONG, Reason.CODE),
        ("Any advice for a first marathon?", Tier.STRONG, Reason.ADVICE),
        ("如果有三个苹果，吃了一个，还剩几个？", Tier.STRONG, Reason.PUZZLE),
        ("<tool_response>\nexplain: 3\n</tool_response>", Tier.FAST, Reason.RESULT),
        ("is it " + "very " * 30 + "cold", Tier.STRONG, Reason.LONG),
        ("", Tier.FAST, Reason.SHORT),
    ],
)
def test_choice_has_its_reason(question: str, tier: Tier, reason: Reason) -> None:
    chosen = route(question)
    assert (chosen.tier, chosen.reason) == (tier, reason)


def test_picture_goes_where_it_can_be_seen() -> None:
    assert route("What do you see here?").tier is Tier.FAST
    seen = route("What do you see here?", has_picture=True)
    assert (seen.tier, seen.reason) == (Tier.STRONG, Reason.PICTURE)
    assert route("What is the capital of France?", has_picture=True).tier is Tier.FAST


def test_what_no_rule_claims_is_judged() -> None:
    question = "Which of all colours would suit an old boat?"
    assert route(question).tier is Tier.FAST
    judged = route(question, is_hard=lambda words: "boat" in words)
    assert (judged.tier, judged.reason) == (Tier.STRONG, Reason.OPEN)
    assert route("Old boat?", is_hard=lambda _: True).tier is Tier.FAST


def test_the_page_has_a_sentence_for_every_reason_in_both_languages() -> None:
    texts = (Path(__file__).parents[2] / "client_web/i18n.js").read_text()
    for reason in Reason:
        assert texts.count(f"  by_{reason}: ") == 2, reason
