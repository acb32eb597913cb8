from __future__ import annotations

import pytest

from assistant.barge_in import is_interruption
from assistant.config import BargeInConfig
from assistant.types import Heard, Phase, Transcript

SETTLED_MS = 10_000
FRESH_MS = 500


@pytest.mark.parametrize(
    ("words", "speech_ms", "phase", "session_age_ms", "meant"),
    [
        ("", 100, Phase.SPEAKING, SETTLED_MS, None),
        ("", 300, Phase.PAUSED, SETTLED_MS, None),
        ("mm", 300, Phase.PAUSED, SETTLED_MS, None),
        ("mm", 300, Phase.ENDED, SETTLED_MS, False),
        ("", 300, Phase.ENDED, SETTLED_MS, False),
        ("and what", 300, Phase.SPEAKING, SETTLED_MS, True),
        ("Stop!", 200, Phase.SPEAKING, SETTLED_MS, True),
        ("non-stop", 200, Phase.SPEAKING, SETTLED_MS, True),
        ("stopped", 200, Phase.ENDED, SETTLED_MS, False),
        ("等等", 200, Phase.SPEAKING, SETTLED_MS, True),
        ("请停一下", 200, Phase.SPEAKING, SETTLED_MS, True),
        ("", 600, Phase.SPEAKING, SETTLED_MS, True),
        ("", 600, Phase.SPEAKING, FRESH_MS, None),
        ("stop", 600, Phase.SPEAKING, FRESH_MS, True),
    ],
)
def test_what_counts_as_an_interruption(
    words: str, speech_ms: float, phase: Phase, session_age_ms: float, meant: bool | None
) -> None:
    heard = Heard(phase=phase, transcript=Transcript(committed=words), speech_ms=speech_ms)
    assert is_interruption(heard, BargeInConfig(), session_age_ms=session_age_ms) is meant
