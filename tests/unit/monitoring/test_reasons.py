from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import get_args

import pytest

from assistant import turn
from assistant.budget import Stage
from assistant.config import StageName
from assistant.events import Degraded
from assistant.fallback import LADDERS
from assistant.monitoring.reasons import CODES, OTHER, reason_code


def told_by_a_turn() -> list[str]:
    """The sentences that a turn has of its own."""
    calls = (node for node in ast.walk(ast.parse(inspect.getsource(turn))))
    return [
        argument.value
        for call in calls
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "_tell_degraded"
        for argument in call.args[1:]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


@pytest.mark.parametrize("stage", LADDERS)
def test_every_rung_has_a_code(stage: Stage) -> None:
    for rung in LADDERS[stage]:
        assert reason_code(Degraded(stage=stage, reason=rung.reason)) != OTHER


def test_every_sentence_of_a_turn_has_a_code() -> None:
    sentences = told_by_a_turn()
    assert sentences
    for sentence in sentences:
        assert reason_code(Degraded(stage="brain", reason=sentence)) != OTHER


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("the brain engine died", "died"),
        ("the ears engine is not running; see its log", "away"),
        ("the voice has not said anything for too long", "silent"),
        ("no natural voice for 'fr' is here, so espeak-ng speaks", "plain_voice"),
        ("KeyError: 'x'", "error"),
    ],
)
def test_what_engines_say_has_only_so_many_codes(reason: str, code: str) -> None:
    assert reason_code(Degraded(stage="brain", reason=reason)) == code


def test_the_dashboard_has_a_sentence_for_every_code_in_both_languages() -> None:
    texts = (Path(__file__).parents[3] / "client_web/dashboard/i18n.js").read_text()
    explained_by_the_engine = {"plain_voice"}
    for code in CODES - explained_by_the_engine:
        assert texts.count(f"  reason_{code}: ") == 2, code


def test_the_dashboard_has_a_name_for_every_stage_in_both_languages() -> None:
    texts = (Path(__file__).parents[3] / "client_web/dashboard/i18n.js").read_text()
    for stage in get_args(StageName):
        assert texts.count(f"  stage_{stage}: ") == 2, stage
