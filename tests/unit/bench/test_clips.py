from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assistant.bench.clips import Clip, read_clips, voiced_part
from assistant.errors import AudioFileError


def test_a_manifest_lists_speech_and_noise(tmp_path: Path) -> None:
    entries = [
        {"file": "a.wav", "kind": "speech", "lang": "en", "transcript": "hello", "seconds": 1},
        {"file": "b.wav", "kind": "noise", "lang": None, "transcript": ""},
        {"file": "c.wav", "kind": "question", "lang": "fr"},
    ]
    (tmp_path / "manifest.json").write_text(json.dumps(entries))
    assert read_clips(tmp_path) == [
        Clip(file=tmp_path / "a.wav", is_noise=False, language="en", transcript="hello"),
        Clip(file=tmp_path / "b.wav", is_noise=True, language="", transcript=""),
        Clip(file=tmp_path / "c.wav", is_noise=False, language="fr", transcript=""),
    ]


@pytest.mark.parametrize("text", [None, "not json", "[1]", '[{"file": "a.wav"}]'])
def test_a_manifest_that_cannot_be_used_is_explained(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(AudioFileError, match=r"manifest\.json cannot be used"):
        read_clips(tmp_path)


def test_the_voiced_part_leaves_silence_and_faint_noise_out() -> None:
    samples = np.zeros(16_000, np.int16)
    samples[::2] = 100
    samples[3_200:9_600] = 8_000
    assert voiced_part(samples) == (3_200, 9_600)
    assert voiced_part(np.zeros(1_600, np.int16)) == (0, 1_600)
