"""The part of `assistant bench answers` that is about the router."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean

from assistant.bench.report import Report, print_table, spread
from assistant.bench.table import HELD_OUT, data
from assistant.config import Config
from assistant.conversation import Conversation
from assistant.engines import WorkerBrain, brain_spec
from assistant.errors import BrainError
from assistant.marked_questions import Marked, MarkedQuestions, marked_questions, read_marked
from assistant.model_store import ModelStore
from assistant.recall.encoder import SentenceEncoder
from assistant.routed_brain import PHRASE_CHARACTERS
from assistant.router import Tier, route
from assistant.worker import Worker

_TIMED_QUESTIONS = 8
"""Of each tier."""

_PHRASE_TOKENS = 16


def held_out() -> tuple[Marked, ...]:
    """Written without a look at how they do, and never used to make them do better."""
    return read_marked(data("routing.tsv"))


def score(questions: Sequence[Marked], sent: Sequence[Tier]) -> Report:
    """`confusion`: counts by "marked as > sent to"."""
    confusion = Counter(zip((each.tier for each in questions), sent, strict=True))
    right = sum(n for (marked, tier), n in confusion.items() if marked is tier)
    return {
        "accuracy": right / max(len(questions), 1),
        "n": len(questions),
        "confusion": {
            f"{marked} > {tier}": confusion[marked, tier] for marked in Tier for tier in Tier
        },
    }


async def measure_router(config: Config, fast: str, strong: str) -> Report:
    """How well it chooses, and what that saves."""
    store = ModelStore(config.models.folder)
    encoder = SentenceEncoder(store.folder(config.cache.encoder_model))
    learned = MarkedQuestions(marked_questions(), encoder.encode)
    report = measure_choices(learned)
    return {**report, "time": await measure_time(config, learned, fast, strong)}


def measure_choices(learned: MarkedQuestions) -> Report:
    """On questions that were held out. Beside them those that it was made with, each as if the
    others alone had been learned; the rules were made with them in view."""
    asked = held_out()
    sent, took_ms = list[Tier](), list[float]()
    for each in asked:
        began_at_s = time.monotonic()
        sent.append(route(each.question, is_hard=learned.is_hard).tier)
        took_ms.append(1_000 * (time.monotonic() - began_at_s))
    parts = {HELD_OUT: score(asked, sent)}
    for language, name in (("en", "English"), ("zh", "Chinese")):
        which = [n for n, each in enumerate(asked) if each.language == language]
        parts[name] = score([asked[n] for n in which], [sent[n] for n in which])
    parts["rules alone"] = score(asked, [route(each.question).tier for each in asked])
    known = marked_questions()
    hard = dict(zip((each.question for each in known), learned.left_out(), strict=True))
    parts["development"] = score(
        known, [route(each.question, is_hard=hard.__getitem__).tier for each in known]
    )
    print_table(
        "router",
        ("questions", "n", "right", *parts[HELD_OUT]["confusion"]),
        [
            (name, each["n"], each["accuracy"], *each["confusion"].values())
            for name, each in parts.items()
        ],
    )
    return {
        **parts[HELD_OUT],
        "rules_alone": parts["rules alone"],
        "development": parts["development"],
        "choice_ms": spread(took_ms),
    }


async def measure_time(config: Config, learned: MarkedQuestions, fast: str, strong: str) -> Report:
    """How long a first phrase takes in each tier, and in a routed mixture. `fast`, `strong`: ids of
    local models; half of the questions are marked for each tier."""
    some = [each for each in held_out() if each.language == "en"]
    sample = [
        each for tier in Tier for each in [q for q in some if q.tier is tier][:_TIMED_QUESTIONS]
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
    routed_ms = [
        waits_ms[route(each.question, is_hard=learned.is_hard).tier][n]
        for n, each in enumerate(sample)
    ]
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
