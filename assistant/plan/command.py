"""`assistant plan`: what drafting does to speed, and how many boxes a crowd needs."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, replace
from pathlib import Path

from assistant.bench.report import Report, print_table, within
from assistant.config import Config
from assistant.plan.crowd import Machine, calibrated, most_within, simulate
from assistant.plan.drafting import best, by_length
from assistant.plan.measured import TurnWork, alone, read_load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    questions = parser.add_subparsers(required=True, metavar="WHAT", dest="what")
    draft = questions.add_parser("draft", help="tokens a step and speed-up of every draft length")
    draft.add_argument(
        "--acceptance",
        type=within(float, 0, 1),
        required=True,
        metavar="A",
        help="0 to 1, of a guess",
    )
    draft.add_argument(
        "--draft-cost",
        type=within(float, 0, 10),
        default=0.1,
        metavar="C",
        help="of a guess, by a token of the brain",
    )
    draft.add_argument(
        "--check-cost",
        type=within(float, 0, 10),
        default=0.0,
        metavar="C",
        help="of one guess more in the check, by a token of the brain",
    )
    crowd = questions.add_parser("crowd", help="the waits of so many callers, and how many boxes")
    crowd.add_argument(
        "--measured",
        type=Path,
        required=True,
        metavar="FILE",
        help="what `assistant load --ramp --json` printed",
    )
    crowd.add_argument(
        "--callers", type=within(int, 1), nargs="+", default=[1, 2, 4, 8], metavar="N"
    )
    crowd.add_argument("--cores", type=within(float, 1, 1_024), metavar="N", help="of another box")
    crowd.add_argument(
        "--speed", type=within(float, 0.1, 100), default=1.0, metavar="X", help="of its cores"
    )
    crowd.add_argument(
        "--gpu",
        type=within(float, 0, 1_000),
        default=0.0,
        metavar="X",
        help="the brain on a GPU, so many times as fast (an assumption of yours)",
    )
    crowd.add_argument(
        "--round-trip-ms",
        type=within(float, 0, 10_000),
        nargs="+",
        default=[0.0],
        metavar="MS",
        help="to each region of callers",
    )
    crowd.add_argument(
        "--people", type=within(int, 0), default=0, metavar="N", help="who may call at all"
    )
    crowd.add_argument(
        "--talking",
        type=within(float, 0, 1),
        default=0.02,
        metavar="SHARE",
        help="of them at the busiest time",
    )
    crowd.add_argument(
        "--price", type=within(float, 0, 1e6), default=0.0, metavar="P", help="of one box, an hour"
    )
    for each in (draft, crowd):
        each.add_argument("--json", action="store_true", help="print one JSON object")


def run(config: Config, options: argparse.Namespace) -> int:
    """Raises RecordingError where the measurements cannot be used."""
    report = _draft(options) if options.what == "draft" else _crowd(options)
    if options.json:
        print(json.dumps(report))
    return 0


def _draft(options: argparse.Namespace) -> Report:
    drafted = by_length(
        acceptance=options.acceptance, draft_cost=options.draft_cost, check_cost=options.check_cost
    )
    chosen = best(drafted)
    print_table(
        f"{options.acceptance:.0%} of the guesses are right; best: {chosen.length} guesses a step",
        ("guesses", "tokens a step", "speed-up"),
        [(each.length, each.tokens_per_step, each.speed_up) for each in drafted],
    )
    return {"lengths": [asdict(each) for each in drafted], "best": asdict(chosen)}


def _crowd(options: argparse.Namespace) -> Report:
    load = read_load(options.measured)
    promise_ms = float(load["promise_ms"])
    measured = {level["callers"]: level["wait_ms"] for level in load["levels"]}
    box = Machine(cores=load["cores"])
    works = calibrated(alone(load), box)
    wanted = replace(box, cores=options.cores or box.cores, speed=options.speed, gpu=options.gpu)
    report: Report = {"promise_ms": promise_ms, "machine": asdict(wanted), "callers": []}
    for callers in options.callers:
        waits = simulate(works, wanted, callers=callers)
        each = {"callers": callers, "p50": waits.percentile(50), "p95": waits.percentile(95)}
        report["callers"].append(each | {"measured": measured.get(callers)})
    print_table(
        "end of speech to the answer at the listener, simulated and measured",
        ("callers", "p50 ms", "p95 ms", "measured p50", "measured p95"),
        [
            (each["callers"], each["p50"], each["p95"], *_percentiles(each["measured"]))
            for each in report["callers"]
        ],
    )
    report["regions"] = [
        _region(works, replace(wanted, round_trip_ms=ms), promise_ms, options)
        for ms in options.round_trip_ms
    ]
    print_table(
        f"boxes for {options.people} people, of whom {options.talking:.1%} talk at a time",
        ("round trip ms", "callers a box", "boxes", "an hour"),
        [
            (each["round_trip_ms"], each["callers_a_box"], each["boxes"], each["price"])
            for each in report["regions"]
        ],
    )
    return report


def _region(
    works: list[TurnWork], machine: Machine, promise_ms: float, options: argparse.Namespace
) -> Report:
    """`boxes` is None where even one caller waits longer than was promised."""
    a_box = most_within(works, machine, promise_ms=promise_ms)
    boxes = math.ceil(options.people * options.talking / a_box) if a_box else None
    return {
        "round_trip_ms": machine.round_trip_ms,
        "callers_a_box": a_box,
        "boxes": boxes,
        "price": None if boxes is None else boxes * options.price,
    }


def _percentiles(measured: Report | None) -> tuple[float | None, float | None]:
    return (measured["p50"], measured["p95"]) if measured else (None, None)
