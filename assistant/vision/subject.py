"""What a picture is of, from a thousand names: EfficientNet-Lite3, trained on ImageNet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter  # type: ignore[import-untyped]
from numpy.typing import NDArray

from assistant.errors import ModelFileError
from assistant.vision.framing import Pixels, resize

_INPUT_PX = 280


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    label: str
    probability: float


class SubjectClassifier:
    """Not thread-safe: one picture at a time.

    Runs on LiteRT because OpenCV's importer refuses the network's quantised last layer.
    """

    def __init__(self, folder: Path, *, threads: int) -> None:
        """`folder` holds efficientnet_lite3.tflite and labels.txt. Raises ModelFileError."""
        network = folder / "efficientnet_lite3.tflite"
        try:
            lines = (folder / "labels.txt").read_text(encoding="utf-8").splitlines()
            with _unspoken():
                self._interpreter = Interpreter(model_path=str(network), num_threads=threads)
                self._interpreter.allocate_tensors()
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelFileError(f"{network} cannot be loaded: pull its model again") from error
        self._labels = tuple(line.split(",")[0].strip() for line in lines)
        self._input = self._interpreter.get_input_details()[0]["index"]
        self._output = self._interpreter.get_output_details()[0]["index"]

    def guess(self, pixels: Pixels) -> tuple[Guess, ...]:
        """The three likeliest names, the likeliest first.

        The mean over the whole picture and its middle square: a name that only one of them
        supports is seldom right.
        """
        height, width = pixels.shape[:2]
        side = min(height, width)
        top, left = (height - side) // 2, (width - side) // 2
        square = pixels[top : top + side, left : left + side]
        likely = (self._probabilities(pixels) + self._probabilities(square)) / 2
        return tuple(
            Guess(label=self._labels[i], probability=float(likely[i]))
            for i in np.argsort(-likely)[:3]
        )

    def _probabilities(self, pixels: Pixels) -> NDArray[np.float64]:
        """Shape (1000,)."""
        image = resize(pixels, _INPUT_PX, _INPUT_PX)
        self._interpreter.set_tensor(self._input, image[np.newaxis])
        self._interpreter.invoke()
        return np.asarray(self._interpreter.get_tensor(self._output)[0] / 256, np.float64)


@contextmanager
def _unspoken() -> Iterator[None]:
    """Without what LiteRT tells standard error, whatever its settings: a log may go there."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
