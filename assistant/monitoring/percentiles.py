"""Pure: what each stage added to the wait, and how that is spread over the last turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assistant.loop_lag import percentile
from assistant.records import TurnRecord

WHOLE = "voice_to_voice"

_OTHERWISE_CALLED = {
    "capture and uplink": "uplink",
    "pause": "endpointing",
    "network and playout": "network",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Nearest-rank percentiles: values that were seen."""

    n: int
    p50_ms: float
    p95_ms: float
    p99_ms: float


def stage_of(line: str) -> str:
    """What settings and metrics call the stage of a ledger's line."""
    return _OTHERWISE_CALLED.get(line, line.replace(" ", "_"))


def waits_ms(turn: TurnRecord) -> dict[str, float]:
    """What each stage added to the wait, in order, and last the WHOLE, to which they add up.

    Work beside others added nothing. Empty for a turn in which nobody waited, such as a typed one.
    """
    if turn.voice_to_voice_ms is None:
        return {}
    lines = {
        stage_of(line.name): 0.0 if line.overlapped else line.duration_ms for line in turn.lines
    }
    return {**lines, WHOLE: turn.voice_to_voice_ms}


def ends_ms(turn: TurnRecord) -> dict[str, float]:
    """When each stage was done, in ms after the end of speech, at the microphone where that is
    known."""
    return {stage_of(line.name): line.start_ms + line.duration_ms for line in turn.lines}


def by_stage(of_turns: Iterable[Mapping[str, float]]) -> dict[str, list[float]]:
    """Each stage's values in the turns that had it."""
    values: dict[str, list[float]] = {}
    for of_turn in of_turns:
        for stage, ms in of_turn.items():
            values.setdefault(stage, []).append(ms)
    return values


def spreads(of_turns: Iterable[Mapping[str, float]]) -> dict[str, Spread]:
    """Each stage's spread over the turns that had it."""
    return {stage: _spread(each) for stage, each in by_stage(of_turns).items()}


def latest(
    turns: Sequence[TurnRecord], *, at_most: int, since: float | None = None
) -> list[TurnRecord]:
    """The last turns in which somebody waited. `since`: seconds since the epoch."""
    waited = [
        turn
        for turn in turns
        if turn.voice_to_voice_ms is not None and (since is None or turn.ended_at >= since)
    ]
    return waited[-at_most:]


def _spread(values: list[float]) -> Spread:
    p50_ms, p95_ms, p99_ms = (percentile(values, percent) or 0.0 for percent in (50, 95, 99))
    return Spread(n=len(values), p50_ms=p50_ms, p95_ms=p95_ms, p99_ms=p99_ms)
