"""What the person shows during one turn: looked at when they begin, and again if it has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assistant.changes import changes
from assistant.errors import EyesError
from assistant.stages import Camera, Eyes
from assistant.types import ImageFrame, Scene

_AGO = "all this as it was a while ago"


class StillCamera:
    """Shows one picture for ever, or none."""

    def __init__(self, picture: ImageFrame | None) -> None:
        self._picture = picture

    def pick(self, *, unlike: ImageFrame | None = None) -> ImageFrame | None:
        return None if unlike is self._picture else self._picture

    async def refreshed(self) -> bool:
        return False


@dataclass(slots=True, kw_only=True)
class Gaze:
    """Looks when it is told to, one picture at a time, and keeps the newest scene."""

    camera: Camera
    eyes: Eyes
    image_side_px: int
    before: Scene | None
    """The scene of an earlier turn, to tell what has changed since."""

    looks_anew: bool = True
    """Or else that scene stands in for a look, where there is one."""

    on_seen: Callable[[Scene], None]
    on_failure: Callable[[EyesError], None]
    scene: Scene | None = field(init=False, default=None)
    _looking: asyncio.Task[None] | None = field(init=False, default=None)
    _frame: ImageFrame | None = field(init=False, default=None)
    _again: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        if not self.looks_anew and self.before is not None:
            self.camera = StillCamera(None)
            facts = tuple(fact for fact in self.before.facts if fact != _AGO)
            self.scene = replace(self.before, facts=facts and (*facts, _AGO), image=None)

    def look(self) -> None:
        """Begin to look, unless nothing has changed since the last look.

        While that is under way, what is shown by then is looked at after it.
        """
        if self._looking is not None and not self._looking.done():
            self._again = True
        elif (frame := self.camera.pick(unlike=self._frame)) is not None:
            self._looking = asyncio.create_task(self._look(frame), name="look")

    async def settled(self, within_ms: float | None = None) -> bool:
        """Wait until nothing is being looked at any more; False when that takes too long."""
        if self._looking is None:
            return True
        limit_s = None if within_ms is None else within_ms / 1_000
        done, _ = await asyncio.wait([self._looking], timeout=limit_s)
        return bool(done)

    def end(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    async def _look(self, frame: ImageFrame | None) -> None:
        if self._frame is None and await self.camera.refreshed():
            frame = self.camera.pick() or frame
        while frame is not None:
            self._frame, self._again = frame, False
            await self._see(frame)
            frame = self.camera.pick(unlike=frame) if self._again else None

    async def _see(self, frame: ImageFrame) -> None:
        try:
            scene = await self.eyes.look(frame, image_side_px=self.image_side_px)
        except EyesError as error:
            self.on_failure(error)
            return
        self.scene = replace(scene, facts=scene.facts + changes(self.before, scene))
        self.on_seen(self.scene)
