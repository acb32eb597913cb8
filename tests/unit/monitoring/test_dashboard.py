from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from assistant.config import AlertConfig, BudgetConfig, StageName
from assistant.events import Degraded, LedgerLine
from assistant.loop_lag import LoopLag
from assistant.monitoring.alerts import Alerts
from assistant.monitoring.dashboard import Dashboard
from assistant.monitoring.live import Live
from assistant.monitoring.vitals import Vitals
from assistant.records import TurnRecord
from assistant.shortfalls import Shortfall
from assistant.timeline import Mark, TurnTimeline
from tests.fakes import ScriptedPeer
from tests.unit.monitoring.fakes import FakeWorker
from tests.unit.monitoring.turns import APOLOGISED, GOOD, INTERRUPTED, LATE, TYPED, waiting


class Desk:
    """A dashboard and what it reads."""

    def __init__(self, *turns: TurnRecord) -> None:
        self.turns = list(turns)
        self.live = Live()
        self.alerts = Alerts([AlertConfig(limit_ms=1_000)], self.turns, lambda _: None)
        vitals = Vitals(
            n_sessions=lambda: len(self.live.sessions), lag=LoopLag(), workers=[FakeWorker("ears")]
        )
        self.dashboard = Dashboard(
            budget=BudgetConfig(),
            turns=self.turns,
            live=self.live,
            vitals=vitals,
            alerts=self.alerts,
        )

    def report(self) -> dict[str, Any]:
        """As it arrives at the page."""
        told: dict[str, Any] = json.loads(json.dumps(self.dashboard.report()))
        return told

    async def now(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(json.dumps(await self.dashboard.now(-1)))
        return told


def test_stages_are_told_against_their_deadlines() -> None:
    stages = {stage["stage"]: stage for stage in Desk(GOOD, LATE).report()["stages"]}
    first_phrase = stages["first_phrase"]
    assert first_phrase["added"] == {"n": 2, "p50_ms": 250, "p95_ms": 1_350, "p99_ms": 1_350}
    assert first_phrase["done"]["p50_ms"] == 640
    assert first_phrase["done"]["p99_ms"] == 1_740
    assert first_phrase["deadline_ms"] == 750
    assert first_phrase["n_late"] == 1
    assert stages["queue"]["deadline_ms"] is None
    assert list(stages)[-1] == "voice_to_voice"
    assert stages["voice_to_voice"]["deadline_ms"] == 1_000


def test_quality_stands_beside_latency() -> None:
    repeat = replace(GOOD, is_repeat=True)
    quality = Desk(GOOD, LATE, TYPED, INTERRUPTED, APOLOGISED, repeat).report()["quality"]
    assert quality == {
        "turns": 6,
        "waited": 5,
        "in_time": 4,
        "interruptions": 1,
        "apologies": 1,
        "repeats": 1,
        "fillers": 1,
        "degraded": 2,
    }


def test_what_works_here_has_until_so_long_after_the_sound_has_come() -> None:
    uplink = LedgerLine(name="capture and uplink", start_ms=0.0, duration_ms=40.0, overlapped=False)
    later = tuple(replace(line, start_ms=line.start_ms + 40) for line in GOOD.lines)
    far_away = replace(GOOD, lines=(uplink, *later), voice_to_voice_ms=840.0)
    near, far = (
        {stage["stage"]: stage["deadline_ms"] for stage in Desk(turn).report()["stages"]}
        for turn in (GOOD, far_away)
    )
    assert far["uplink"] is None
    assert {stage: ms - (near[stage] or 0) for stage, ms in far.items() if ms} == {
        **dict.fromkeys(("endpointing", "asr", "prefill", "first_phrase", "tts"), 40),
        "network": 0,
        "voice_to_voice": 0,
    }


def test_every_stage_that_there_is_can_be_told() -> None:
    timeline = TurnTimeline(at_s={mark: float(n) for n, mark in enumerate(Mark)}, stats=GOOD.stats)
    turn = replace(GOOD, voice_to_voice_ms=timeline.voice_to_voice_ms, lines=timeline.ledger())
    told = [stage["stage"] for stage in Desk(turn).report()["stages"]]
    assert told == list(get_args(StageName))


def test_what_remote_brains_cost_is_added_up() -> None:
    assert Desk(GOOD).report()["tokens"]["cost"] is None
    assert GOOD.stats is not None
    charged = replace(GOOD, stats=replace(GOOD.stats, cost=0.002))
    assert Desk(GOOD, charged, charged).report()["tokens"]["cost"] == pytest.approx(0.004)


def test_the_last_fifty_turns_are_told_the_newest_first() -> None:
    turns = Desk(*(replace(GOOD, turn_id=f"turn_{n}") for n in range(60))).report()["turns"]
    assert [turn["turn_id"] for turn in turns] == [f"turn_{n}" for n in range(59, 9, -1)]


def test_a_turn_says_what_was_kept_accepted_and_given_in_a_lesser_form() -> None:
    (turn,) = Desk(LATE).report()["turns"]
    assert turn["stats"]["cached_tokens"] == 600
    assert turn["stats"]["accepted_tokens"] == 9
    assert turn["overruns"] == [{"stage": "first_phrase", "late_ms": 900}]
    assert [(each["code"], each["reason"]) for each in turn["degraded"]] == [
        ("acknowledged", "the answer takes a moment"),
        ("no_draft", "drafting is off"),
    ]


def test_before_the_first_turn_there_is_nothing_to_tell() -> None:
    report = Desk().report()
    assert (report["stages"], report["turns"], report["alerts"]) == ([], [], [])
    assert set(report["tokens"].values()) == {0, None}


def test_an_alert_that_goes_on_is_told() -> None:
    desk = Desk(*[waiting(1_500, ended_at=2e9)] * 12)
    desk.alerts.take(desk.turns[-1])
    (alert,) = desk.report()["alerts"]
    assert (alert["stage"], alert["value_ms"], alert["is_over"]) == ("voice_to_voice", 1_500, True)


async def test_a_turn_is_seen_as_it_passes() -> None:
    desk = Desk(GOOD)
    with desk.live.one_more(ScriptedPeer()) as session:
        assert (await desk.now())["turn"] is None
        timeline = session.new_timeline("turn_7")
        timeline.mark(Mark.SPEECH_STARTED)
        now = await desk.now()
        assert now["turn"]["turn_id"] == "turn_7"
        assert [step["step"] for step in now["turn"]["steps"]] == ["capture"]
        assert now["sessions"][0]["step"] == "capture"
        assert not now["sessions"][0]["is_listening"]
        timeline.mark(Mark.FIRST_SENT)
        assert (await desk.now())["turn"]["is_speaking"]
        timeline.mark(Mark.DONE)
        now = await desk.now()
        assert (now["turn"]["is_over"], now["turn"]["is_speaking"]) == (True, False)
        assert now["sessions"][0]["is_listening"]
    now = await desk.now()
    assert (now["sessions"], now["vitals"]["n_sessions"]) == ([], 0)
    assert now["last_turn"] == "5a1e turn_1"


async def test_the_same_moment_is_told_again_after_a_while() -> None:
    desk = Desk()
    first = await desk.dashboard.now(-1)
    again = await desk.dashboard.now(first["version"], within_s=0.01)
    assert again["version"] == first["version"]


@pytest.mark.parametrize("kind", ["session", "turn"])
def test_names_tell_turns_of_different_people_apart(kind: str) -> None:
    other = replace(GOOD, session_id="77aa") if kind == "session" else LATE
    names = {turn["name"] for turn in Desk(GOOD, other).report()["turns"]}
    assert len(names) == 2


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("the context is full", "the context is full"),
        ("KeyError: what somebody said", "KeyError"),
    ],
)
def test_an_exception_that_nobody_thought_of_tells_only_its_kind(reason: str, shown: str) -> None:
    failed = Degraded(stage="voice", code=Shortfall.ERROR, reason=reason)
    (turn,) = Desk(replace(GOOD, degraded=(failed,))).report()["turns"]
    assert turn["degraded"] == [{"stage": "voice", "reason": shown, "code": "error"}]


def test_every_stage_has_a_name_in_both_languages() -> None:
    texts = (Path(__file__).parents[3] / "client_web/dashboard/i18n.js").read_text()
    for stage in get_args(StageName):
        assert texts.count(f"  stage_{stage}: ") == 2, stage
