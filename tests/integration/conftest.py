from __future__ import annotations

import pytest

from assistant import hearing


@pytest.fixture
def patient_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recognizer that runs in the event loop keeps the microphone waiting; it is not gone."""
    monkeypatch.setattr(hearing, "_MISSING_SOUND_S", 3_600)
