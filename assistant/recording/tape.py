"""One conversation's folder on disk, written by a thread of its own.

session.json       when and with what: versions, settings, SHA-256 of the models
microphone.wav     16 kHz mono from the first moment to the last, silence where nothing came
events.jsonl       one line each: {"at_ms": since the first moment, "kind": ..., "value": {...}}
picture-NNNN.png   frames that were looked at, and pictures that were handed over
sound-NNNN.wav     recordings that were added to the conversation
"""

from __future__ import annotations

import json
import logging
import queue
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from assistant.errors import RecordingError
from assistant.events import Command, Event
from assistant.recording.values import Attachments
from assistant.types import AudioFrame, ImageFrame

logger = logging.getLogger(__name__)

FORMAT, VERSION = "parley-recording", 1
RATE_HZ = 16_000
WAV_HEADER_BYTES = 44

_MOST_WAITING = 1_000
"""Writes that a slow disk may be behind; some ten seconds of talking."""

_GAP_SAMPLES = RATE_HZ // 10
"""Less than this is how unevenly frames come."""

_UNKNOWN_BYTES = 0xFFFF_FFFF - 36
"""What a WAV header says while the file grows."""


class Tape:
    """Takes sound and events without ever waiting. Full or slow disks end it, and nothing else."""

    def __init__(
        self,
        folder: Path,
        header: dict[str, Any],
        *,
        leaves_out: frozenset[str],
        on_failure: Callable[[str], None],
    ) -> None:
        """Raises RecordingError.

        `leaves_out`: some of "audio", "text" and "pictures". `on_failure`: is called once, from
        another thread, with why the tape ended early.
        """
        try:
            folder.mkdir(parents=True, mode=0o700)
            about = {"format": FORMAT, "version": VERSION, **header}
            text = json.dumps(about, indent=1, ensure_ascii=False)
            (folder / "session.json").write_text(text + "\n", encoding="utf-8")
            self._events = (folder / "events.jsonl").open("w", encoding="utf-8")
            self._sound = None if "audio" in leaves_out else (folder / "microphone.wav").open("wb")
            if self._sound is not None:
                self._sound.write(_wav_header(_UNKNOWN_BYTES))
        except OSError as error:
            raise RecordingError(f"{folder} cannot be written: {error.strerror}") from error
        self._attachments = Attachments(
            folder,
            keeps_pictures="pictures" not in leaves_out,
            keeps_sound="audio" not in leaves_out,
        )
        self._keeps_text = "text" not in leaves_out
        self._on_failure = on_failure
        self._n_samples = 0
        self._is_on = True
        self._has_failed = False
        self._waiting: queue.Queue[Callable[[], None] | None] = queue.Queue(_MOST_WAITING)
        self._thread = threading.Thread(target=self._write_all, name="tape", daemon=True)
        self._thread.start()

    def note(self, value: Event | Command | ImageFrame, *, at_ms: float) -> None:
        self._later(lambda: self._write_event(value, at_ms))

    def hear(self, frame: AudioFrame, *, at_ms: float) -> None:
        """`at_ms`: when its first sample was captured, on the clock of the events."""
        if self._sound is not None:
            self._later(lambda: self._write_sound(frame, at_ms))

    def close(self) -> None:
        """Blocks until what waits is written."""
        self._is_on = False
        self._waiting.put(None)
        self._thread.join()

    def _later(self, write: Callable[[], None]) -> None:
        if not self._is_on:
            return
        try:
            self._waiting.put_nowait(write)
        except queue.Full:
            self._fail("the disk is too slow")

    def _fail(self, reason: str) -> None:
        self._is_on = False
        if not self._has_failed:
            self._has_failed = True
            logger.warning("the recording ends here: %s", reason)
            self._on_failure(reason)

    def _write_all(self) -> None:
        try:
            while (write := self._waiting.get()) is not None:
                write()
        except OSError as error:
            self._fail(error.strerror or str(error))
            while self._waiting.get() is not None:
                pass
        finally:
            self._finish()

    def _finish(self) -> None:
        """A disk that is full cannot take the end either; what is there can be read without."""
        try:
            self._events.close()
            if self._sound is not None:
                with self._sound:
                    self._sound.seek(0)
                    self._sound.write(_wav_header(2 * self._n_samples))
        except OSError as error:
            self._fail(error.strerror or str(error))

    def _write_event(self, value: Event | Command | ImageFrame, at_ms: float) -> None:
        built = self._attachments.to_json(value, keeps_text=self._keeps_text)
        line = {"at_ms": round(at_ms, 1), "kind": type(value).__name__, "value": built}
        self._events.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._events.flush()

    def _write_sound(self, frame: AudioFrame, at_ms: float) -> None:
        assert self._sound is not None
        n_missing = round(at_ms * RATE_HZ / 1_000) - self._n_samples
        if n_missing > _GAP_SAMPLES:
            self._sound.write(bytes(2 * n_missing))
            self._n_samples += n_missing
        self._sound.write(np.ascontiguousarray(frame.samples, "<i2").tobytes())
        self._n_samples += len(frame.samples)


def _wav_header(n_bytes: int) -> bytes:
    """16 kHz mono PCM16; 44 bytes."""
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", 36 + n_bytes, b"WAVE", b"fmt ", 16),
        *(1, 1, RATE_HZ, 2 * RATE_HZ, 2, 16),
        *(b"data", n_bytes),
    )
