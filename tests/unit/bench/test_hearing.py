from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.bench.clips import Clip
from assistant.bench.hearing import Naive, summarise
from assistant.bench.trial import Result
from assistant.bench.word_errors import WordErrors


def result(transcript: str, heard: str, *, spoken: str = "en", **values: Any) -> Result:
    clip = Clip(
        file=Path("a.wav"),
        is_noise=not spoken,
        language=spoken,
        transcript=transcript,
    )
    known: dict[str, Any] = {
        "language": spoken if heard else None,
        "first_partial_ms": 500.0,
        "final_ms": 400.0,
        "turn_end_ms": 420.0,
        "compute_ms": 100.0,
        "turns": 1 if heard else 0,
    }
    return Result(clip=clip, heard=heard, **(known | values))


def test_a_summary_is_over_all_clips() -> None:
    nothing: dict[str, Any] = {"first_partial_ms": None, "final_ms": None, "turn_end_ms": None}
    report = summarise(
        [
            result("ten of clubs", "10 of clubs", cpu_s=0.2, spoken_s=1.0),
            result(
                "go home",
                "no home",
                turns=2,
                cut_off_pauses_ms=(300.0,),
                final_ms=600.0,
                cpu_s=0.4,
                spoken_s=1.0,
            ),
            result("c'est un", "c'est un", spoken="fr"),
            result("", "not known what", first_partial_ms=None),
            result("lost", "", **nothing),
            result("", "you", spoken="", turns=1),
            result("", "", spoken=""),
        ],
        [],
    )
    assert report["wer"] == pytest.approx(2 / 8)
    assert report["wer_by_language"] == {"en": pytest.approx(2 / 6), "fr": 0}
    assert report["final_ms"] == {"p50": 400, "p95": 600, "p99": 600}
    assert report["cpu_share"] == pytest.approx(0.3)
    counts = {key: report[key] for key in ("false_turns", "cut_offs", "missed", "wrong_language")}
    assert counts == {"false_turns": 1, "cut_offs": 1, "missed": 1, "wrong_language": 0}
    assert report["cut_off_pauses_ms"]["p50"] == 300
    assert [clip["wer"] for clip in report["clips"]] == [0, 0.5, 0, None, 1, None, None]
    assert "naive" not in report


def test_the_plain_way_is_told_beside_ours() -> None:
    naive = [Naive(final_ms=1_600.0, errors=WordErrors(1, 4))] * 3
    report = summarise([result("go home", "go home")], naive)
    assert report["naive"]["final_ms"]["p50"] == 1_600
    assert report["naive"]["wer"] == 0.25
    assert report["final_ratio"] == 0.25


def test_speech_taken_for_another_language_is_counted() -> None:
    clips = [result("un", "one", spoken="fr", language=taken) for taken in ("en", "fr")]
    assert summarise(clips, [])["wrong_language"] == 1
