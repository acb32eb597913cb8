"""A recorded conversation, read back: what was said, done and shown, and when."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assistant.errors import RecordingError
from assistant.events import Command, Event
from assistant.recording.tape import FORMAT, RATE_HZ, VERSION, WAV_HEADER_BYTES
from assistant.recording.values import from_json
from assistant.types import ImageFrame, Pcm

logger = logging.getLogger(__name__)

_LONGEST_PAUSE_MS = 3_600_000
"""A clock that jumped must make nothing wait for ever, nor come before its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    at_ms: float
    """Since the conversation began; never less than that of the one before."""

    value: Event | Command | ImageFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    folder: Path
    header: dict[str, Any]
    microphone: Pcm
    """16 kHz, from the first moment on."""

    notes: tuple[Noted, ...]

    @property
    def duration_ms(self) -> float:
        last_ms = self.notes[-1].at_ms if self.notes else 0.0
        return max(last_ms, 1_000 * len(self.microphone) / RATE_HZ)


def read_trace(folder: Path) -> Trace:
    """Whatever can be read of a recording that was cut off; a warning says what cannot.

    Raises RecordingError for what is no recording, is of another version, or has no sound and
    nothing that was typed.
    """
    header = _header(folder)
    notes = tuple(_notes(folder))
    microphone = _microphone(folder)
    if not len(microphone) and not notes:
        raise RecordingError(f"{folder} is empty: neither sound nor events were kept")
    return Trace(folder=folder, header=header, microphone=microphone, notes=notes)


def _header(folder: Path) -> dict[str, Any]:
    path = folder / "session.json"
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RecordingError(f"{folder} is no recording: {path.name} cannot be read") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise RecordingError(f"{folder} is no recording of ours")
    if header.get("version") != VERSION:
        raise RecordingError(
            f"{folder} is of version {header.get('version')!r}; this program reads {VERSION}"
        )
    return header


def _notes(folder: Path) -> Iterator[Noted]:
    path = folder / "events.jsonl"
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        logger.warning("%s cannot be read: %s", path, error.strerror)
        return
    latest_ms = 0.0
    n_unread = 0
    for line in lines:
        try:
            note = json.loads(line)
            value = from_json(note["kind"], note["value"], folder)
            at_ms = float(note["at_ms"])
        except (ValueError, KeyError, TypeError, msgspec.ValidationError):
            n_unread += 1
            continue
        if latest_ms <= at_ms <= latest_ms + _LONGEST_PAUSE_MS:
            latest_ms = at_ms
        yield Noted(at_ms=latest_ms, value=value)
    if n_unread:
        logger.warning("%s: %d of %d lines cannot be read", path, n_unread, len(lines))


def _microphone(folder: Path) -> Pcm:
    """Read past the header, which is not right when the recording was cut off."""
    path = folder / "microphone.wav"
    try:
        data = path.read_bytes()[WAV_HEADER_BYTES:]
    except OSError as error:
        logger.warning("%s cannot be read: %s", path, error.strerror)
        data = b""
    return np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.int16)
