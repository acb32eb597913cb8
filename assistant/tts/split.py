"""A Piper voice's VITS graph, cut in two: text to latent frames, latent frames to sound.

The first part is quick and needs the whole sentence. The second part costs nearly all the time and
is convolutional: any frame of sound depends on few latent frames around it, so it can run over a
sentence slice by slice. The cut is found by what VITS is, not by names: the durations are the
graph's only Ceil, the latent is the noise drawn after them, scaled and added to its mean.
(Kim et al. 2021, "Conditional Variational Autoencoder with Adversarial Learning for End-to-End
Text-to-Speech", section 2.2.)
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import onnx
import onnx.utils


class CannotSplitError(Exception):
    """The graph is not the VITS that we know."""


@dataclass(frozen=True, slots=True)
class Seam:
    """The tensors at which a graph is cut."""

    crossing: tuple[str, ...]
    """What the second part reads of the first: the latent, then masks and a speaker's embedding."""

    durations: str
    """Latent frames for each phoneme id; only for us to know what is said when."""


@dataclass(frozen=True, slots=True)
class SplitVoice:
    """Both parts, as ONNX files' bytes.

    The encoder gives the decoder's inputs by their names, and one output more: the durations.
    """

    encoder: bytes
    decoder: bytes


def split(voice: Path) -> SplitVoice:
    """Cut a voice. Raises CannotSplitError."""
    model = onnx.load(voice)
    seam = find_seam(model.graph)
    inputs = [tensor.name for tensor in model.graph.input]
    outputs = [tensor.name for tensor in model.graph.output]
    with tempfile.TemporaryDirectory() as name:
        encoder, decoder = Path(name, "encoder.onnx"), Path(name, "decoder.onnx")
        _extract(voice, encoder, inputs, [*seam.crossing, seam.durations])
        _extract(voice, decoder, seam.crossing, outputs)
        return SplitVoice(encoder.read_bytes(), decoder.read_bytes())


def find_seam(graph: onnx.GraphProto) -> Seam:
    """Raises CannotSplitError when the graph has no place that must be the one."""
    readers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            readers[name].append(node)
    durations = _only(
        (node.output[0] for node in graph.node if node.op_type == "Ceil"), "a tensor of durations"
    )
    after_durations = _downstream([durations], readers)
    noise = _only(
        (
            node.output[0]
            for node in graph.node
            if node.op_type == "RandomNormalLike" and node.output[0] in after_durations
        ),
        "noise after the durations",
    )
    latent = _scaled_and_added(noise, readers)
    decoded = _downstream([latent], readers)
    if graph.output[0].name not in decoded:
        raise CannotSplitError("the sound does not depend on the latent")
    varying = _downstream([tensor.name for tensor in graph.input], readers)
    crossing = {latent: None}
    for node in graph.node:
        if node.output[0] in decoded - {latent}:
            crossing |= {name: None for name in node.input if name in varying - decoded}
    return Seam(tuple(crossing), durations)


def _extract(voice: Path, part: Path, inputs: Iterable[str], outputs: Iterable[str]) -> None:
    try:
        onnx.utils.extract_model(voice, part, list(inputs), list(outputs), check_model=False)
    except ValueError as error:
        raise CannotSplitError(str(error)) from error


def _only(names: Iterable[str], what: str) -> str:
    found = list(names)
    if len(found) != 1:
        raise CannotSplitError(f"expected one place for {what}, found {len(found)}")
    return found[0]


def _downstream(names: list[str], readers: dict[str, list[onnx.NodeProto]]) -> set[str]:
    """Every tensor that depends on one of `names`, with these."""
    found, waiting = set(names), list(names)
    while waiting:
        for node in readers[waiting.pop()]:
            new = set(node.output) - found
            found |= new
            waiting.extend(new)
    return found


def _scaled_and_added(noise: str, readers: dict[str, list[onnx.NodeProto]]) -> str:
    """Follow `noise` through its factors to its sum with the mean: the latent."""
    tensor = noise
    while len(readers[tensor]) == 1 and readers[tensor][0].op_type in ("Mul", "Add"):
        node = readers[tensor][0]
        tensor = str(node.output[0])
        if node.op_type == "Add":
            return tensor
    raise CannotSplitError("the noise is not scaled and added to a mean")
