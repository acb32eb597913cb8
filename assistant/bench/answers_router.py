"""The part of `assistant bench answers` that is about the router."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean

from assistant.bench.report import Report, print_table
from assistant.bench.table import table
from assistant.config import Config
from assistant.conversation import Conversation
from assistant.engines import WorkerBrain, brain_spec
from assistant.errors import BrainError
from assistant.model_store import ModelStore
from assistant.routed_brain import PHRASE_CHARACTERS
from assistant.router import Tier, route
from assistant.worker import Worker

_TIMED_QUESTIONS = 8
"""Of each tier."""

_PHRASE_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Marked:
    """A question, and the tier that a person would send it to."""

    question: str
    tier: Tier
    language: str
    was_used: bool
    """Whether the rules were made with it in view; the others were written afterwards."""


def marked_questions() -> list[Marked]:
    headings, *rows = table("routing")
    marked = (dict(zip(headings, row, strict=True)) for row in rows)
    return [
        Marked(each["question"], Tier(each["tier"]), each["language"], each["used"] == "made")
        for each in marked
    ]


def score(questions: Sequence[Marked]) -> Report:
    """`confusion`: counts by "marked as > sent to"."""
    confusion = Counter((each.tier, route(each.question).tier) for each in questions)
    right = sum(n for (marked, sent), n in confusion.items() if marked is sent)
    return {
        "accuracy": right / max(len(questions), 1),
        "n": len(questions),
        "confusion": {
            f"{marked} > {sent}": confusion[marked, sent] for marked in Tier for sent in Tier
        },
    }


async def measure_router(config: Config, fast: str, strong: str) -> Report:
    """The rules on all marked questions and on those that were not in view, and what they save."""
    report = measure_rules()
    return {**report, "time": await measure_time(config, fast, strong)}


def measure_rules() -> Report:
    questions = marked_questions()
    parts = {
        "all": questions,
        "unseen": [each for each in questions if not each.was_used],
        "English": [each for each in questions if each.language == "en"],
        "Chinese": [each for each in questions if each.language == "zh"],
    }
    scores = {name: score(part) for name, part in parts.items()}
    print_table(
        "router",
        ("questions", "n", "right", *scores["all"]["confusion"]),
        [
            (name, each["n"], each["accuracy"], *each["confusion"].values())
            for name, each in scores.items()
        ],
    )
    return {**scores["all"], "unseen": scores["unseen"]}


async def measure_time(config: Config, fast: str, strong: str) -> Report:
    """How long a first phrase takes in each tier, and in a routed mixture. `fast`, `strong`: ids of
    local models; half of the questions are marked for each tier."""
    unseen = [each for each in marked_questions() if not each.was_used and each.language == "en"]
    sample = [
        each for tier in Tier for each in [q for q in unseen if q.tier is tier][:_TIMED_QUESTIONS]
    ]
    waits_ms = dict[Tier, list[float]]()
    for tier, model in ((Tier.FAST, fast), (Tier.STRONG, strong)):
        spec = brain_spec(
            config, ModelStore(config.models.folder), replace(config.brain, model=model)
        )
        async with Worker("brain", spec, error=BrainError, config=config.workers) as worker:
            await worker.wait_ready()
            brain = WorkerBrain(worker)
            waits_ms[tier] = [
                await _first_phrase_ms(brain, config, each.question) for each in sample
            ]
    routed_ms = [waits_ms[route(each.question).tier][n] for n, each in enumerate(sample)]
    report = {
        "fast_model": fast,
        "strong_model": strong,
        "n": len(sample),
        "fast_ms": mean(waits_ms[Tier.FAST]),
        "strong_ms": mean(waits_ms[Tier.STRONG]),
        "routed_ms": mean(routed_ms),
        "saved_ms": mean(waits_ms[Tier.STRONG]) - mean(routed_ms),
    }
    print_table(
        f"a first phrase, mean of {len(sample)} questions",
        ("brain", "ms"),
        [
            (f"fast: {fast}", report["fast_ms"]),
            (f"strong: {strong}", report["strong_ms"]),
            ("routed", report["routed_ms"]),
        ],
    )
    return report


async def _first_phrase_ms(brain: WorkerBrain, config: Config, question: str) -> float:
    prompt = Conversation(
        system_prompt=config.brain.system_prompt, max_tokens=config.brain.conversation_tokens
    ).asking(question, turn_id="")
    asked_at_s, said = time.monotonic(), ""
    async with brain.reply(prompt.prompt, max_tokens=_PHRASE_TOKENS) as pieces:
        async for piece in pieces:
            said += piece.text
            if len(said) >= PHRASE_CHARACTERS:
                break
    return 1_000 * (time.monotonic() - asked_at_s)
