from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from assistant.config import VoiceConfig
from assistant.errors import VoiceError
from assistant.tts.piper import PiperEngine
from assistant.types import SpokenFrame
from assistant.worker import Leaving
from tests.unit.tts.tiny_vits import write_voice

PHRASE = " The cat is sitting on the table, next to 3 red apples."


@pytest.fixture
def engine(tmp_path: Path) -> PiperEngine:
    write_voice(tmp_path)
    return PiperEngine(VoiceConfig(), tmp_path)


def spoken(engine: PiperEngine, phrase: str) -> list[SpokenFrame]:
    frames = list(engine.speak(phrase, Leaving()))
    assert all(isinstance(frame, SpokenFrame) for frame in frames)
    return [frame for frame in frames if isinstance(frame, SpokenFrame)]


def test_a_phrase_is_spoken_in_short_frames_of_48_khz(engine: PiperEngine) -> None:
    frames = spoken(engine, PHRASE)
    assert {frame.sample_rate_hz for frame in frames} == {48_000}
    assert {frame.samples.dtype for frame in frames} == {np.dtype(np.int16)}
    assert all(0 < frame.duration_ms <= 80 for frame in frames)
    assert np.abs(np.concatenate([frame.samples for frame in frames])).max() > 1_000


@pytest.mark.parametrize(
    "phrase", ["", " ", "\n", "…", "?!", "😀👍", "---", "```\ncode()\n```", "\x00\x1b", "今天"]
)
def test_nothing_speakable_is_silence_and_no_error(engine: PiperEngine, phrase: str) -> None:
    assert spoken(engine, phrase) == []


@pytest.mark.parametrize("phrase", ["a", "x" * 5_000, "word " * 1_000, "\x07ha\x00", "[[ tEst ]]"])
def test_strange_text_is_spoken(engine: PiperEngine, phrase: str) -> None:
    assert spoken(engine, phrase)


@pytest.mark.parametrize("phrase", [PHRASE, "One. Two! Three?", "In 1999, it was", "没有 yes"])
def test_frames_tell_which_words_have_been_said(engine: PiperEngine, phrase: str) -> None:
    said = [frame.said_characters for frame in spoken(engine, phrase)]
    assert said[-1] == len(phrase)
    assert all(earlier <= later for earlier, later in pairwise(said))
    assert all(n == 0 or n == len(phrase) or not phrase[n].isalnum() for n in said)


def test_leaving_ends_the_phrase_at_once(engine: PiperEngine) -> None:
    leaving = Leaving()
    frames = engine.speak(PHRASE * 20, leaving)
    next(frames)
    leaving.set()
    assert list(frames) == []


def test_one_who_has_left_before_hears_nothing(engine: PiperEngine) -> None:
    leaving = Leaving()
    leaving.set()
    assert list(engine.speak(PHRASE, leaving)) == []


def test_the_same_engine_speaks_after_somebody_left(engine: PiperEngine) -> None:
    leaving = Leaving()
    next(engine.speak(PHRASE, leaving))
    leaving.set()
    assert spoken(engine, PHRASE)[-1].said_characters == len(PHRASE)


def test_two_phrases_at_once_do_not_mix(engine: PiperEngine) -> None:
    alone = [len(frame.samples) for frame in spoken(engine, PHRASE)]
    ours, theirs = engine.speak(PHRASE, Leaving()), engine.speak("Other words.", Leaving())
    together = []
    for frame in ours:
        together.append(len(frame.samples))
        next(theirs, None)
    assert together == alone


def test_a_faster_voice_takes_less_time(tmp_path: Path) -> None:
    write_voice(tmp_path)
    lengths = [
        sum(f.duration_ms for f in spoken(PiperEngine(VoiceConfig(speed=speed), tmp_path), PHRASE))
        for speed in (1.0, 2.0)
    ]
    assert 1.5 < lengths[0] / lengths[1] < 2.2


def test_a_speaker_that_the_voice_has_not_is_refused(tmp_path: Path) -> None:
    write_voice(tmp_path, n_speakers=3)
    PiperEngine(VoiceConfig(speaker=2), tmp_path)
    with pytest.raises(VoiceError, match=r"voice\.speaker must be below 3"):
        PiperEngine(VoiceConfig(speaker=3), tmp_path)


def test_a_voice_that_cannot_be_split_speaks_as_well(tmp_path: Path) -> None:
    write_voice(tmp_path, has_noise=False)
    frames = spoken(PiperEngine(VoiceConfig(), tmp_path), PHRASE)
    assert frames[-1].said_characters == len(PHRASE)


def test_frames_travel_between_processes(engine: PiperEngine) -> None:
    frame = spoken(engine, "Hello.")[0]
    assert pickle.loads(pickle.dumps(frame)).said_characters == frame.said_characters
