from __future__ import annotations

import threading

import numpy as np
import pytest

from assistant.errors import VoiceError
from assistant.tts.espeak_library import EspeakLibrary, EspeakVoice
from assistant.tts.phonemes import Phonemizer, read_config
from tests.unit.tts.tiny_vits import write_voice


@pytest.fixture
def library() -> EspeakLibrary:
    return EspeakLibrary()


@pytest.mark.parametrize(
    ("language", "name", "identifier"),
    [
        ("zh", "Chinese (Mandarin, latin as English)", b"sit/cmn"),
        ("cmn", "Chinese (Mandarin, latin as English)", b"sit/cmn"),
        ("fr", "French (France)", b"roa/fr"),
        ("pt-br", "Portuguese (Brazil)", b"roa/pt-BR"),
        ("no", "Norwegian Bokmål", b"gmq/nb"),
    ],
)
def test_a_language_has_one_usual_voice(
    library: EspeakLibrary, language: str, name: str, identifier: bytes
) -> None:
    assert library.languages()[language] == EspeakVoice(name, identifier)


def test_it_speaks_more_than_a_hundred_languages(library: EspeakLibrary) -> None:
    assert len(library.languages()) > 100


def test_text_becomes_sound(library: EspeakLibrary) -> None:
    voice = library.languages()["fr"]
    samples = library.synthesize("Bonjour à tous.", voice, speed=1)
    assert samples.dtype == np.float32
    assert 0.3 < np.abs(samples).max() <= 1
    assert 0.5 < len(samples) / library.sample_rate_hz < 3


def test_faster_is_shorter(library: EspeakLibrary) -> None:
    voice = library.languages()["en"]
    usual, fast = (
        len(library.synthesize("One two three four.", voice, speed=speed)) for speed in (1, 2)
    )
    assert 1.3 < usual / fast < 2.5


def test_an_unknown_voice_is_refused(library: EspeakLibrary) -> None:
    with pytest.raises(VoiceError, match="does not know its voice Martian"):
        library.synthesize("Hi.", EspeakVoice("Martian", b"xx"), speed=1)


def test_phonemes_and_sound_of_several_threads_do_not_mix(
    library: EspeakLibrary, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("voice")
    write_voice(folder)
    phonemizer = Phonemizer(read_config(folder / "voice.onnx.json"))
    voice = library.languages()["zh"]
    phonemes = phonemizer.sentences("The cat is on the table.")
    sound = library.synthesize("你好，世界。", voice, speed=1)
    said: list[list[list[str]]] = []
    lengths: list[int] = []

    def phonemize() -> None:
        said.extend(phonemizer.sentences("The cat is on the table.") for _ in range(50))

    def speak() -> None:
        lengths.extend(len(library.synthesize("你好，世界。", voice, speed=1)) for _ in range(50))

    threads = [threading.Thread(target=work) for work in (phonemize, speak, speak)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(again == phonemes for again in said)
    assert lengths == pytest.approx([len(sound)] * 100, rel=0.01)  # its noise varies
