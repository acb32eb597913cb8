from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from assistant.errors import VoiceError
from assistant.tts.espeak import Espeak
from assistant.tts.espeak_library import EspeakLibrary
from assistant.tts.loudness import TARGET_LUFS, loudness_lufs
from assistant.types import SpokenFrame
from assistant.worker_host import Leaving

CHINESE = "今天是2025年3月1日，温度是-3.5℃，请打开GPS。好吗？"
ARABIC = "مرحبا، كيف حالك اليوم؟"
HEBREW = "שלום, מה שלומך?"


@pytest.fixture(scope="module")
def library() -> EspeakLibrary:
    return EspeakLibrary()


def spoken(library: EspeakLibrary, language: str, phrase: str) -> list[SpokenFrame]:
    return list(Espeak(library, language).speak(phrase, 1, Leaving()))


@pytest.mark.parametrize(
    ("language", "phrase"),
    [("zh", CHINESE), ("ar", ARABIC), ("he", HEBREW), ("fr", "Ça va, et vous"), ("en", "a")],
)
def test_phrases_are_spoken_in_short_frames_as_loud_as_other_voices(
    library: EspeakLibrary, language: str, phrase: str
) -> None:
    frames = spoken(library, language, phrase)
    assert {frame.sample_rate_hz for frame in frames} == {48_000}
    assert all(0 < frame.duration_ms <= 80 for frame in frames)
    sound = np.concatenate([frame.samples for frame in frames]).astype(np.float32) / 32_768
    assert loudness_lufs(sound, 48_000) == pytest.approx(TARGET_LUFS, abs=7)
    assert np.flatnonzero(np.abs(sound) > 0.005)[0] <= 0.02 * 48_000


@pytest.mark.parametrize("phrase", [CHINESE, "你好", "没有 yes 的话"])
def test_frames_tell_which_words_have_been_said(library: EspeakLibrary, phrase: str) -> None:
    said = [frame.said_characters for frame in spoken(library, "zh", phrase)]
    assert said[-1] == len(phrase)
    assert len(set(said)) > 1
    assert all(earlier <= later for earlier, later in pairwise(said))


@pytest.mark.parametrize("phrase", ["", " ", "…", "😀", "\x00\x1b", "\u202e\u200f", "\ud800"])
def test_nothing_speakable_is_silence_and_no_error(library: EspeakLibrary, phrase: str) -> None:
    assert spoken(library, "zh", phrase) == []


@pytest.mark.parametrize("phrase", ["字" * 5_000, "x" * 5_000, "word " * 1_000, ARABIC * 200])
def test_text_without_an_end_begins_at_once_and_stops_when_told(
    library: EspeakLibrary, phrase: str
) -> None:
    leaving = Leaving()
    frames = Espeak(library, "zh" if phrase[0] == "字" else "ar").speak(phrase, 1, leaving)
    next(frames)
    leaving.set()
    assert list(frames) == []


def test_a_language_that_nobody_speaks_is_refused(library: EspeakLibrary) -> None:
    with pytest.raises(VoiceError, match="does not speak 'xx'"):
        Espeak(library, "xx")
