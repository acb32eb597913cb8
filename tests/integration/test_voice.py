"""Every Piper voice that is there, and the default one in detail."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
import soxr
from faster_whisper import WhisperModel

from assistant.config import EarsConfig, VoiceConfig
from assistant.model_store import ModelStore
from assistant.tts.loudness import TARGET_LUFS, loudness_lufs
from assistant.tts.piper import Piper
from assistant.tts.vits import Manner, SlicedVits, Vits, WholeVits
from assistant.tts.voice_folder import open_voice
from assistant.types import SpokenFrame
from assistant.worker_host import Leaving

pytestmark = pytest.mark.models

STORE = ModelStore(Path("models"))
VOICE = STORE.folder(VoiceConfig().model)
ALL_VOICES = sorted({path.parent for path in VOICE.parent.glob("*/voice.onnx")})
STILL = Manner(length_scale=1, noise_scale=0, duration_noise_scale=0)
TWELVE_WORDS = "I can see a person sitting at a desk with a mug."


@pytest.fixture(scope="module")
def voice() -> Piper:
    return Piper.load(VOICE, threads=1)


def spoken(voice: Piper, phrase: str) -> list[SpokenFrame]:
    return list(voice.speak(phrase, 1, Leaving()))


def joined(frames: list[SpokenFrame]) -> np.ndarray:
    return np.concatenate([frame.samples for frame in frames]).astype(np.float32) / 32_768


@pytest.mark.parametrize("folder", ALL_VOICES, ids=lambda folder: folder.name)
def test_slices_sound_as_the_whole_to_half_a_percent_of_full_scale(folder: Path) -> None:
    voice = open_voice(folder, threads=1)
    assert isinstance(voice.vits, SlicedVits)
    whole = WholeVits((folder / "voice.onnx").read_bytes(), threads=1)
    for text in ["1.", TWELVE_WORDS, "Is it 3, or 4? " * 6]:
        ids = [voice.phonemizer.ids(sentence) for sentence in voice.phonemizer.sentences(text)]

        def sound(vits: Vits, ids: list[list[int]] = ids) -> np.ndarray:
            sentences = [vits.speak(sentence, STILL, ort.RunOptions()) for sentence in ids]
            return np.concatenate([part for sentence in sentences for part in sentence.slices])

        assert np.abs(sound(voice.vits) - sound(whole)).max() <= 0.005


def test_the_first_sound_of_a_sentence_costs_little_of_the_whole() -> None:
    """In CPU time of this thread, which other work on the machine hardly changes."""
    voice = open_voice(VOICE, threads=1)
    whole = WholeVits((VOICE / "voice.onnx").read_bytes(), threads=1)
    ids = voice.phonemizer.ids(voice.phonemizer.sentences(TWELVE_WORDS)[0])

    def first_sound_s(vits: Vits) -> float:
        costs = []
        for _ in range(5):
            started_s = time.thread_time()
            next(vits.speak(ids, STILL, ort.RunOptions()).slices)
            costs.append(time.thread_time() - started_s)
        return float(np.median(costs))

    assert first_sound_s(voice.vits) / first_sound_s(whole) <= 0.45


def test_phrases_are_equally_loud_begin_soon_and_end_in_silence(voice: Piper) -> None:
    for phrase in ["Yes.", "The cat is on the table.", " and I think", TWELVE_WORDS]:
        sound = joined(spoken(voice, phrase))
        assert loudness_lufs(sound, 48_000) == pytest.approx(TARGET_LUFS + 3, abs=5)
        assert np.flatnonzero(np.abs(sound) > 0.005)[0] <= 0.02 * 48_000
        assert np.abs(sound[:10]).max() < 0.02
        assert np.abs(sound[-10:]).max() < 0.001


@pytest.mark.parametrize(
    "phrase",
    [
        "a",
        "Z",
        "x" * 5_000,
        "word " * 1_000,
        "no stop, " * 600,
        "1" * 5_000,
        "\x00\x07Hello\x1b[31m there\u202e, you",
        "שלום and مرحبا",
        "[[ not phonemes ]] {}",
    ],
    ids=lambda phrase: phrase[:12].encode("unicode_escape").decode(),
)
def test_strange_text_begins_soon_and_stops_when_told(voice: Piper, phrase: str) -> None:
    leaving = Leaving()
    frames = voice.speak(phrase, 1, leaving)
    assert next(frames).duration_ms > 0
    leaving.set()
    assert list(frames) == []


@pytest.mark.parametrize(
    "phrase", ["", " ", "שלום", "مرحبا", "你好", "\u200f", "\ud800", "…", "()"]
)
def test_what_the_voice_cannot_read_is_silence(voice: Piper, phrase: str) -> None:
    assert spoken(voice, phrase) == []


def test_leaving_stops_a_long_phrase_within_its_slice(voice: Piper) -> None:
    leaving = Leaving()
    frames = voice.speak("A long sentence goes on, and on, " * 20, 1, leaving)
    next(frames)
    leaving.set()
    assert list(frames) == []


@pytest.fixture(scope="module")
def recognizer() -> WhisperModel:
    folder = STORE.folder(EarsConfig().model)
    return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)


@pytest.mark.parametrize(
    ("phrases", "words"),
    [
        (["I can see a person", " sitting at a desk.", " It is red."], "person sitting desk red"),
        (["**Sure!**", " It is 20°C at 10:30."], "sure 20 degrees celsius 10 30"),
        (["Call 555-1234 in 5 minutes."], "call 555 1234 minutes"),
    ],
)
def test_a_recognizer_understands_what_is_said(
    voice: Piper, recognizer: WhisperModel, phrases: list[str], words: str
) -> None:
    sound = np.concatenate([joined(spoken(voice, phrase)) for phrase in phrases])
    segments, _ = recognizer.transcribe(soxr.resample(sound, 48_000, 16_000), language="en")
    heard = re.findall(r"[a-z]+|\d+", " ".join(segment.text for segment in segments).lower())
    missing = set(words.split()) - set(heard)
    assert len(missing) <= 1, (missing, heard)


def test_the_words_said_are_right_to_150_ms(voice: Piper, recognizer: WhisperModel) -> None:
    """Against the recognizer's own word times, which are right to about 100 ms themselves."""
    phrase = "I can see a person sitting at a desk, holding a red coffee mug in their left hand."
    frames = spoken(voice, phrase)
    segments, _ = recognizer.transcribe(
        soxr.resample(joined(frames), 48_000, 16_000), language="en", word_timestamps=True
    )
    heard_ms = [1_000 * word.end for segment in segments for word in segment.words or []]
    word_ends = [word.end() for word in re.finditer(r"\S+", phrase)]
    frame_ends_ms = np.cumsum([frame.duration_ms for frame in frames])
    said_ms = [
        next(ms for ms, f in zip(frame_ends_ms, frames, strict=True) if f.said_characters >= end)
        for end in word_ends
    ]
    assert all(earlier <= later for earlier, later in pairwise(said_ms))
    assert len(heard_ms) == len(said_ms)
    assert np.median(np.abs(np.subtract(heard_ms, said_ms))) <= 150
