"""`assistant bench engine`: what the brain takes for what, and what its tricks save."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from assistant.bench.report import Report, print_table
from assistant.config import Config
from assistant.errors import BrainError
from assistant.model_store import ModelStore
from assistant.worker import Worker
from assistant.worker_host import EngineSpec

_DRAFT_MODEL = "qwen2.5-coder-0.5b-instruct"
_PATIENCE_S = 1_200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--draft-model", default=_DRAFT_MODEL, metavar="ID", help="tried where it is here"
    )


async def measure(config: Config, options: argparse.Namespace) -> Report:
    """All in one run of one worker, with the environment that serving has."""
    store = ModelStore(config.models.folder)
    draft = options.draft_model
    spec = EngineSpec(
        "assistant.llm.bench:EngineBench",
        (
            config.brain,
            store.folder(config.brain.model),
            store.folder(draft) if store.is_present(draft) else None,
        ),
    )
    async with Worker("brain", spec, error=BrainError, config=config.workers) as worker:
        await worker.wait_ready()
        async with asyncio.timeout(_PATIENCE_S):
            report: Report = await worker.call("run")
    rows = [(f"{part} {name}", value) for part, name, value in _figures(report)]
    print_table(config.brain.model, ("figure", "value"), [tuple(row) for row in rows])
    return report


def _figures(report: Report) -> list[tuple[str, str, Any]]:
    return [
        (part, name, value)
        for part, figures in report.items()
        if isinstance(figures, dict)
        for name, value in figures.items()
        if not isinstance(value, (list, dict))
    ]
