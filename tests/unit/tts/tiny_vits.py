"""A voice of a few kilobytes with the shape of a Piper VITS graph, made on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper
from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP

SAMPLE_RATE_HZ = 16_000
SAMPLES_PER_FRAME = 64

_CONSTANTS: dict[str, Any] = {
    "first": np.int64(0),
    "second": np.int64(1),
    "axis_0_1": np.array([0, 1]),
    "axis_1": np.array([1]),
    "axis_2": np.array([2]),
    "f0": np.float32(0),
    "f1": np.float32(1),
    "f4": np.float32(4),
    "f10": np.float32(10),
    "f100": np.float32(100),
    "speakers": np.linspace(-0.5, 0.5, 3, dtype=np.float32).reshape(3, 1, 1),
    "blur": np.full((1, 1, 9), 1 / 9, np.float32),
    "rise": np.sin(np.linspace(0, np.pi, 128, dtype=np.float32)).reshape(1, 1, 128),
}


def write_voice(folder: Path, *, n_speakers: int = 1, **kind: bool) -> None:
    onnx.save(make_model(n_speakers=n_speakers, **kind), folder / "voice.onnx")
    config = {
        "audio": {"sample_rate": SAMPLE_RATE_HZ},
        "espeak": {"voice": "en-us"},
        "phoneme_type": "espeak",
        "phoneme_id_map": DEFAULT_PHONEME_ID_MAP,
        "num_symbols": 256,
        "num_speakers": n_speakers,
        "hop_length": SAMPLES_PER_FRAME,
    }
    (folder / "voice.onnx.json").write_text(json.dumps(config))


def make_model(
    *, n_speakers: int = 1, has_noise: bool = True, is_local: bool = True
) -> onnx.ModelProto:
    """`has_noise`: there is a place to cut; `is_local`: a slice sounds as it does in the whole."""
    nodes = [*_encoder(has_noise), *_decoder(n_speakers > 1, is_local)]
    inputs = [
        helper.make_tensor_value_info("input", TensorProto.INT64, [1, "phonemes"]),
        helper.make_tensor_value_info("input_lengths", TensorProto.INT64, [1]),
        helper.make_tensor_value_info("scales", TensorProto.FLOAT, [3]),
    ]
    if n_speakers > 1:
        inputs.append(helper.make_tensor_value_info("sid", TensorProto.INT64, [1]))
    graph = helper.make_graph(
        nodes,
        "tiny",
        inputs,
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 1, 1, "time"])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in _CONSTANTS.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def _encoder(has_noise: bool) -> list[NodeProto]:
    """Ids to a latent in which each id lasts 10 to 14 frames."""
    node = helper.make_node
    return [
        node("Gather", ["scales", "first"], ["noise_scale"]),
        node("Gather", ["scales", "second"], ["length_scale"]),
        node("Cast", ["input"], ["float_ids"], to=TensorProto.FLOAT),
        node("Div", ["float_ids", "f100"], ["means"]),
        node("Mul", ["means", "f4"], ["variation"]),
        node("Add", ["variation", "f10"], ["lengths"]),
        node("Mul", ["lengths", "length_scale"], ["scaled_lengths"]),
        node("Ceil", ["scaled_lengths"], ["durations"]),
        node("CumSum", ["durations", "second"], ["ends"]),
        node("ReduceSum", ["durations"], ["n_frames"], keepdims=0),
        node("Range", ["f0", "n_frames", "f1"], ["frames"]),
        node("Unsqueeze", ["ends", "axis_2"], ["column"]),
        node("LessOrEqual", ["column", "frames"], ["is_over"]),
        node("Cast", ["is_over"], ["over"], to=TensorProto.INT64),
        node("ReduceSum", ["over", "axis_1"], ["owner"], keepdims=0),
        node("Gather", ["means", "owner"], ["mean"], axis=1),
        node("GreaterOrEqual", ["frames", "f0"], ["is_frame"]),
        node("Cast", ["is_frame"], ["flat_mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["flat_mask", "axis_0_1"], ["mask"]),
        node("RandomNormalLike" if has_noise else "Identity", ["mean"], ["noise"]),
        node("Mul", ["noise", "f1"], ["scaled_noise"]),
        node("Mul", ["scaled_noise", "noise_scale"], ["noise_part"]),
        node("Add", ["mean", "noise_part"], ["latent"]),
    ]


def _decoder(has_speakers: bool, is_local: bool) -> list[NodeProto]:
    node = helper.make_node
    voiced = "spoken" if has_speakers else "blurred"
    return [
        node("Mul", ["latent", "mask"], ["masked"]),
        node("Conv", ["masked", "blur"], ["blurred"], pads=[4, 4]),
        *([node("Gather", ["speakers", "sid"], ["speaker"])] if has_speakers else []),
        *([node("Add", ["blurred", "speaker"], ["spoken"])] if has_speakers else []),
        node("ReduceMean", [voiced], ["average"], axes=[2]),
        node(
            "Identity" if is_local else "Sub", [voiced] if is_local else [voiced, "average"], ["y"]
        ),
        node("Tanh", ["y"], ["bounded"]),
        node("ConvTranspose", ["bounded", "rise"], ["wave"], strides=[64], pads=[32, 32]),
        node("Unsqueeze", ["wave", "axis_1"], ["output"]),
    ]
