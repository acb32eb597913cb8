"""From sound to utterances with the real models; time is counted in sound, so nothing is paced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from assistant.asr.vad import new_detector_factory
from assistant.audio_file import read_speech
from assistant.bench.word_errors import word_errors
from assistant.config import EarsConfig, EndpointingConfig
from assistant.hearing import Listener
from assistant.types import Heard, Pcm
from tests.hearing_fakes import Microphone, quiet
from tests.real_ears import PromptRecognizer
from tests.speech import SENTENCES, bare_words, recording, seconds_of, word_error_rate

pytestmark = [pytest.mark.models, pytest.mark.usefixtures("patient_listener")]


def room(*sounds: Pcm) -> Pcm:
    """`sounds` one after another in a room that is never quite silent."""
    samples = np.concatenate(sounds).astype(np.float64)
    samples += np.random.default_rng(0).normal(0, 10, len(samples))
    return samples.clip(-32_768, 32_767).astype(np.int16)


async def listen(*sounds: Pcm, is_held: bool = False) -> list[Heard]:
    """How each utterance ended."""
    listener = Listener(
        detector=new_detector_factory()(),
        recognizer=PromptRecognizer(),
        ears=EarsConfig(),
        endpointing=EndpointingConfig(),
    )
    listener.push_to_talk(is_held)
    async with listener.listening(Microphone().frames(room(*sounds))) as utterances:
        heard = [utterance async for utterance in utterances]
    return [utterance.heard for utterance in heard]


@pytest.mark.parametrize("words", SENTENCES)
async def test_a_question_is_one_turn_with_all_its_words(words: str) -> None:
    samples = recording(words)
    (end,) = await listen(quiet(600), samples, quiet(1_500))
    assert word_error_rate(words, end.transcript.text) <= 0.15
    assert end.started_at_s == pytest.approx(100.6, abs=0.15)
    assert end.voice_stopped_at_s == pytest.approx(100.6 + len(samples) / 16_000, abs=0.2)


async def test_pauses_and_fillers_make_one_turn() -> None:
    (end,) = await listen(
        quiet(600),
        recording("i want to"),
        quiet(900),
        recording("um"),
        quiet(700),
        recording("reset the panel"),
        quiet(1_500),
    )
    words = bare_words(end.transcript.text)
    assert words.startswith("i want to")
    assert words.endswith("reset the panel")


async def test_short_answers_are_delivered_at_once() -> None:
    answers = ["no", "yes", "no"]
    # With so little silence in between they would be one turn if any were waited for.
    sounds = [sound for word in answers for sound in (recording(word), quiet(450))]
    ends = await listen(quiet(600), *sounds)
    assert [bare_words(end.transcript.text) for end in ends] == answers


@pytest.mark.parametrize("word", ["no", "yes", "four"])
async def test_an_answer_of_200_ms_is_heard(word: str) -> None:
    sound = recording(word)[: seconds_of(0.2)] * np.minimum(1, np.arange(3_200)[::-1] / 160)
    (end,) = await listen(quiet(600), sound.astype(np.int16), quiet(1_500))
    assert end.transcript.text
    assert end.speech_ms <= 320


async def test_a_number_read_slowly_is_not_cut() -> None:
    digits = ("seven", "one", "nine", "four", "one", "seven")
    sounds = [sound for digit in digits for sound in (recording(digit), quiet(900))]
    (end,) = await listen(quiet(600), *sounds, quiet(1_500))
    assert word_errors(" ".join(digits), end.transcript.text).errors <= 1


@pytest.mark.parametrize("n_channels", [1, 2])
@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100, 48_000])
async def test_a_recording_of_any_rate_is_heard(
    rate_hz: int, n_channels: int, tmp_path: Path
) -> None:
    words = "how many minutes are there in two hours"
    sound = soxr.resample(recording(words), 16_000, rate_hz)
    file = tmp_path / "speech.wav"
    soundfile.write(file, np.stack([sound] * n_channels, axis=1), rate_hz)
    (end,) = await listen(quiet(600), read_speech(file), quiet(1_500))
    assert word_error_rate(words, end.transcript.text) <= 0.15


async def test_a_soft_onset_keeps_its_first_word() -> None:
    words = "what is the capital of france"
    samples = recording(words).astype(np.float64)
    samples[:4_000] *= np.linspace(0.1, 1, 4_000)
    (end,) = await listen(quiet(600), samples.astype(np.int16), quiet(1_500))
    assert word_error_rate(words, end.transcript.text) <= 0.15


def faint(samples: Pcm) -> Pcm:
    return samples // 20


def clipped(samples: Pcm) -> Pcm:
    """A microphone that is turned up much too far."""
    louder: Pcm = (8 * samples.astype(np.int32)).clip(-32_768, 32_767).astype(np.int16)
    return louder


def telephoned(samples: Pcm) -> Pcm:
    """300 to 3400 Hz, 8 bits of mu-law (ITU-T G.711) at 8 kHz."""
    narrow = soxr.resample(samples / 32_768, 16_000, 8_000)
    hz = np.maximum(np.fft.rfftfreq(len(narrow), 1 / 8_000), 1)
    line = 1 / np.sqrt((1 + (300 / hz) ** 8) * (1 + (hz / 3_400) ** 16))
    narrow = np.fft.irfft(np.fft.rfft(narrow) * line, len(narrow)).clip(-1, 1)
    levels = np.round(127 * np.log1p(255 * np.abs(narrow)) / np.log(256)) / 127
    decoded = np.sign(narrow) * (256**levels - 1) / 255
    sound: Pcm = (32_767 * soxr.resample(decoded, 8_000, 16_000)).astype(np.int16)
    return sound


def in_a_hiss(samples: Pcm) -> Pcm:
    """20 dB below the voice."""
    hiss = np.random.default_rng(0).normal(0, samples.std() / 10, len(samples))
    return (samples + hiss).astype(np.int16)


def with_somebody_behind(samples: Pcm) -> Pcm:
    """Another person, 15 dB quieter."""
    other = np.resize(recording("good morning how are you today"), len(samples))
    return (samples + other * 10 ** (-15 / 20)).astype(np.int16)


@pytest.mark.parametrize(
    "changed",
    [faint, clipped, telephoned, in_a_hiss, with_somebody_behind],
    ids=lambda f: f.__name__,
)
async def test_a_voice_is_heard_in_spite_of(changed: Callable[[Pcm], Pcm]) -> None:
    words = "how many minutes are there in two hours"
    (end,) = await listen(quiet(600), changed(recording(words)), quiet(1_500))
    assert word_error_rate(words, end.transcript.text) <= 0.15


def fan() -> Pcm:
    """Noise whose power falls with frequency, swelling slowly."""
    n = seconds_of(30)
    spectrum = np.fft.rfft(np.random.default_rng(0).normal(0, 1, n))
    spectrum /= np.maximum(np.arange(len(spectrum)), 30.0)
    noise = np.fft.irfft(spectrum, n)
    swell = 1 + 0.3 * np.sin(2 * np.pi * np.arange(n) / 16_000)
    samples: Pcm = (2_000 * noise / noise.std() * swell).clip(-32_768, 32_767).astype(np.int16)
    return samples


def keyboard() -> Pcm:
    """Short clicks at the pace of a typist."""
    random = np.random.default_rng(0)
    samples = np.zeros(seconds_of(30))
    click = random.normal(0, 8_000, 320) * np.exp(-np.arange(320) / 60)
    for at in np.cumsum(random.uniform(1_200, 4_000, 160)).astype(int):
        samples[at : at + len(click)] += click * random.uniform(0.3, 1)
    return samples.clip(-32_768, 32_767).astype(np.int16)


def music() -> Pcm:
    """Chords with overtones, two a second."""
    t = np.arange(seconds_of(0.5)) / 16_000
    chords = [(220, 277, 330), (247, 311, 370), (196, 247, 294), (262, 330, 392)]
    notes = [[hz * k for hz in chord for k in (1, 2, 3)] for chord in chords]
    bars = [np.sin(2 * np.pi * np.outer(t, hz)).mean(axis=1) * np.exp(-3 * t) for hz in notes]
    samples: Pcm = (16_000 * np.tile(np.concatenate(bars), 15)).astype(np.int16)
    return samples


@pytest.mark.parametrize("noise", [lambda: quiet(30_000), fan, keyboard, music])
async def test_noise_is_no_turn(noise: Callable[[], Pcm]) -> None:
    ends = await listen(noise())
    assert [end.transcript.text for end in ends if end.transcript.text] == []


async def test_a_long_speech_loses_nothing() -> None:
    sounds = [sound for words in SENTENCES for sound in (recording(words), quiet(190))]
    (end,) = await listen(quiet(600), *sounds, quiet(1_500), is_held=True)
    assert end.speech_ms > 12_000
    assert word_error_rate(" ".join(SENTENCES), end.transcript.text) <= 0.05
