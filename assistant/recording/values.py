"""Events and commands to JSON and back; sounds and pictures become files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np
import soundfile
from numpy.typing import NDArray

from assistant.errors import EyesError
from assistant.events import Command, Event
from assistant.types import ImageFrame
from assistant.vision.image_file import read_image, write_image

_RATE_HZ = 16_000

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (*get_args(Event), *get_args(Command), ImageFrame)
}

_NAMES = {"turn_id", "item_id", "after_id", "state", "status", "stage", "name", "role", "voice"}
"""Keys whose texts nobody has said, typed or shown."""


class Attachments:
    """The sounds and pictures of one recording, each in a file that the JSON names."""

    def __init__(self, folder: Path, *, keeps_pictures: bool, keeps_sound: bool) -> None:
        self._folder = folder
        self._keeps = {3: keeps_pictures, 1: keeps_sound}
        self._n = 0

    def to_json(self, value: Event | Command | ImageFrame, *, keeps_text: bool) -> dict[str, Any]:
        """Writes what the value has attached. Raises OSError."""
        built: dict[str, Any] = msgspec.to_builtins(value, enc_hook=self._attach)
        built.pop("preview", None)
        return built if keeps_text else without_text(built)

    def _attach(self, value: object) -> dict[str, str] | None:
        if not isinstance(value, np.ndarray) or not self._keeps[value.ndim]:
            return None
        self._n += 1
        if value.ndim == 3:
            name = f"picture-{self._n:04}.png"
            write_image(self._folder / name, value)
        else:
            name = f"sound-{self._n:04}.wav"
            soundfile.write(self._folder / name, value, _RATE_HZ, subtype="PCM_16")
        return {"file": name}


def from_json(kind: str, value: dict[str, Any], folder: Path) -> Any:
    """An event, a command or a picture. Raises ValueError for what is none."""

    def read(_: type, attached: object) -> NDArray[Any]:
        return _read_attached(attached, folder)

    if kind not in _KINDS:
        raise ValueError(f"{kind!r} is not known here")
    return msgspec.convert(value, _KINDS[kind], dec_hook=read)


def without_text(value: Any) -> Any:
    """The same, with "" for everything that somebody may have said, typed or shown."""
    match value:
        case str():
            return ""
        case dict():
            return {
                key: each if key in _NAMES and isinstance(each, str) else without_text(each)
                for key, each in value.items()
            }
        case list() | tuple():
            return [without_text(each) for each in value]
        case _:
            return value


def _read_attached(attached: object, folder: Path) -> NDArray[Any]:
    """Raises ValueError. A recording may come from anybody: a name leads out of no folder."""
    name = attached.get("file") if isinstance(attached, dict) else None
    if not isinstance(name, str) or Path(name).name != name:
        raise ValueError("what was attached is missing")
    try:
        if name.endswith(".png"):
            return read_image(folder / name).pixels
        samples, _ = soundfile.read(folder / name, dtype="int16")
        return np.asarray(samples)
    except (OSError, EyesError, soundfile.LibsndfileError) as error:
        raise ValueError(f"{name} cannot be read: {error}") from error
