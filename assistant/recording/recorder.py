"""A peer whose every word, frame and command is kept on its way."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from assistant import __version__
from assistant.config import Config
from assistant.errors import RecordingError
from assistant.events import Command, Event, RecordingChanged
from assistant.model_store import ModelStore, required_models
from assistant.recording.tape import Tape
from assistant.stages import Camera, Peer, Speaker
from assistant.types import AudioFrame, ImageFrame

logger = logging.getLogger(__name__)


@asynccontextmanager
async def recorded(peer: Peer, config: Config, *, session_id: str) -> AsyncGenerator[Peer]:
    """The peer to converse with in its place: itself, where nothing is or can be recorded."""
    if config.recording.folder == Path():
        yield peer
        return
    began_at = datetime.now(UTC)
    folder = config.recording.folder / f"{began_at:%Y%m%dT%H%M%SZ}-{session_id}"
    try:
        recorder = _Recorder(peer, folder, _header(config, began_at), config)
    except RecordingError as error:
        logger.error("this conversation is not recorded: %s", error)
        yield peer
        return
    try:
        yield recorder
    finally:
        await asyncio.to_thread(recorder.close)


class _Recorder:
    def __init__(self, peer: Peer, folder: Path, header: dict[str, Any], config: Config) -> None:
        loop = asyncio.get_running_loop()

        def fail(_: str) -> None:
            loop.call_soon_threadsafe(self._tell, False)

        self._peer = peer
        self._began_at_s = time.monotonic()
        self._tape = Tape(
            folder,
            header,
            leaves_out=frozenset(config.recording.leave_out),
            on_failure=fail,
        )
        self.camera: Camera = _RecordedCamera(self)
        self._tell(True)

    async def microphone(self) -> AsyncIterator[AudioFrame]:
        async for frame in self._peer.microphone():
            self._tape.hear(frame, at_ms=self._ms(frame.captured_at_s))
            yield frame

    async def commands(self) -> AsyncIterator[Command]:
        async for command in self._peer.commands():
            self.note(command)
            yield command

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker:
        return self._peer.new_speaker(on_phrase)

    def send(self, event: Event) -> None:
        self.note(event)
        self._peer.send(event)

    def look(self, unlike: ImageFrame | None) -> ImageFrame | None:
        frame = self._peer.camera.pick(unlike=unlike)
        if frame is not None:
            self.note(frame)
        return frame

    async def refreshed(self) -> bool:
        return await self._peer.camera.refreshed()

    def note(self, value: Event | Command | ImageFrame) -> None:
        self._tape.note(value, at_ms=self._ms(time.monotonic()))

    def close(self) -> None:
        self._tape.close()

    def _tell(self, is_on: bool) -> None:
        self._peer.send(RecordingChanged(is_on=is_on))

    def _ms(self, at_s: float) -> float:
        return 1_000 * (at_s - self._began_at_s)


class _RecordedCamera:
    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def pick(self, *, unlike: ImageFrame | None = None) -> ImageFrame | None:
        return self._recorder.look(unlike)

    async def refreshed(self) -> bool:
        return await self._recorder.refreshed()


def _header(config: Config, began_at: datetime) -> dict[str, Any]:
    """What one needs to know to make the same conversation again."""
    store = ModelStore(config.models.folder)
    models = {
        name: {file: about.sha256 for file, about in store.manifest(name).files.items()}
        for name in required_models(config)
    }
    return {
        "began_at": began_at.isoformat(timespec="milliseconds"),
        "parley": __version__,
        "settings": msgspec.to_builtins(config, enc_hook=str),
        "models": models,
    }
