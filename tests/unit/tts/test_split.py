from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from assistant.tts.split import CannotSplitError, find_seam, split
from assistant.tts.vits import Manner, SlicedVits, Vits, WholeVits
from tests.unit.tts.tiny_vits import SAMPLES_PER_FRAME, make_model, write_voice

IDS = [int(i) for i in np.arange(60) * 37 % 100]


def manner(speaker_id: int | None = None) -> Manner:
    return Manner(length_scale=1, noise_scale=0, duration_noise_scale=0, speaker_id=speaker_id)


def both(folder: Path) -> tuple[Vits, Vits]:
    whole = WholeVits((folder / "voice.onnx").read_bytes(), threads=1)
    parts = split(folder / "voice.onnx")
    return whole, SlicedVits(parts, samples_per_frame=SAMPLES_PER_FRAME, threads=1)


def sound(vits: Vits, manner: Manner) -> list[np.ndarray]:
    return list(vits.speak(IDS, manner, ort.RunOptions()).slices)


def test_the_seam_is_found_by_the_shape_of_the_graph_and_not_by_names() -> None:
    seam = find_seam(make_model().graph)
    assert seam.crossing == ("latent", "mask")
    assert seam.durations == "durations"


def test_a_speaker_crosses_the_seam() -> None:
    assert set(find_seam(make_model(n_speakers=3).graph).crossing) == {"latent", "mask", "speaker"}


@pytest.mark.parametrize("speaker_id", [None, 0, 2])
def test_slices_sound_as_the_whole(tmp_path: Path, speaker_id: int | None) -> None:
    write_voice(tmp_path, n_speakers=1 if speaker_id is None else 3)
    whole, sliced = both(tmp_path)
    expected = np.concatenate(sound(whole, manner(speaker_id)))
    slices = sound(sliced, manner(speaker_id))
    assert len(slices) > 3
    assert np.abs(np.concatenate(slices) - expected).max() < 1e-5


def test_a_sentence_knows_when_each_id_ends(tmp_path: Path) -> None:
    write_voice(tmp_path)
    for vits in both(tmp_path):
        sentence = vits.speak(IDS, manner(), ort.RunOptions())
        assert len(sentence.id_ends) == len(IDS)
        assert np.all(np.diff(sentence.id_ends) > 0)
        assert sentence.id_ends[-1] == sentence.n_samples
        assert sum(map(len, sentence.slices)) == sentence.n_samples


def without_noise(model: onnx.ModelProto) -> None:
    next(n for n in model.graph.node if n.op_type == "RandomNormalLike").op_type = "Identity"


def without_durations(model: onnx.ModelProto) -> None:
    next(n for n in model.graph.node if n.op_type == "Ceil").op_type = "Floor"


def with_unscaled_noise(model: onnx.ModelProto) -> None:
    next(n for n in model.graph.node if n.output[0] == "noise_part").op_type = "Sub"


@pytest.mark.parametrize("damage", [without_noise, without_durations, with_unscaled_noise])
def test_another_graph_is_refused(damage: Callable[[onnx.ModelProto], None]) -> None:
    model = make_model()
    damage(model)
    with pytest.raises(CannotSplitError):
        find_seam(model.graph)
