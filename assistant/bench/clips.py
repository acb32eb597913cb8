"""Recordings with their words: a folder with a manifest.json that lists them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assistant.audio_file import read_speech
from assistant.errors import AudioFileError
from assistant.types import Pcm

_BLOCK_SAMPLES = 160
_VOICED = 10 ** (-30 / 20)
"""Of a clip's peak: blocks of 10 ms above this are voiced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    file: Path
    is_noise: bool
    language: str
    """Such as "en"; empty where nobody speaks."""

    transcript: str
    """Empty where it is unknown, or nobody speaks."""

    def read(self) -> Pcm:
        """16 kHz mono. Raises AudioFileError."""
        return read_speech(self.file)


def read_clips(folder: Path) -> list[Clip]:
    """Raises AudioFileError."""
    path = folder / "manifest.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return [_clip(folder, entry) for entry in entries]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise AudioFileError(
            f"{path} cannot be used ({error!r}); it lists the clips of its folder as "
            '[{"file": "a.wav", "kind": "speech", "lang": "en", "transcript": "hello"}, ...], '
            'where kind may also be "noise"'
        ) from error


def spoken_questions(folder: Path) -> list[Path]:
    """Its WAV files. Raises AudioFileError where there are none."""
    files = sorted(folder.glob("*.wav"))
    if not files:
        raise AudioFileError(f"{folder} holds no WAV files; name a folder of spoken questions")
    return files


def _clip(folder: Path, entry: dict[str, Any]) -> Clip:
    return Clip(
        file=folder / entry["file"],
        is_noise=entry["kind"] == "noise",
        language=entry.get("lang") or "",
        transcript=entry.get("transcript") or "",
    )


def voiced_part(samples: Pcm) -> tuple[int, int]:
    """The first sample and the one after the last that is not silence, to 10 ms."""
    n_blocks = len(samples) // _BLOCK_SAMPLES
    blocks = samples[: n_blocks * _BLOCK_SAMPLES].reshape(n_blocks, _BLOCK_SAMPLES)
    peaks = np.abs(blocks.astype(np.int32)).max(axis=1, initial=0)
    (loud,) = np.nonzero(peaks > _VOICED * peaks.max(initial=1))
    if not len(loud):
        return 0, len(samples)
    return int(loud[0]) * _BLOCK_SAMPLES, (int(loud[-1]) + 1) * _BLOCK_SAMPLES
