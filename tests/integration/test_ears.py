"""The recognizer and the turn-end model on real models."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import soxr

from assistant.asr.whisper import Ears
from assistant.config import EarsConfig
from assistant.errors import ConfigError, RecognizerError
from assistant.model_store import ModelStore
from assistant.scribe import is_noise
from assistant.tts.espeak_library import EspeakLibrary
from assistant.types import Hypothesis, Pcm
from tests.speech import FRAGMENTS, SENTENCES, bare_words, recording, seconds_of, word_error_rate

pytestmark = pytest.mark.models

STORE = ModelStore(Path("models"))
TINY = EarsConfig()
BASE = EarsConfig(model="whisper-base")


@cache
def new_ears(config: EarsConfig) -> Ears:
    return Ears(config, STORE.folder(config.model), STORE.folder(config.turn_end_model))


@pytest.fixture(params=[TINY, BASE], ids=lambda config: config.model)
def ears(request: pytest.FixtureRequest) -> Ears:
    return new_ears(request.param)


@pytest.fixture
def tiny() -> Ears:
    return new_ears(TINY)


def final(ears: Ears, words: str) -> Hypothesis:
    return ears.transcribe(np.pad(recording(words), seconds_of(0.15)), is_final=True)


def test_finals_have_the_words(ears: Ears) -> None:
    heard = [final(ears, words) for words in SENTENCES]
    assert word_error_rate(" ".join(SENTENCES), " ".join(h.text for h in heard)) <= 0.05
    assert {h.language for h in heard} == {"en"}
    assert not any(is_noise(h) for h in heard)
    assert all(h.compute_ms > 0 for h in heard)


@pytest.mark.parametrize("words", FRAGMENTS)
def test_fragment_is_heard(ears: Ears, words: str) -> None:
    assert bare_words(final(ears, words).text) == words


def test_the_first_language_is_assumed_while_it_is_not_clear() -> None:
    ears = new_ears(BASE)
    for words in SENTENCES:
        beginning = np.pad(recording(words)[: seconds_of(0.6)], 2_000)
        assert ears.transcribe(beginning, is_final=False).language == "en"


def test_french_is_heard_as_french() -> None:
    library = EspeakLibrary()
    words = "Je voudrais savoir quel temps il fera demain."
    sound = library.synthesize(words, library.languages()["fr"], speed=0.9)
    samples = (16_000 * soxr.resample(sound, library.sample_rate_hz, 16_000)).astype(np.int16)
    assert new_ears(BASE).transcribe(samples, is_final=True).language == "fr"


def test_partial_has_the_words_so_far(ears: Ears) -> None:
    samples = recording("how many minutes are there in two hours")
    heard = ears.transcribe(samples[: len(samples) // 2], is_final=False)
    assert bare_words(heard.text).startswith("how many minutes")


def white_noise() -> Pcm:
    return np.random.default_rng(0).normal(0, 1_000, seconds_of(2)).astype(np.int16)


def hum() -> Pcm:
    t = np.arange(seconds_of(2)) / 16_000
    return (2_000 * np.sin(2 * np.pi * 100 * t)).astype(np.int16)


@pytest.mark.parametrize("noise", [lambda: np.zeros(seconds_of(2), np.int16), white_noise, hum])
def test_words_in_noise_are_known_to_be_invented(ears: Ears, noise: Callable[[], Pcm]) -> None:
    assert is_noise(ears.transcribe(noise(), is_final=True))


def test_a_digit_that_comes_again_does_not_come_for_ever(ears: Ears) -> None:
    gap = np.zeros(seconds_of(0.9), np.int16)
    heard = ears.transcribe(np.concatenate([gap, *[recording("seven"), gap] * 3]), is_final=True)
    assert 2 <= len(bare_words(heard.text).split()) <= 4
    assert not is_noise(heard)


@pytest.mark.parametrize("seconds", [0, 0.01, 31])
def test_any_length_is_taken(tiny: Ears, seconds: float) -> None:
    samples = np.resize(recording("i want to"), seconds_of(seconds))
    for is_final in (False, True):
        tiny.transcribe(samples, is_final)
    assert 0 <= tiny.turn_end_probability(samples) <= 1


def test_a_whole_question_sounds_more_complete_than_half_of_it(tiny: Ears) -> None:
    samples = recording("what is the capital of france")
    half = np.concatenate([samples[: len(samples) // 2], np.zeros(2_048, np.int16)])
    assert tiny.turn_end_probability(samples) > 0.7 > tiny.turn_end_probability(half)


def test_both_questions_may_be_asked_at_once(tiny: Ears) -> None:
    samples = recording("what is the capital of france")
    text = tiny.transcribe(samples, is_final=True).text
    probability = tiny.turn_end_probability(samples)
    with ThreadPoolExecutor(8) as threads:
        transcripts = [threads.submit(tiny.transcribe, samples, True) for _ in range(4)]
        judgements = [threads.submit(tiny.turn_end_probability, samples) for _ in range(4)]
        assert {done.result().text for done in transcripts} == {text}
        assert [done.result() for done in judgements] == pytest.approx([probability] * 4)


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (EarsConfig(language="zh"), 'whisper-tiny.en knows English only; set ears.model = "whis'),
        (EarsConfig(model="whisper-base", language="tlh"), "whisper-base knows no language 'tlh'"),
        (
            EarsConfig(model="whisper-base", language="auto", allowed_languages=()),
            "ears.allowed_languages needs an entry",
        ),
    ],
)
def test_language_that_cannot_be_heard_is_a_mistake_in_the_settings(
    config: EarsConfig, says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        new_ears(config)


def test_damaged_model_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"half a mod")
    with pytest.raises(RecognizerError, match="assistant models verify"):
        Ears(TINY, tmp_path, STORE.folder("smart-turn"))
