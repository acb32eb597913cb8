"""Everyday objects and where they are: SSD-MobileNet-v2, trained on COCO."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from assistant.errors import ModelFileError
from assistant.vision.framing import Pixels

_INPUT_PX = 300
_SAME_PLACE = 0.6
"""Two boxes that share this much (intersection over union) are one thing with two names."""

_COCO = """
1 person, 2 bicycle, 3 car, 4 motorcycle, 5 airplane, 6 bus, 7 train, 8 truck, 9 boat,
10 traffic light, 11 fire hydrant, 13 stop sign, 14 parking meter, 15 bench, 16 bird, 17 cat,
18 dog, 19 horse, 20 sheep, 21 cow, 22 elephant, 23 bear, 24 zebra, 25 giraffe, 27 backpack,
28 umbrella, 31 handbag, 32 tie, 33 suitcase, 34 frisbee, 35 pair of skis, 36 snowboard, 37 ball,
38 kite, 39 baseball bat, 40 baseball glove, 41 skateboard, 42 surfboard, 43 tennis racket,
44 bottle, 46 wine glass, 47 cup, 48 fork, 49 knife, 50 spoon, 51 bowl, 52 banana, 53 apple,
54 sandwich, 55 orange, 56 broccoli, 57 carrot, 58 hot dog, 59 pizza, 60 donut, 61 cake, 62 chair,
63 couch, 64 potted plant, 65 bed, 67 dining table, 70 toilet, 72 TV, 73 laptop, 74 mouse,
75 remote control, 76 keyboard, 77 cell phone, 78 microwave, 79 oven, 80 toaster, 81 sink,
82 refrigerator, 84 book, 85 clock, 86 vase, 87 pair of scissors, 88 teddy bear, 89 hair dryer,
90 toothbrush
"""
"""The categories of COCO by their number, which has gaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A part of a picture, in shares of its width and height from the left upper corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return max(0.0, self.right - self.left) * max(0.0, self.bottom - self.top)

    def overlap(self, other: Box) -> float:
        """Intersection over union: 0 (apart) to 1 (the same)."""
        shared = Box(
            left=max(self.left, other.left),
            top=max(self.top, other.top),
            right=min(self.right, other.right),
            bottom=min(self.bottom, other.bottom),
        ).area
        return shared / max(self.area + other.area - shared, 1e-9)

    def part(self, left: float, top: float, right: float, bottom: float) -> Box:
        """The part of this box that is given in shares of its own width and height."""
        width, height = self.right - self.left, self.bottom - self.top
        return Box(
            left=self.left + left * width,
            top=self.top + top * height,
            right=self.left + right * width,
            bottom=self.top + bottom * height,
        )

    def within(self, pixels: Pixels) -> tuple[slice, slice]:
        """The rows and columns of `pixels` that are inside; at least one of each."""
        height, width = pixels.shape[:2]
        top, left = min(int(self.top * height), height - 1), min(int(self.left * width), width - 1)
        bottom, right = round(self.bottom * height), round(self.right * width)
        return slice(top, max(top + 1, bottom)), slice(left, max(left + 1, right))


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedObject:
    label: str
    confidence: float
    box: Box


class ObjectDetector:
    """Not thread-safe: one picture at a time."""

    def __init__(self, folder: Path) -> None:
        """`folder` holds ssd_mobilenet.pb and ssd_mobilenet.pbtxt. Raises ModelFileError."""
        graph, description = folder / "ssd_mobilenet.pb", folder / "ssd_mobilenet.pbtxt"
        try:
            self._network = cv2.dnn.readNetFromTensorflow(str(graph), str(description))
        except cv2.error as error:
            raise ModelFileError(f"{graph} cannot be loaded: pull its model again") from error
        numbered = (entry.strip().split(" ", 1) for entry in _COCO.split(","))
        self._labels = {int(number): label for number, label in numbered}

    def find(self, pixels: Pixels, *, min_confidence: float) -> list[DetectedObject]:
        """The surest first."""
        self._network.setInput(cv2.dnn.blobFromImage(pixels, size=(_INPUT_PX, _INPUT_PX)))
        rows = np.asarray(self._network.forward(), np.float64)[0, 0]
        found: list[DetectedObject] = []
        for _, number, confidence, *corners in sorted(rows.tolist(), key=lambda row: -row[2]):
            left, top, right, bottom = (min(max(corner, 0.0), 1.0) for corner in corners)
            box = Box(left=left, top=top, right=right, bottom=bottom)
            if (
                confidence >= min_confidence
                and int(number) in self._labels
                and all(box.overlap(other.box) < _SAME_PLACE for other in found)
            ):
                label = self._labels[int(number)]
                found.append(DetectedObject(label=label, confidence=confidence, box=box))
        return found
