"""Pure: the turns of a run as figures, what they wait for most, and how two runs differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.bench.report import Report
from assistant.monitoring.percentiles import WHOLE, by_stage, waits_ms
from assistant.records import TurnRecord

PERCENTILES = (50, 95, 99)
_RESAMPLES = 2_000
_ENOUGH_TURNS = 5
"""With fewer, chance explains any difference."""

_CONFIDENCE = (2.5, 97.5)

_PROCESS_OF = {
    "asr": "ears",
    "endpointing": "ears",
    "vision": "eyes",
    "queue": "brain",
    "prefill": "brain",
    "first_phrase": "brain",
    "tts": "voice",
}
"""Who works at which stage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What became of it."""

    turns: tuple[TurnRecord, ...]
    took_s: float
    cpu_share: dict[str, float]
    """Of one core, by process: the engines' by their names, and "loop", which moves the sound."""


def summarise(run: Run, *, promise_ms: float) -> Report:
    """`stages`: each one's share of the wait; `spread_ms` are 95 % confidence intervals."""
    turns = [_turn(turn) for turn in run.turns]
    values = by_stage(map(waits_ms, run.turns))
    return {
        "turns": turns,
        "n": len(run.turns),
        "failures": sum(turn.had_apology for turn in run.turns),
        "took_s": round(run.took_s, 1),
        "promise_ms": promise_ms,
        "stages": {stage: _spread(each) for stage, each in values.items()},
        "cpu_share": {name: round(share, 3) for name, share in run.cpu_share.items()},
        "bottleneck": _bottleneck(values, run.cpu_share),
        "broken": [turn["turn"] for turn in turns if turn["waits_ms"].get(WHOLE, 0.0) > promise_ms],
    }


def compare(before: Report, after: Report) -> dict[str, Report]:
    """Each stage's change of the median in ms, and whether chance does not explain it."""
    changes: dict[str, Report] = {}
    for stage in after["stages"]:
        old, new = (
            np.array([t["waits_ms"][stage] for t in run["turns"] if stage in t["waits_ms"]])
            for run in (before, after)
        )
        if len(old) < _ENOUGH_TURNS or len(new) < _ENOUGH_TURNS:
            continue
        rng = np.random.default_rng(0)
        differences = np.median(_resampled(new, rng), axis=1) - np.median(
            _resampled(old, rng), axis=1
        )
        low, high = np.percentile(differences, _CONFIDENCE)
        changes[stage] = {
            "change_ms": float(np.median(new) - np.median(old)),
            "spread_ms": [float(low), float(high)],
            "is_real": bool(low > 0 or high < 0),
        }
    return changes


def is_slower(changes: Mapping[str, Report]) -> bool:
    """Whether people wait longer than before, beyond chance."""
    whole = changes.get(WHOLE)
    return whole is not None and whole["is_real"] and whole["change_ms"] > 0


def _turn(turn: TurnRecord) -> Report:
    return {
        "turn": f"{turn.session_id} {turn.turn_id}",
        "status": turn.status.value,
        "waits_ms": {stage: round(ms, 1) for stage, ms in waits_ms(turn).items()},
        "lines": [
            [line.name, round(line.start_ms, 1), round(line.duration_ms, 1), line.overlapped]
            for line in turn.lines
        ],
        "degraded": sorted({each.stage for each in turn.degraded}),
    }


def _spread(values: Sequence[float]) -> Report:
    sample = np.array(values)
    resampled = _resampled(sample, np.random.default_rng(0))
    percentiles = np.percentile(sample, PERCENTILES, method="nearest")
    low, high = np.percentile(np.percentile(resampled, PERCENTILES, axis=1), _CONFIDENCE, axis=1)
    return {"n": len(values)} | {
        f"p{percent}": {"ms": float(ms), "spread_ms": [float(a), float(b)]}
        for percent, ms, a, b in zip(PERCENTILES, percentiles, low, high, strict=True)
    }


def _bottleneck(values: Mapping[str, list[float]], cpu_share: Mapping[str, float]) -> Report | None:
    """The stage that most of the wait goes to, and why: does it work, or does it wait in line?"""
    means = {stage: float(np.mean(each)) for stage, each in values.items() if stage != WHOLE}
    if not means:
        return None
    stage = max(means, key=lambda each: means[each])
    process = _PROCESS_OF.get(stage)
    return {
        "stage": stage,
        "mean_ms": means[stage],
        "share": means[stage] / sum(means.values()),
        "queue_ms": means.get("queue", 0.0),
        "process": process,
        "cpu_share": cpu_share.get(process) if process else None,
    }


def _resampled(sample: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Bootstrap: shape (n_resamples, n)."""
    return rng.choice(sample, (_RESAMPLES, len(sample)))
