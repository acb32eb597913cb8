from __future__ import annotations

from pathlib import Path

import onnxruntime as ort
import pytest

from assistant.errors import VoiceError
from assistant.tts.split import split
from assistant.tts.vits import Manner, SlicedVits, StoppedError, WholeVits
from tests.unit.tts.tiny_vits import SAMPLES_PER_FRAME, write_voice

MANNER = Manner(length_scale=1, noise_scale=0.667, duration_noise_scale=0.8)


@pytest.fixture
def sliced(tmp_path: Path) -> SlicedVits:
    write_voice(tmp_path)
    parts = split(tmp_path / "voice.onnx")
    return SlicedVits(parts, samples_per_frame=SAMPLES_PER_FRAME, threads=1)


@pytest.mark.parametrize("n_ids", [1, 2, 3, 5, 20, 100])
def test_every_length_comes_out_whole(sliced: SlicedVits, n_ids: int) -> None:
    sentence = sliced.speak([7] * n_ids, MANNER, ort.RunOptions())
    lengths = [len(samples) for samples in sentence.slices]
    assert sum(lengths) == sentence.n_samples
    assert min(lengths) > 0


def test_the_first_slice_is_short(sliced: SlicedVits) -> None:
    sentence = sliced.speak([7] * 200, MANNER, ort.RunOptions())
    first = next(sentence.slices)
    assert len(first) * 50 < sentence.n_samples


def test_a_slower_manner_takes_longer(sliced: SlicedVits) -> None:
    slow = Manner(length_scale=2, noise_scale=0, duration_noise_scale=0)
    usual = sliced.speak([7] * 20, MANNER, ort.RunOptions()).n_samples
    assert 1.8 < sliced.speak([7] * 20, slow, ort.RunOptions()).n_samples / usual < 2.2


def test_stopping_ends_a_sentence_between_its_slices(sliced: SlicedVits) -> None:
    stop = ort.RunOptions()
    sentence = sliced.speak([7] * 200, MANNER, stop)
    next(sentence.slices)
    stop.terminate = True
    with pytest.raises(StoppedError):
        next(sentence.slices)


def test_a_fault_of_the_model_is_a_voice_error(tmp_path: Path) -> None:
    write_voice(tmp_path)
    vits = WholeVits((tmp_path / "voice.onnx").read_bytes(), threads=1)
    with pytest.raises(VoiceError):
        vits.speak([], MANNER, ort.RunOptions())
