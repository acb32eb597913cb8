from __future__ import annotations

from pathlib import Path

import pytest

from assistant.tts.phonemes import Phonemizer, read_config
from tests.unit.tts.tiny_vits import write_voice


@pytest.fixture
def phonemizer(tmp_path: Path) -> Phonemizer:
    write_voice(tmp_path)
    return Phonemizer(read_config(tmp_path / "voice.onnx.json"))


def test_sentences_are_kept_apart(phonemizer: Phonemizer) -> None:
    assert len(phonemizer.sentences("It is late. Shall we go?")) == 2


@pytest.mark.parametrize("text", ["", " ", "...", "\n"])
def test_nothing_to_say_is_no_sentence(phonemizer: Phonemizer, text: str) -> None:
    assert phonemizer.sentences(text) == []


@pytest.mark.parametrize("text", ["x" * 5_000, "banana " * 700, "a, " * 1_700])
def test_a_sentence_without_end_comes_in_parts(phonemizer: Phonemizer, text: str) -> None:
    parts = phonemizer.sentences(text)
    assert len(parts) > 3
    assert max(map(len, parts)) <= 300


def test_a_long_sentence_is_parted_between_words(phonemizer: Phonemizer) -> None:
    parts = phonemizer.sentences("banana " * 200)
    assert all(part[0] == " " for part in parts[1:])
