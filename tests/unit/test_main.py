"""The command line's own answers; the engines are not started."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant.__main__ import main
from assistant.audio_file import read_speech, write_wav

ANY_PORT = ["--set", "server.port=0"]


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["doctor", "--set", "server.prot=1"], 2, "unknown key 'server.prot'"),
        (["serve", "--config", "nowhere.toml"], 2, "nowhere.toml: cannot be read"),
        (["ask", "--wav", "nowhere.wav"], 1, "nowhere.wav is not there"),
        (["ask", "--wav", "README.md"], 1, "Give a WAV, FLAC or OGG file."),
        (["ask", "--text", "hi", "--image", "README.md"], 1, "README.md"),
        (["models", "pull", "no-such-model"], 1, "no-such-model"),
        (["models", "verify", "no-such-model"], 1, "no-such-model"),
        (["serve", *ANY_PORT, "--set", "brain.model=no-such-model"], 1, "no-such-model"),
        (["serve", *ANY_PORT, "--set", "brain.model=rapidocr"], 1, "is for text, not for brain"),
        (["ask", "--text", "hi", "--out", "nowhere/a.wav"], 1, "name another with --out FILE"),
    ],
)
def test_mistakes_are_answered_with_a_sentence(
    arguments: list[str], status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == status
    written = capsys.readouterr()
    assert says in written.err + written.out
    assert "Traceback" not in written.err


@pytest.mark.parametrize("arguments", [[], ["sing"], ["ask"], ["ask", "--wav", "a", "--text", "b"]])
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100, 48_000])
def test_speech_of_any_rate_is_heard_at_16_khz(tmp_path: Path, rate_hz: int) -> None:
    tone = 10_000 * np.sin(2 * np.pi * 440 * np.arange(rate_hz) / rate_hz)
    write_wav(tmp_path / "tone.wav", tone.astype(np.int16), rate_hz)
    speech = read_speech(tmp_path / "tone.wav")
    assert abs(len(speech) - 16_000) <= 1
    spectrum = np.abs(np.fft.rfft(speech[: 16_000 - 16_000 % 2]))
    assert abs(int(spectrum.argmax()) - 440) <= 1


def test_stereo_is_heard_as_one_channel(tmp_path: Path) -> None:
    both = np.stack([np.full(1_600, 8_000), np.full(1_600, 4_000)], axis=1).astype(np.int16)
    write_wav(tmp_path / "stereo.wav", both, 16_000)
    assert np.allclose(read_speech(tmp_path / "stereo.wav"), 6_000, atol=2)
