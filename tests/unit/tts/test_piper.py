from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from assistant.errors import VoiceError
from assistant.tts.piper import Piper
from assistant.types import SpokenFrame
from assistant.worker_host import Leaving
from tests.unit.tts.tiny_vits import write_voice

PHRASE = " The cat is sitting on the table, next to 3 red apples."


@pytest.fixture
def voice(tmp_path: Path) -> Piper:
    write_voice(tmp_path)
    return Piper.load(tmp_path, threads=1)


def spoken(voice: Piper, phrase: str, *, speed: float = 1) -> list[SpokenFrame]:
    return list(voice.speak(phrase, speed, Leaving()))


def test_a_phrase_is_spoken_in_short_frames_of_48_khz(voice: Piper) -> None:
    frames = spoken(voice, PHRASE)
    assert {frame.sample_rate_hz for frame in frames} == {48_000}
    assert {frame.samples.dtype for frame in frames} == {np.dtype(np.int16)}
    assert all(0 < frame.duration_ms <= 80 for frame in frames)
    assert np.abs(np.concatenate([frame.samples for frame in frames])).max() > 1_000


@pytest.mark.parametrize(
    "phrase", ["", " ", "\n", "…", "?!", "😀👍", "---", "```\ncode()\n```", "\x00\x1b", "今天"]
)
def test_nothing_speakable_is_silence_and_no_error(voice: Piper, phrase: str) -> None:
    assert spoken(voice, phrase) == []


@pytest.mark.parametrize("phrase", ["a", "x" * 5_000, "word " * 1_000, "\x07ha\x00", "[[ tEst ]]"])
def test_strange_text_is_spoken(voice: Piper, phrase: str) -> None:
    assert spoken(voice, phrase)


@pytest.mark.parametrize("phrase", [PHRASE, "One. Two! Three?", "In 1999, it was", "没有 yes"])
def test_frames_tell_which_words_have_been_said(voice: Piper, phrase: str) -> None:
    said = [frame.said_characters for frame in spoken(voice, phrase)]
    assert said[-1] == len(phrase)
    assert all(earlier <= later for earlier, later in pairwise(said))
    assert all(n == 0 or n == len(phrase) or not phrase[n].isalnum() for n in said)


def test_leaving_ends_the_phrase_at_once(voice: Piper) -> None:
    leaving = Leaving()
    frames = voice.speak(PHRASE * 20, 1, leaving)
    next(frames)
    leaving.set()
    assert list(frames) == []


def test_one_who_has_left_before_hears_nothing(voice: Piper) -> None:
    leaving = Leaving()
    leaving.set()
    assert list(voice.speak(PHRASE, 1, leaving)) == []


def test_the_same_voice_speaks_after_somebody_left(voice: Piper) -> None:
    leaving = Leaving()
    next(voice.speak(PHRASE, 1, leaving))
    leaving.set()
    assert spoken(voice, PHRASE)[-1].said_characters == len(PHRASE)


def test_two_phrases_at_once_do_not_mix(voice: Piper) -> None:
    alone = [len(frame.samples) for frame in spoken(voice, PHRASE)]
    ours, theirs = voice.speak(PHRASE, 1, Leaving()), voice.speak("Other words.", 1, Leaving())
    together = []
    for frame in ours:
        together.append(len(frame.samples))
        next(theirs, None)
    assert together == alone


def test_a_faster_voice_takes_less_time(voice: Piper) -> None:
    usual, fast = (
        sum(frame.duration_ms for frame in spoken(voice, PHRASE, speed=speed)) for speed in (1, 2)
    )
    assert 1.5 < usual / fast < 2.2


def test_a_speaker_that_the_voice_has_not_is_refused(tmp_path: Path) -> None:
    write_voice(tmp_path, n_speakers=3)
    Piper.load(tmp_path, threads=1, speaker=2)
    with pytest.raises(VoiceError, match=r"voice\.speaker must be below 3"):
        Piper.load(tmp_path, threads=1, speaker=3)


def test_a_voice_that_cannot_be_split_speaks_as_well(tmp_path: Path) -> None:
    write_voice(tmp_path, has_noise=False)
    frames = spoken(Piper.load(tmp_path, threads=1), PHRASE)
    assert frames[-1].said_characters == len(PHRASE)


def test_frames_travel_between_processes(voice: Piper) -> None:
    frame = spoken(voice, "Hello.")[0]
    assert pickle.loads(pickle.dumps(frame)).said_characters == frame.said_characters
