"""`assistant bench answers`: who answers, from what, and what happens when that fails."""

from __future__ import annotations

import argparse
from dataclasses import replace

from assistant.bench.answers_cache import measure_cache
from assistant.bench.answers_remote import measure_remote
from assistant.bench.answers_retrieval import measure_documents
from assistant.bench.answers_router import measure_router
from assistant.bench.answers_tools import measure_tools
from assistant.bench.report import Report
from assistant.config import Config
from assistant.config_answers import TiersConfig
from assistant.engines import start_engines

SECTIONS = ("router", "cache", "tools", "retrieval", "remote")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="some parts of it"
    )
    parser.add_argument("--fast", default="smollm2-135m-instruct", metavar="ID")
    parser.add_argument("--strong", default="qwen2.5-coder-1.5b-instruct", metavar="ID")


async def measure(config: Config, options: argparse.Namespace) -> Report:
    config = replace(config, tiers=TiersConfig())
    report = Report()
    if "router" in options.only:
        report["router"] = await measure_router(config, options.fast, options.strong)
    if "cache" in options.only:
        report["cache"] = await measure_cache(config, options.fast)
    if "retrieval" in options.only:
        report["retrieval"] = measure_documents(config)
    if "tools" in options.only:
        report["tools"] = await measure_tools()
    if "remote" in options.only:
        async with start_engines(config) as engines:
            await engines.wait_ready()
            report["remote"] = await measure_remote(engines, config)
        report["failures"] = sum(case["heard_within_ms"] is None for case in report["remote"])
    return report
