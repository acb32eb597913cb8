"""Sound from and to WAV files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile
import soxr

from assistant.errors import AudioFileError
from assistant.types import Pcm


def read_speech(path: Path) -> Pcm:
    """A sound file as 16 kHz mono, whatever its rate and channels. Raises AudioFileError."""
    if not path.is_file():
        raise AudioFileError(f"{path} is not there, or is no file")
    try:
        samples, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, OSError) as error:
        raise AudioFileError(
            f"{path} cannot be read as sound: {error}. Give a WAV, FLAC or OGG file."
        ) from error
    mono = np.nan_to_num(samples.mean(axis=1))
    if not len(mono):
        raise AudioFileError(f"{path} holds no sound at all")
    speech = soxr.resample(mono, rate_hz, 16_000) if rate_hz != 16_000 else mono
    pcm: Pcm = (np.clip(speech, -1, 1) * 32_767).astype(np.int16)
    return pcm


def write_wav(path: Path, samples: Pcm, sample_rate_hz: int) -> None:
    """Raises AudioFileError."""
    try:
        soundfile.write(path, samples, sample_rate_hz, subtype="PCM_16")
    except (soundfile.LibsndfileError, OSError) as error:
        raise AudioFileError(f"{path} cannot be written: {error}") from error
