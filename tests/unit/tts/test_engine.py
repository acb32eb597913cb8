from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.config import VoiceConfig
from assistant.errors import VoiceError
from assistant.tts.engine import VoiceEngine
from assistant.tts.piper import Piper
from assistant.types import SpokenFrame
from assistant.worker_host import Leaving
from tests.unit.tts.tiny_vits import write_voice

SORRY = "Sorry, say it again?"


class Machine:
    """A machine with two Piper voices, and how often each of them really spoke."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folders = {"first": folder / "first", "second": folder / "second"}
        for n, voice in enumerate(self.folders.values(), start=1):
            voice.mkdir()
            write_voice(voice, n_speakers=n)
        self.cache = folder / "phrases"
        self.spoken: list[str] = []
        speak = Piper.speak

        def listened(piper: Piper, phrase: str, *how: Any) -> Any:
            self.spoken.append(phrase)
            return speak(piper, phrase, *how)

        monkeypatch.setattr(Piper, "speak", listened)

    def engine(self, **settings: Any) -> VoiceEngine:
        config = VoiceConfig(model="first", **settings)
        engine = VoiceEngine(config, self.folders, frozenset([SORRY]), self.cache)
        self.spoken.clear()
        return engine

    def entries(self) -> list[str]:
        return sorted(path.name for path in self.cache.glob("*"))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def spoken(
    engine: VoiceEngine, phrase: str, voice: str = "first", speed: float = 1.0
) -> list[SpokenFrame]:
    return list(engine.speak(phrase, voice, speed, Leaving()))


def joined(frames: list[SpokenFrame]) -> np.ndarray:
    return np.concatenate([frame.samples for frame in frames])


def test_the_program_s_own_phrases_are_made_once(machine: Machine) -> None:
    first = spoken(machine.engine(), SORRY)
    assert first[-1].said_characters == len(SORRY)
    assert len(machine.entries()) == 1
    again = spoken(machine.engine(), SORRY)
    assert machine.spoken == []
    assert np.array_equal(joined(first), joined(again))


def test_what_the_brain_says_is_never_kept(machine: Machine) -> None:
    engine = machine.engine()
    spoken(engine, "Your secret is 1234.")
    assert machine.spoken == ["Your secret is 1234."]
    assert machine.entries() == []


@pytest.mark.parametrize("how", [{"voice": "second"}, {"speed": 1.5}])
def test_own_phrases_of_another_voice_or_speed_are_kept_as_they_come(
    machine: Machine, how: dict[str, Any]
) -> None:
    engine = machine.engine()
    spoken(engine, SORRY, **how)
    spoken(engine, SORRY, **how)
    spoken(engine, SORRY)
    assert machine.spoken.count(SORRY) == 2
    assert len(machine.entries()) == 2


def test_a_phrase_that_was_broken_off_is_not_kept(machine: Machine) -> None:
    engine, leaving = machine.engine(), Leaving()
    frames = engine.speak(SORRY, "first", 1.0, leaving)
    next(frames)
    leaving.set()
    assert list(frames) == []
    assert machine.entries() == []


def test_the_speaker_is_that_of_the_standard_voice_only(machine: Machine) -> None:
    engine = VoiceEngine(
        VoiceConfig(model="second", speaker=1), machine.folders, frozenset(), machine.cache
    )
    assert spoken(engine, "Hello.", "second")
    assert spoken(engine, "Hello.", "first")


def test_espeak_speaks_where_it_is_asked_to(machine: Machine) -> None:
    assert spoken(machine.engine(), "你好，世界。", "espeak-ng-zh")
    assert machine.spoken == []


@pytest.mark.parametrize("voice", ["third", "espeak-ng-xx", ""])
def test_a_voice_that_is_not_here_is_a_sentence(machine: Machine, voice: str) -> None:
    engine = machine.engine()
    with pytest.raises(VoiceError):
        spoken(engine, "Hello.", voice)
    assert spoken(engine, "Hello.")
