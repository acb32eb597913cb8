from __future__ import annotations

import pytest

from assistant.bench.faults import Outcome
from assistant.fallback import fixed_phrases
from assistant.rehearsal import Answer

IN_TIME = Answer(answer="Sorry.", spoken_at_s=10.0, first_sound_at_s=11.0)
TOO_LATE = Answer(answer="Sorry.", spoken_at_s=10.0, first_sound_at_s=12.5)
SILENT = Answer(spoken_at_s=10.0)
NORMAL = Answer(answer="It is blue.")
APOLOGY = Answer(answer=fixed_phrases("en")[1])


@pytest.mark.parametrize(
    ("struck", "recovered_ms", "following", "is_restarted", "is_ok"),
    [
        (IN_TIME, 3_000.0, NORMAL, True, True),
        (TOO_LATE, 3_000.0, NORMAL, True, False),
        (SILENT, 3_000.0, NORMAL, True, False),
        (IN_TIME, 11_000.0, NORMAL, True, False),
        (IN_TIME, None, NORMAL, True, False),
        (IN_TIME, None, NORMAL, False, True),
        (IN_TIME, 3_000.0, APOLOGY, True, False),
        (IN_TIME, 3_000.0, Answer(), True, False),
    ],
)
def test_a_fault_is_survived_when_all_of_it_came_right(
    struck: Answer,
    recovered_ms: float | None,
    following: Answer,
    is_restarted: bool,
    is_ok: bool,
) -> None:
    outcome = Outcome("", struck, 10.0, recovered_ms, following, is_restarted)
    assert outcome.is_ok is is_ok
