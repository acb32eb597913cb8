from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.audio_file import read_speech, write_wav
from assistant.errors import AudioFileError


@pytest.mark.parametrize("n_channels", [1, 2, 6])
@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 16_000, 44_100, 48_000])
def test_any_rate_and_number_of_channels_becomes_16_khz_mono(
    rate_hz: int, n_channels: int, tmp_path: Path
) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate_hz) / rate_hz)
    file = tmp_path / "tone.wav"
    soundfile.write(file, np.stack([tone] * n_channels, axis=1), rate_hz)
    samples = read_speech(file)
    assert samples.dtype == np.int16
    assert len(samples) == pytest.approx(16_000, abs=2)
    spectrum = np.abs(np.fft.rfft(samples[: 16_000 - 2]))
    assert np.argmax(spectrum) == pytest.approx(440, abs=1)
    assert samples[1_000:-1_000].max() == pytest.approx(0.5 * 32_767, rel=0.02)


def test_loud_channels_do_not_wrap_around(tmp_path: Path) -> None:
    write_wav(tmp_path / "loud.wav", np.full(1_000, 32_767, np.int16), 48_000)
    assert read_speech(tmp_path / "loud.wav").min() > 0


@pytest.mark.parametrize("content", [b"", b"not a sound"])
def test_what_is_no_sound_is_said_to_be_none(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.wav"
    file.write_bytes(content)
    with pytest.raises(AudioFileError, match=r"a\.wav cannot be read as sound"):
        read_speech(file)


def test_an_empty_recording_is_said_to_be_empty(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", np.zeros(0, np.int16), 16_000)
    with pytest.raises(AudioFileError, match="holds no sound"):
        read_speech(tmp_path / "a.wav")
