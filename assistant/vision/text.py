"""Written words in a picture: PP-OCRv4, which knows English and Chinese.

Two networks. The first marks, on a small copy of the picture, where there are lines of text
(M. Liao and others, "Real-time scene text detection with differentiable binarization", 2020); the
second reads each of them from the full picture, one character for every eight pixels of width.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from assistant.errors import ModelFileError
from assistant.vision.framing import Pixels, resize

_FIND_AREA_PX = 736 * 552
"""Size of the copy in which lines are looked for: about 0.1 s on one core, whatever its shape."""

_MAX_ENLARGEMENT = 2.0
_MARKED_ABOVE = 0.3
_MIN_REGION_SCORE = 0.4
"""Mean of the marks inside a region. Bent lines of a held page score from 0.45."""

_GROWTH = 1.6
"""Marks are of shrunken lines: grown by this, times area over circumference."""

_MIN_LINE_HEIGHT_PX = 8
_READ_HEIGHT_PX = 48
_MAX_LINE_WIDTH_PX = 1_600
_MAX_LINES = 32

_HAN = re.compile(r"[\u3400-\u9fff]")
_CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
"""Han characters and full-width punctuation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    text: str
    confidence: float
    """Mean over its characters, 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Region:
    """A turned rectangle in the picture around one line of text."""

    x: float
    y: float
    """Its centre, pixels."""

    width: float
    """Along the line."""

    height: float
    angle: float
    """Radians, clockwise; from -pi/2 to pi/2."""


class TextReader:
    """Not thread-safe: one picture at a time."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        """`folder` holds det.onnx and rec.onnx. Raises ModelFileError."""
        self._finder = _load(folder / "det.onnx", threads=threads)
        self._reader = _load(folder / "rec.onnx", threads=threads)
        characters = self._reader.get_modelmeta().custom_metadata_map["character"].splitlines()
        self._characters = ("", *characters, " ")

    def read(self, pixels: Pixels, *, max_characters: int) -> list[Line]:
        """Lines in reading order, sure or not, until `max_characters` have been read."""
        lines: list[Line] = []
        for region in self._find(pixels):
            lines.append(self._read_line(_straighten(pixels, region)))
            max_characters -= len(lines[-1].text)
            if max_characters < 0:
                break
        return lines

    def _find(self, pixels: Pixels) -> list[_Region]:
        """In reading order."""
        height, width = pixels.shape[:2]
        scale = min(math.sqrt(_FIND_AREA_PX / (height * width)), _MAX_ENLARGEMENT)
        small = resize(pixels, *(max(32, round(n * scale / 32) * 32) for n in (width, height)))
        marks = self._finder.run(None, {"x": _as_input(small)})[0][0, 0]
        marked = cv2.dilate((marks > _MARKED_ABOVE).astype(np.uint8), np.ones((2, 2), np.uint8))
        outlines, _ = cv2.findContours(marked, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        across, down = width / small.shape[1], height / small.shape[0]
        regions = []
        for outline in sorted(outlines, key=cv2.contourArea, reverse=True)[:_MAX_LINES]:
            rectangle = cv2.minAreaRect(outline)
            (x, y), (w, h), degrees = rectangle
            if min(w, h) < 3 or _mean_inside(marks, rectangle) < _MIN_REGION_SCORE:
                continue
            growth = _GROWTH * w * h / (w + h)
            w, h = w + growth, h + growth
            if w < h:
                w, h, degrees = h, w, degrees - 90
            angle = math.radians((degrees + 90) % 180 - 90)
            if h * down >= _MIN_LINE_HEIGHT_PX:
                regions.append(_Region(x * across, y * down, w * across, h * down, angle))
        return _in_reading_order(regions)

    def _read_line(self, line: Pixels) -> Line:
        """Greedy CTC: the likeliest character of every step, without repeats and blanks."""
        steps = self._reader.run(None, {"x": _as_input(line)})[0][0]
        best = steps.argmax(axis=1)
        is_new = (best > 0) & (best != np.concatenate(([0], best[:-1])))
        if not is_new.any():
            return Line(text="", confidence=0)
        text = "".join(self._characters[i] for i in best[is_new])
        if not _HAN.search(text):  # full-width brackets and commas belong to Chinese only
            text = unicodedata.normalize("NFKC", text)
        return Line(text=" ".join(text.split()), confidence=float(steps.max(axis=1)[is_new].mean()))


def joined(lines: Iterable[str], *, max_characters: int) -> str:
    """Lines as one text, with an ellipsis where it is cut. Chinese is joined without spaces."""
    text = ""
    for line in lines:
        is_chinese = _CHINESE.match(text[-1:]) and _CHINESE.match(line)
        text += line if is_chinese or not text else f" {line}"
    return text if len(text) <= max_characters else f"{text[: max_characters - 1].rstrip()}…"


def _load(network: Path, *, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # every width of line would keep a block of its own
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            str(network), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # ONNX Runtime's errors have no common base class
        raise ModelFileError(f"{network} cannot be loaded: pull its model again") from error


def _as_input(pixels: Pixels) -> NDArray[np.float32]:
    """Shape (1, 3, height, width) from -1 to 1. The networks were trained on BGR."""
    planes = pixels[..., ::-1].transpose(2, 0, 1)[np.newaxis].astype(np.float32)
    return planes / np.float32(127.5) - np.float32(1)


def _mean_inside(marks: NDArray[np.float32], rectangle: cv2.typing.RotatedRect) -> float:
    corners = np.round(cv2.boxPoints(rectangle)).astype(np.int32)
    left, top = np.maximum(corners.min(axis=0), 0)
    right, bottom = corners.max(axis=0) + 1
    part = marks[top:bottom, left:right]
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(mask, [corners - (left, top)], (1,))
    return cv2.mean(part, mask)[0]


def _straighten(pixels: Pixels, region: _Region) -> Pixels:
    """The line alone, level, `_READ_HEIGHT_PX` high.

    Cubic interpolation: with linear the reader loses spaces between small words.
    """
    finer = max(1, int(region.height / _READ_HEIGHT_PX))
    height = _READ_HEIGHT_PX
    width = min(max(16, round(height * region.width / region.height)), _MAX_LINE_WIDTH_PX)
    along = np.array((math.cos(region.angle), math.sin(region.angle))) * region.width / 2
    across = np.array((-math.sin(region.angle), math.cos(region.angle))) * region.height / 2
    corner = np.array((region.x, region.y)) - along - across
    turn = cv2.getAffineTransform(
        np.array((corner, corner + 2 * along, corner + 2 * across), np.float32),
        np.array(((0, 0), (width * finer, 0), (0, height * finer)), np.float32),
    )
    line = cv2.warpAffine(
        pixels,
        turn,
        (width * finer, height * finer),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return resize(np.asarray(line, np.uint8), width, height)


def _in_reading_order(regions: list[_Region]) -> list[_Region]:
    """Row by row down the page, which may be held at an angle; left to right in each row."""
    if not regions:
        return []
    tilt = float(np.median([region.angle for region in regions]))

    def across(region: _Region) -> float:
        return region.x * math.cos(tilt) + region.y * math.sin(tilt)

    def down(region: _Region) -> float:
        return region.y * math.cos(tilt) - region.x * math.sin(tilt)

    rows: list[list[_Region]] = []
    for region in sorted(regions, key=down):
        if rows and down(region) - down(rows[-1][-1]) < 0.5 * region.height:
            rows[-1].append(region)
        else:
            rows.append([region])
    return [region for row in rows for region in sorted(row, key=across)]
