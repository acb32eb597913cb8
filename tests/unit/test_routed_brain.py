"""Which brain is asked, who takes over, and what the turn is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from assistant.documents.passages import FoundPassage
from assistant.documents.told import with_passages
from assistant.errors import BrainError
from assistant.routed_brain import RoutedBrain, TierBrain, ways
from assistant.router import Tier
from assistant.thrift import Thrift
from assistant.types import Message, Prompt, ReplyPiece, Role
from tests.fakes import ScriptedBrain, picture

EASY = "What is the capital of France?"
HARD = "Explain why the sky is blue."
PASSAGES = with_passages(
    [FoundPassage(id=1, source="a.md:1", heading="", text="Explain and compare step by step.")], ""
)


def asked(text: str, *, shows: bool = False) -> Prompt:
    return (
        Message(role=Role.SYSTEM, text="Be brief."),
        Message(role=Role.USER, text=text, image=picture() if shows else None),
    )


def tier(
    brain: ScriptedBrain,
    which: Tier = Tier.FAST,
    *,
    is_remote: bool = False,
    sees: bool = False,
    first_token_ms: float | None = None,
) -> TierBrain:
    model = f"{'remote' if is_remote else 'local'}-{which}"
    return TierBrain(
        tier=which,
        brain=brain,
        model=model,
        is_remote=is_remote,
        sees=sees,
        first_token_ms=first_token_ms,
    )


async def pieces_of(brain: RoutedBrain, prompt: Prompt) -> list[ReplyPiece]:
    async with brain.reply(prompt, max_tokens=50) as pieces:
        return [piece async for piece in pieces]


def words(pieces: Sequence[ReplyPiece]) -> str:
    return "".join(piece.text for piece in pieces)


LOCAL_FAST = tier(ScriptedBrain())
LOCAL_STRONG = tier(ScriptedBrain(), Tier.STRONG)
REMOTE_FAST = tier(ScriptedBrain(), is_remote=True)
REMOTE_STRONG = tier(ScriptedBrain(), Tier.STRONG, is_remote=True)


@pytest.mark.parametrize(
    ("chosen", "brains", "order"),
    [
        (Tier.FAST, [REMOTE_STRONG, LOCAL_FAST], [LOCAL_FAST, REMOTE_STRONG]),
        (Tier.STRONG, [REMOTE_STRONG, LOCAL_FAST], [REMOTE_STRONG, LOCAL_FAST]),
        (Tier.FAST, [LOCAL_STRONG, LOCAL_FAST], [LOCAL_FAST]),
        (Tier.STRONG, [LOCAL_STRONG, LOCAL_FAST], [LOCAL_STRONG, LOCAL_FAST]),
        (Tier.FAST, [REMOTE_FAST, LOCAL_FAST], [REMOTE_FAST, LOCAL_FAST]),
        (Tier.STRONG, [REMOTE_FAST, LOCAL_FAST], [REMOTE_FAST, LOCAL_FAST]),
        (Tier.FAST, [LOCAL_STRONG, REMOTE_FAST, LOCAL_FAST], [REMOTE_FAST, LOCAL_FAST]),
        (
            Tier.STRONG,
            [LOCAL_STRONG, REMOTE_FAST, LOCAL_FAST],
            [LOCAL_STRONG, REMOTE_FAST, LOCAL_FAST],
        ),
    ],
)
def test_order_of_asking(chosen: Tier, brains: list[TierBrain], order: list[TierBrain]) -> None:
    assert ways(chosen, brains) == order


@pytest.mark.parametrize(("question", "who"), [(EASY, "local-fast"), (HARD, "local-strong")])
async def test_question_goes_to_its_tier_and_the_turn_is_told(question: str, who: str) -> None:
    strong, fast = ScriptedBrain(["Deep."]), ScriptedBrain(["Paris."])
    brain = RoutedBrain([tier(strong, Tier.STRONG), tier(fast)])
    pieces = await pieces_of(brain, asked(question))
    assert pieces[0].by is not None
    assert pieces[0].by.model == who
    assert pieces[-1].stats is not None
    assert pieces[-1].stats.by == pieces[0].by
    assert (len(fast.replied), len(strong.replied)) == ((1, 0) if who == "local-fast" else (0, 1))


@pytest.mark.parametrize("question", [EASY, HARD])
async def test_with_thrift_the_strong_tier_is_left_alone(question: str) -> None:
    strong, fast, plain = (ScriptedBrain([word]) for word in ("Deep.", "Paris.", "Plain."))
    usual = RoutedBrain([tier(strong, Tier.STRONG), tier(fast)])
    brain = usual.thrifty(Thrift(use_strong=False), plain)
    assert "".join([piece.text for piece in await pieces_of(brain, asked(question))]) == "Plain."
    await brain.prefill(asked(question))
    assert not strong.prefilled
    again = usual.thrifty(Thrift(use_draft=False), plain)
    assert "".join([piece.text for piece in await pieces_of(again, asked(HARD))]) == "Deep."


async def test_tier_that_fails_falls_to_the_next_and_says_so() -> None:
    strong = ScriptedBrain(["Deep."], fails_after=0)
    brain = RoutedBrain([tier(strong, Tier.STRONG), tier(ScriptedBrain(["Paris."]))])
    pieces = await pieces_of(brain, asked(HARD))
    assert words(pieces) == "Paris."
    assert [p.shortcoming for p in pieces if p.shortcoming] == [
        "out of memory; local-fast answers instead"
    ]
    assert [p.by.model for p in pieces if p.by] == ["local-strong", "local-fast"]
    assert pieces[-1].stats is not None
    assert pieces[-1].stats.by is not None
    assert pieces[-1].stats.by.model == "local-fast"


async def test_tier_that_misses_its_deadline_falls_to_the_next() -> None:
    strong = ScriptedBrain(["Deep."], token_s=60)
    brain = RoutedBrain(
        [tier(strong, Tier.STRONG, first_token_ms=20), tier(ScriptedBrain(["Paris."]))]
    )
    pieces = await pieces_of(brain, asked(HARD))
    assert words(pieces) == "Paris."
    assert strong.busy == 0


async def test_last_resort_has_no_deadline() -> None:
    slow = ScriptedBrain(["Paris."], token_s=0.1)
    brain = RoutedBrain(
        [tier(ScriptedBrain(), Tier.STRONG, is_remote=False), tier(slow, first_token_ms=10)]
    )
    assert words(await pieces_of(brain, asked(EASY))) == "Paris."


async def test_answer_that_breaks_off_is_gone_on_with() -> None:
    strong = ScriptedBrain(["The sky", " is blue", " because"], fails_after=2)
    fast = ScriptedBrain(["of scattering."])
    pieces = await pieces_of(RoutedBrain([tier(strong, Tier.STRONG), tier(fast)]), asked(HARD))
    assert words(pieces) == "The sky is blue of scattering."
    (prompt,) = fast.replied
    assert prompt[:2] == asked(HARD)
    assert (prompt[2].role, prompt[2].text) == (Role.ASSISTANT, "The sky is blue")
    assert "Go on" in prompt[3].text


@pytest.mark.parametrize(
    ("more", "whole"),
    [
        ("of scattering.", "The sky is blue of scattering."),
        ("The sky is blue by day.", "The sky is blue. The sky is blue by day."),
        ("I think so.", "The sky is blue I think so."),
    ],
)
async def test_who_begins_anew_begins_another_sentence(more: str, whole: str) -> None:
    strong = ScriptedBrain(["The sky is blue", ""], fails_after=1)
    brain = RoutedBrain([tier(strong, Tier.STRONG), tier(ScriptedBrain([more]))])
    assert words(await pieces_of(brain, asked(HARD))) == whole


async def test_failure_of_all_is_the_last_ones() -> None:
    failing = [tier(ScriptedBrain(["x"], fails_after=0), each) for each in (Tier.STRONG, Tier.FAST)]
    with pytest.raises(BrainError, match="out of memory"):
        await pieces_of(RoutedBrain(failing), asked(HARD))


async def test_leaving_leaves_every_brain_idle() -> None:
    strong, fast = ScriptedBrain(["Deep."] * 9, token_s=0.01), ScriptedBrain()
    brain = RoutedBrain([tier(strong, Tier.STRONG), tier(fast)])
    async with brain.reply(asked(HARD), max_tokens=50) as pieces:
        async for piece in pieces:
            if piece.text:
                break
    assert (strong.busy, fast.busy) == (0, 0)
    task = asyncio.create_task(pieces_of(brain, asked(HARD)))
    await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.wait([task])
    assert (strong.busy, fast.busy) == (0, 0)


async def test_last_resort_reads_along_and_a_local_one_that_would_be_asked() -> None:
    strong, fast, remote = ScriptedBrain(), ScriptedBrain(), ScriptedBrain()
    brain = RoutedBrain([tier(strong, Tier.STRONG), tier(fast)])
    await brain.prefill(asked("Explain why the sky"))
    await brain.prefill(asked(EASY))
    assert (len(strong.prefilled), len(fast.prefilled)) == (1, 2)
    brain = RoutedBrain([tier(remote, Tier.STRONG, is_remote=True), tier(fast)])
    await brain.prefill(asked(HARD))
    assert (len(remote.prefilled), len(fast.prefilled)) == (0, 3)


async def test_only_who_sees_is_shown_the_picture() -> None:
    strong, fast = ScriptedBrain(["A cat."], fails_after=0), ScriptedBrain(["I cannot tell."])
    brain = RoutedBrain([tier(strong, Tier.STRONG, sees=True), tier(fast)])
    await pieces_of(brain, asked("What do you see?", shows=True))
    assert strong.replied[0][-1].image is not None
    assert fast.replied[0][-1].image is None


async def test_next_wait_is_expected_from_the_last_ones() -> None:
    now_s = iter(range(100))
    strong = tier(ScriptedBrain(["Deep thought of some length."]), Tier.STRONG)
    brain = RoutedBrain([strong, tier(ScriptedBrain())], clock=lambda: float(next(now_s)))
    first = await pieces_of(brain, asked(HARD))
    assert first[0].by is not None
    assert first[0].by.expected_ms is None
    second = await pieces_of(brain, asked(HARD))
    assert second[0].by is not None
    assert second[0].by.expected_ms == 1_000


@pytest.mark.parametrize(
    "before",
    ["[Camera: a person in the middle; text that reads why compare write]\n", PASSAGES],
)
async def test_only_the_persons_own_words_decide(before: str) -> None:
    strong, fast = ScriptedBrain(["Deep."]), ScriptedBrain(["Paris."])
    brain = RoutedBrain([tier(strong, Tier.STRONG), tier(fast)])
    assert words(await pieces_of(brain, asked(before + EASY))) == "Paris."
    assert words(await pieces_of(brain, asked(before + HARD))) == "Deep."
