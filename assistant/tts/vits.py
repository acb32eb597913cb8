"""Phoneme ids to sound, a slice at a time, by a Piper voice in ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, Protocol

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from assistant.errors import VoiceError
from assistant.tts.split import SplitVoice

Samples = NDArray[np.float32]
"""Mono, in [-1, 1], at the voice's own rate. Shape (n_samples,)."""

CONTEXT_FRAMES = 28
"""Latent frames decoded on both sides of a slice and thrown away. With 16 the ends of slices are
off by up to half of full scale, with 24 by 0.3 %, with 28 by less than 0.1 %, with 34 by nothing
(en_US-joe-medium)."""

_SLICE_FRAMES = (16, 32, 192)
"""Latent frames (11.6 ms each) of the first slices, the last for all that follow. A slice takes
less than a third of the time that the sound before it lasts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a sentence is spoken."""

    length_scale: float
    """Longer is slower."""

    noise_scale: float
    duration_noise_scale: float
    """Both 0: the same sentence always sounds the same."""

    speaker_id: int | None = None
    """Of a voice with several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence whose length is known and whose sound is on its way."""

    n_samples: int
    id_ends: NDArray[np.float64]
    """For each phoneme id, the sample at which it has been said. Shape (n_ids,)."""

    slices: Iterator[Samples]


class StoppedError(Exception):
    """A run was ended by `stop`."""


class Vits(Protocol):
    def speak(self, ids: list[int], manner: Manner, stop: ort.RunOptions) -> Sentence:
        """Begin a sentence. `stop.terminate`, set by any thread, ends it with StoppedError.

        Raises VoiceError.
        """
        ...


class SlicedVits:
    """A voice that was split: its first sound needs the encoder and one short slice."""

    def __init__(self, parts: SplitVoice, *, samples_per_frame: int, threads: int) -> None:
        self._encoder = _session(parts.encoder, threads)
        self._decoder = _session(parts.decoder, threads)
        self._samples_per_frame = samples_per_frame
        self._crossing = [tensor.name for tensor in self._decoder.get_inputs()]
        outputs = [tensor.name for tensor in self._encoder.get_outputs()]
        self._durations = next(name for name in outputs if name not in self._crossing)

    def speak(self, ids: list[int], manner: Manner, stop: ort.RunOptions) -> Sentence:
        wanted = [*self._crossing, self._durations]
        *crossing, durations = _run(
            self._encoder, wanted, _inputs(self._encoder, ids, manner), stop
        )
        n_frames: int = crossing[0].shape[-1]
        return Sentence(
            n_samples=n_frames * self._samples_per_frame,
            id_ends=np.cumsum(durations, dtype=np.float64) * self._samples_per_frame,
            slices=self._slices(crossing, n_frames, stop),
        )

    def _slices(
        self, crossing: list[NDArray[Any]], n_frames: int, stop: ort.RunOptions
    ) -> Iterator[Samples]:
        for start, end in _spans(n_frames):
            first, last = max(0, start - CONTEXT_FRAMES), min(n_frames, end + CONTEXT_FRAMES)
            inputs = {
                name: tensor[..., first:last] if tensor.shape[-1] == n_frames else tensor
                for name, tensor in zip(self._crossing, crossing, strict=True)
            }
            samples = _run(self._decoder, None, inputs, stop)[0].reshape(-1)
            skipped = (start - first) * self._samples_per_frame
            yield samples[skipped : skipped + (end - start) * self._samples_per_frame]


class WholeVits:
    """A voice that cannot be split: nothing is heard before all of a sentence is computed."""

    def __init__(self, voice: bytes, *, threads: int) -> None:
        self._session = _session(voice, threads)

    def speak(self, ids: list[int], manner: Manner, stop: ort.RunOptions) -> Sentence:
        samples = _run(self._session, None, _inputs(self._session, ids, manner), stop)[0].reshape(
            -1
        )
        return Sentence(
            n_samples=len(samples),
            id_ends=np.linspace(0, len(samples), len(ids) + 1)[1:],
            slices=iter([samples]),
        )


def _spans(n_frames: int) -> Iterator[tuple[int, int]]:
    start = 0
    for size in chain(_SLICE_FRAMES, repeat(_SLICE_FRAMES[-1])):
        end = start + size
        if n_frames - end < _SLICE_FRAMES[0]:
            end = n_frames
        yield start, end
        if end == n_frames:
            return
        start = end


def _session(model: bytes, threads: int) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # A thread that spins while it has nothing to do takes its core from the brain.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's errors have no base of their own
        raise VoiceError(f"the voice cannot be loaded: {error}") from error


def _inputs(
    session: ort.InferenceSession, ids: list[int], manner: Manner
) -> dict[str, NDArray[Any]]:
    scales = (manner.noise_scale, manner.length_scale, manner.duration_noise_scale)
    inputs: dict[str, NDArray[Any]] = {
        "input": np.array([ids], np.int64),
        "input_lengths": np.array([len(ids)], np.int64),
        "scales": np.array(scales, np.float32),
        "sid": np.array([manner.speaker_id or 0], np.int64),
    }
    return {tensor.name: inputs[tensor.name] for tensor in session.get_inputs()}


def _run(
    session: ort.InferenceSession,
    outputs: Iterable[str] | None,
    inputs: dict[str, NDArray[Any]],
    stop: ort.RunOptions,
) -> list[NDArray[Any]]:
    try:
        return list(session.run(outputs and list(outputs), inputs, stop))
    except Exception as error:  # as above
        if stop.terminate:
            raise StoppedError from error
        raise VoiceError(f"the voice could not speak: {error}") from error
