"""The sound of short fixed phrases on disk, so that an apology is heard at once.

    FOLDER/KEY.npz    one phrase as one voice says it; KEY is a hash of everything it depends on

Only for the program's own phrases and prepared answers: what people say, and what a brain answers,
is never stored here.
"""

from __future__ import annotations

import hashlib
import io
import logging
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from assistant.tts.resample import OUTPUT_RATE_HZ
from assistant.tts.whole_file import write_whole
from assistant.types import SpokenFrame

logger = logging.getLogger(__name__)

_MAX_ENTRIES = 512
"""About 100 MB. Beyond it, what was made longest ago goes."""


def phrase_key(*parts: object) -> str:
    """Of everything that a phrase's sound depends on."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


class PhraseCache:
    """Whatever goes wrong costs time only: then the phrase is spoken anew."""

    def __init__(self, folder: Path, max_entries: int = _MAX_ENTRIES) -> None:
        self._folder = folder
        self._max_entries = max_entries

    def frames(self, key: str) -> Iterator[SpokenFrame] | None:
        """What was kept; None where nothing was, or it is damaged."""
        try:
            with np.load(io.BytesIO(self._path(key).read_bytes()), allow_pickle=False) as entry:
                samples, ends, said = entry["samples"], entry["ends"], entry["said"]
            if samples.dtype != np.int16 or samples.ndim != 1 or not len(ends) == len(said) > 0:
                raise ValueError("not a phrase")
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            logger.warning("a kept phrase is damaged and made anew: %s", error)
            return None
        return (
            SpokenFrame(
                samples=piece,
                sample_rate_hz=OUTPUT_RATE_HZ,
                captured_at_s=time.monotonic(),
                said_characters=int(n),
            )
            for piece, n in zip(np.split(samples, ends[:-1]), said, strict=True)
        )

    def keep(self, key: str, frames: Iterable[SpokenFrame]) -> None:
        """All frames of one phrase."""
        pieces = [(frame.samples, frame.said_characters) for frame in frames]
        content = io.BytesIO()
        np.savez(
            content,
            samples=np.concatenate([samples for samples, _ in pieces]),
            ends=np.cumsum([len(samples) for samples, _ in pieces]),
            said=[said for _, said in pieces],
        )
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(key), content.getvalue())
            self._drop_oldest()
        except OSError as error:
            logger.warning("phrases cannot be kept in %s: %s", self._folder, error.strerror)

    def _drop_oldest(self) -> None:
        entries = list(self._folder.glob("*.npz"))
        for path in sorted(entries, key=_made_at)[: -self._max_entries]:
            with suppress(OSError):
                path.unlink()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.npz"


def _made_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process dropped it
        return 0.0
