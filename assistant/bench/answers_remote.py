"""The part of `assistant bench answers` that is about a remote brain that fails."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.bench.endpoint import Conduct, FakeEndpoint, fake_endpoint
from assistant.bench.report import Report, console, print_table
from assistant.config import Config
from assistant.config_answers import RemoteConfig, TiersConfig
from assistant.engines import Engines
from assistant.rehearsal import Answer, Rehearsal
from assistant.tiers import routed_brain
from assistant.vision.image_file import encode_picture

_QUESTION = "Explain in one sentence why the sky is blue."


async def measure_remote(engines: Engines, config: Config) -> list[Report]:
    """Each way in which the endpoint may behave: what was heard, and after how long."""
    cases = list[Report]()
    with TemporaryDirectory() as folder:
        for conduct in Conduct:
            spending = Path(folder) / f"{conduct.name}.json"
            answer, heard_within_ms = await _ask(engines, config, conduct, spending)
            by = answer.timeline and answer.timeline.stats and answer.timeline.stats.by
            case = {
                "case": conduct.value,
                "heard_within_ms": heard_within_ms,
                "outcome": f"answered by {by.model}" if by else "no answer",
                "answer": answer.answer,
                "notes": [each.reason for each in answer.degraded],
            }
            cases.append(case)
            console.print(f"{conduct}: {answer.answer!r}; {case['notes']}", markup=False)
    print_table(
        "a remote brain that",
        ("does this", "heard within ms", "outcome"),
        [(case["case"], case["heard_within_ms"], case["outcome"]) for case in cases],
    )
    return cases


async def _ask(
    engines: Engines, config: Config, conduct: Conduct, spending: Path
) -> tuple[Answer, float | None]:
    async with fake_endpoint(FakeEndpoint(conduct=conduct)) as fake:
        config = replace(
            config,
            tiers=TiersConfig(strong="remote"),
            remote=RemoteConfig(endpoint=fake.url, model="fake", spending_file=spending),
        )
        async with (
            routed_brain(
                config, engines.brain, None, local_sees=False, encode=encode_picture
            ) as brain,
            Rehearsal(replace(engines, brain_for=lambda _: brain), config) as rehearsal,
        ):
            asked_at_s = time.monotonic()
            answer = await rehearsal.say(text=_QUESTION)
    first_at_s = answer.first_sound_at_s
    return answer, None if first_at_s is None else 1_000 * (first_at_s - asked_at_s)
