"""The scenes of the last few different pictures, so that nothing is looked at twice."""

from __future__ import annotations

from assistant.types import Scene
from assistant.vision.framing import Pixels, difference

_SAME_BELOW = 0.08
"""Camera noise, coding and a change of exposure stay below; one letter on a sign does not."""


class RecentScenes:
    """Scenes by how their pictures look. The least recently shown one is forgotten first."""

    def __init__(self, *, most: int = 8) -> None:
        self._most = most
        self._shown: list[tuple[Pixels, Scene]] = []

    def find(self, thumbnail: Pixels) -> Scene | None:
        """The scene of a picture that hardly differs."""
        for i, (shown, scene) in enumerate(self._shown):
            if difference(shown, thumbnail) < _SAME_BELOW:
                self._shown.append(self._shown.pop(i))
                return scene
        return None

    def keep(self, thumbnail: Pixels, scene: Scene) -> None:
        self._shown = [*self._shown, (thumbnail, scene)][-self._most :]
