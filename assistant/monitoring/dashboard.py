"""What the dashboard shows, as JSON: how it is going at this moment, and how it went."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, get_args

from assistant.budget import Stage, deadlines_ms
from assistant.config import BudgetConfig, StageName
from assistant.events import LedgerLine
from assistant.monitoring.alerts import Alerts
from assistant.monitoring.live import Live, LiveSession
from assistant.monitoring.percentiles import WHOLE, ends_ms, latest, spreads, waits_ms
from assistant.monitoring.phases import steps
from assistant.monitoring.vitals import Vitals
from assistant.records import TurnRecord
from assistant.timeline import Mark

_JUDGED_TURNS = 200
"""Percentiles of more would keep the event loop from the sound for too long."""

_SHOWN_TURNS = 50

_UNFORESEEN = re.compile(r"(\w+(?:Error|Exception)): ")
"""An exception that nobody thought of; its text may hold what was being worked on."""


class Dashboard:
    """Reads what the others keep."""

    def __init__(
        self,
        *,
        budget: BudgetConfig,
        turns: Sequence[TurnRecord],
        live: Live,
        vitals: Vitals,
        alerts: Alerts,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget = budget
        self._turns = turns
        self._live = live
        self._vitals = vitals
        self._alerts = alerts
        self._clock = clock

    async def now(self, seen: int, *, within_s: float = 1.0) -> dict[str, Any]:
        """This moment, as soon as it differs from version `seen`; the same again after a while."""
        await self._live.later_than(seen, within_s=within_s)
        newest = self._live.newest
        return {
            "version": self._live.version,
            "last_turn": _name(self._turns[-1]) if self._turns else None,
            "turn": newest and self._turn(newest),
            "sessions": [self._session(session) for session in self._live.sessions],
            "vitals": asdict(self._vitals.signs()),
        }

    def report(self) -> dict[str, Any]:
        """The last turns that are over."""
        turns = list(self._turns)[-_JUDGED_TURNS:]
        waited = latest(turns, at_most=_JUDGED_TURNS)
        return {
            "promise_ms": self._budget.voice_to_voice_ms,
            "stages": _stages(waited, self._budget),
            "quality": _quality(turns, waited, self._budget.voice_to_voice_ms),
            "tokens": _tokens(turns),
            "alerts": [asdict(alert) for alert in self._alerts.over],
            "turns": [_turn(turn) for turn in turns[: -_SHOWN_TURNS - 1 : -1]],
        }

    def _turn(self, session: LiveSession) -> dict[str, Any] | None:
        timeline = session.timeline
        if timeline is None or session.turn_id is None:
            return None
        since_ms = timeline.since_ms(Mark.SPEECH_STARTED)
        return {
            "session_id": session.session_id,
            "turn_id": session.turn_id,
            "elapsed_ms": since_ms,
            "steps": [asdict(step) for step in steps(timeline)],
            "voice_to_voice_ms": timeline.voice_to_voice_ms,
            "is_speaking": Mark.FIRST_SENT in timeline.at_s and Mark.DONE not in timeline.at_s,
            "is_over": Mark.DONE in timeline.at_s,
        }

    def _session(self, session: LiveSession) -> dict[str, Any]:
        turn = self._turn(session)
        return {
            "session_id": session.session_id,
            "age_s": self._clock() - session.began_at_s,
            "n_turns": session.n_turns,
            "step": turn["steps"][-1]["step"] if turn and turn["steps"] else None,
            "is_listening": turn is None or turn["is_over"],
        }


def _name(turn: TurnRecord) -> str:
    return f"{turn.session_id} {turn.turn_id}"


def _stages(waited: Sequence[TurnRecord], budget: BudgetConfig) -> list[dict[str, Any]]:
    """Each stage that any turn had: what it added, when it was done, and when it had to be."""
    added = spreads(map(waits_ms, waited))
    done = spreads(map(ends_ms, waited))
    # What works here has until so long after the sound has come; only the last has the whole way.
    uplink_ms = added["uplink"].p50_ms if "uplink" in added else 0.0
    deadlines = {
        stage.value: ms if stage is Stage.NETWORK else ms + uplink_ms
        for stage, ms in deadlines_ms(budget).items()
    }
    late = [overrun.stage.value for turn in waited for overrun in turn.overruns]
    deadlines[WHOLE] = budget.voice_to_voice_ms
    done |= {WHOLE: added[WHOLE]} if WHOLE in added else {}
    return [
        {
            "stage": stage,
            "added": asdict(added[stage]),
            "done": asdict(done[stage]),
            "deadline_ms": deadlines.get(stage),
            "n_late": late.count(stage),
        }
        for stage in get_args(StageName)
        if stage in added
    ]


def _quality(
    turns: Sequence[TurnRecord], waited: Sequence[TurnRecord], promise_ms: float
) -> dict[str, int]:
    return {
        "turns": len(turns),
        "waited": len(waited),
        "in_time": sum((turn.voice_to_voice_ms or 0.0) <= promise_ms for turn in waited),
        "interruptions": sum(turn.was_interrupted for turn in turns),
        "apologies": sum(turn.had_apology for turn in turns),
        "repeats": sum(turn.is_repeat for turn in turns),
        "fillers": sum(turn.had_filler for turn in turns),
        "degraded": sum(bool(turn.degraded) for turn in turns),
    }


def _tokens(turns: Iterable[TurnRecord]) -> dict[str, float | None]:
    """`cost`: None where nothing was charged."""
    counted = [turn.stats for turn in turns if turn.stats is not None]
    costs = [stats.cost for stats in counted if stats.cost is not None]
    return {
        "prompt": sum(stats.prompt_tokens for stats in counted),
        "cached": sum(stats.cached_tokens for stats in counted),
        "reply": sum(stats.reply_tokens for stats in counted),
        "drafted": sum(stats.drafted_tokens for stats in counted),
        "accepted": sum(stats.accepted_tokens for stats in counted),
        "cost": sum(costs) if costs else None,
    }


def _turn(turn: TurnRecord) -> dict[str, Any]:
    return {
        "name": _name(turn),
        "session_id": turn.session_id,
        "turn_id": turn.turn_id,
        "ended_at": turn.ended_at,
        "status": turn.status.value,
        "was_typed": turn.was_typed,
        "was_interrupted": turn.was_interrupted,
        "is_repeat": turn.is_repeat,
        "had_filler": turn.had_filler,
        "speech_s": turn.speech_s,
        "voice_to_voice_ms": turn.voice_to_voice_ms,
        "lines": [_line(line) for line in turn.lines],
        "overruns": [asdict(overrun) for overrun in turn.overruns],
        "degraded": [
            {"stage": each.stage, "reason": _safe(each.reason), "code": each.code}
            for each in turn.degraded
        ],
        "stats": turn.stats and asdict(turn.stats),
    }


def _line(line: LedgerLine) -> dict[str, Any]:
    """By hand: `asdict` takes ten times as long, and there are hundreds of lines."""
    return {
        "name": line.name,
        "start_ms": line.start_ms,
        "duration_ms": line.duration_ms,
        "overlapped": line.overlapped,
    }


def _safe(reason: str) -> str:
    """The sentence itself, or no more than the kind of an unforeseen exception."""
    unforeseen = _UNFORESEEN.match(reason)
    return unforeseen[1] if unforeseen else reason
