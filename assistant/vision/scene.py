"""Camera frames to facts: the engine of the eyes. Runs in a worker process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Lock

import cv2
import numpy as np

from assistant.config import EyesConfig
from assistant.errors import EyesError
from assistant.types import ImageFrame, Scene, Sighting
from assistant.vision.colours import SKIN, colour_shares, conspicuous, standing_out
from assistant.vision.exposure import Light, focus, light
from assistant.vision.facts import MAX_TEXT_CHARACTERS, Seen, Thing, facts
from assistant.vision.framing import Pixels, as_jpeg, as_rgb, fit, thumbnail
from assistant.vision.objects import Box, DetectedObject, ObjectDetector
from assistant.vision.recent import RecentScenes
from assistant.vision.subject import SubjectClassifier
from assistant.vision.text import TextReader

_COLOUR_SIDE_PX = 160
"""Longer side of the copy whose colours are counted."""

_PREVIEW_SIDE_PX, _PREVIEW_QUALITY = 320, 75
"""Some 15 kB: a data channel takes 64 kB at a time."""

_MIN_AROUND = 0.1
"""Share of the picture that must lie around a thing to tell its colour from the background's."""

_MIDDLE = Box(left=0.25, top=0.25, right=0.75, bottom=0.75)
"""Where people hold what they show."""

_TRUST_IN_MIDDLE = 0.65
"""Without its surroundings a plain box passes for a laptop with 0.85, a cup scores 0.99."""


class SceneEngine:
    """Finds objects, reads text and names colours, one picture at a time."""

    def __init__(self, config: EyesConfig, detector_folder: Path, text_folder: Path) -> None:
        """Load the networks and run each once. Raises ModelFileError."""
        cv2.setNumThreads(config.threads)
        self._config = config
        self._objects = ObjectDetector(detector_folder)
        self._subject = SubjectClassifier(detector_folder, threads=config.threads)
        self._text = TextReader(text_folder, threads=config.threads)
        self._recent = RecentScenes()
        self._lock = Lock()
        self._see(_sign("WARM"))

    def look(self, frame: ImageFrame, image_side_px: int = 0) -> Scene:
        """What `frame` shows, and the frame itself where `image_side_px` says how large it may be.

        Raises EyesError for what is no picture.
        """
        try:
            with self._lock:
                whole = as_rgb(frame.pixels)
                is_enough = image_side_px and self._config.mode == "image"
                scene = Scene() if is_enough else self._scene(fit(whole, self._config.max_side_px))
                image = fit(whole, image_side_px) if image_side_px else None
                return replace(
                    scene,
                    image=None if image is None else replace(frame, pixels=image),
                    preview=as_jpeg(fit(whole, _PREVIEW_SIDE_PX), quality=_PREVIEW_QUALITY),
                    captured_at_s=frame.captured_at_s,
                )
        except (cv2.error, RuntimeError) as error:
            raise EyesError("the camera picture could not be looked at") from error

    def _scene(self, pixels: Pixels) -> Scene:
        """At once when the picture hardly differs from one of the last few."""
        small = thumbnail(pixels)
        scene = self._recent.find(small)
        if scene is None:
            seen = self._see(pixels)
            scene = Scene(facts=facts(seen), things=tuple(map(_sighting, seen.things)))
            self._recent.keep(small, scene)
        return scene

    def _see(self, pixels: Pixels) -> Seen:
        coarse = fit(pixels, _COLOUR_SIDE_PX)
        brightness, colours = light(pixels), colour_shares(coarse)
        if brightness is Light.BLACK:
            return Seen(light=brightness, colour_shares=colours)
        things = self._objects.find(pixels, min_confidence=self._config.min_confidence)
        view = pixels
        if things and all(thing.label == "person" for thing in things):
            view = np.ascontiguousarray(pixels[_MIDDLE.within(pixels)])
            things += self._shown(view)
        return Seen(
            light=brightness,
            focus=focus(pixels),
            things=tuple(
                Thing(
                    label=thing.label,
                    confidence=thing.confidence,
                    box=thing.box,
                    colours=_colours_of(thing, coarse),
                )
                for thing in things
            ),
            guesses=self._subject.guess(view),
            lines=tuple(self._text.read(pixels, max_characters=MAX_TEXT_CHARACTERS)),
            colour_shares=colours,
            middle_colour=conspicuous(
                colour_shares(coarse[_MIDDLE.within(coarse)]), _shares_around(_MIDDLE, coarse)
            ),
        )

    def _shown(self, middle: Pixels) -> list[DetectedObject]:
        """What a person shows: often too small for the detector in the whole picture."""
        closer = self._objects.find(
            middle, min_confidence=self._config.min_confidence / _TRUST_IN_MIDDLE
        )
        return [
            DetectedObject(
                label=thing.label,
                confidence=thing.confidence * _TRUST_IN_MIDDLE,
                box=_MIDDLE.part(thing.box.left, thing.box.top, thing.box.right, thing.box.bottom),
            )
            for thing in closer
            if thing.label != "person"
        ]


def _sighting(thing: Thing) -> Sighting:
    box = thing.box
    return Sighting(
        label=thing.label,
        confidence=thing.confidence,
        x=(box.left + box.right) / 2,
        y=(box.top + box.bottom) / 2,
    )


def _colours_of(thing: DetectedObject, pixels: Pixels) -> tuple[str, ...]:
    """Of a person, the colours of the clothes: what looks like skin may be a face or a hand."""
    is_person = thing.label == "person"
    core = (0.25, 0.5, 0.75, 0.9) if is_person else (1 / 6, 1 / 6, 5 / 6, 5 / 6)
    inside = colour_shares(pixels[thing.box.part(*core).within(pixels)])
    colours = standing_out(inside, _shares_around(thing.box, pixels))
    return tuple(word for word in colours if not (is_person and word in SKIN))


def _shares_around(box: Box, pixels: Pixels) -> dict[str, float]:
    """The colours of everything else; none when `box` fills the picture."""
    around = np.ones(pixels.shape[:2], bool)
    around[box.within(pixels)] = False
    return colour_shares(pixels[around]) if around.mean() >= _MIN_AROUND else {}


def _sign(words: str) -> Pixels:
    """A white picture with `words`, for which every network has something to do."""
    picture = np.full((480, 640, 3), 255, np.uint8)
    cv2.putText(picture, words, (40, 260), cv2.FONT_HERSHEY_SIMPLEX, 4, (0, 0, 0), 12)
    return picture
