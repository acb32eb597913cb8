"""A BERT encoder's weights (safetensors) as an ONNX graph: token ids to one vector for the text.

Devlin et al. 2018, "BERT", for the network; Reimers and Gurevych 2019, "Sentence-BERT", for the
vector: the mean over the tokens, of length 1.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

_OPSET = 20
_IR_VERSION = 9


def read_safetensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """The float tensors of a file. Raises OSError; ValueError about a file of another kind."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    if not 8 < start <= len(content):
        raise ValueError("its header does not fit")
    tensors = {}
    for name, entry in json.loads(content[8:start]).items():
        if entry.get("dtype") == "F32":
            begin, end = (start + offset for offset in entry["data_offsets"])
            flat = np.frombuffer(content[begin:end], np.float32)
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def build_graph(weights: dict[str, NDArray[np.float32]], *, n_heads: int) -> bytes:
    """`ids` and `mask`, int64 of shape (n_texts, n_tokens), to `vectors` (n_texts, width).

    Raises KeyError about a weight that is missing.
    """
    graph = _Graph(weights)
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    n_layers = 1 + max(int(name.split(".")[2]) for name in weights if ".layer." in name)

    words = graph.add("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids")
    length = graph.add("Slice", graph.add("Shape", "ids"), *map(graph.ints, ([1], [2])))
    places = graph.add(
        "Slice",
        graph.weight("embeddings.position_embeddings.weight"),
        graph.ints([0]),
        length,
        graph.ints([0]),
    )
    kind = graph.constant(weights["embeddings.token_type_embeddings.weight"][0])
    x = graph.normed(
        graph.add("Add", graph.add("Add", words, places), kind), "embeddings.LayerNorm"
    )

    seen = graph.add("Cast", "mask", to=TensorProto.FLOAT)
    blind = graph.add("Mul", graph.add("Sub", seen, graph.floats(1.0)), graph.floats(10_000.0))
    blind = graph.add("Unsqueeze", blind, graph.ints([1, 2]))
    for n in range(n_layers):
        layer = f"encoder.layer.{n}"
        heard = graph.attention(x, blind, f"{layer}.attention.self", width, n_heads)
        told = graph.linear(heard, f"{layer}.attention.output.dense")
        x = graph.normed(graph.add("Add", x, told), f"{layer}.attention.output.LayerNorm")
        wide = graph.add("Gelu", graph.linear(x, f"{layer}.intermediate.dense"))
        told = graph.linear(wide, f"{layer}.output.dense")
        x = graph.normed(graph.add("Add", x, told), f"{layer}.output.LayerNorm")

    weighted = graph.add("Mul", x, graph.add("Unsqueeze", seen, graph.ints([2])))
    # The mean's own factor goes away with the length.
    mean = graph.add("ReduceSum", weighted, graph.ints([1]), keepdims=0)
    graph.add("LpNormalization", mean, axis=1, p=2, output="vectors")
    return graph.model(width)


@dataclass(slots=True)
class _Graph:
    """Nodes are added in order; each is known by the name of its output."""

    weights: dict[str, NDArray[np.float32]]
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    tensors: list[onnx.TensorProto] = field(default_factory=list)

    def add(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, values: NDArray[np.float32] | NDArray[np.int64]) -> str:
        name = f"constant_{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def ints(self, values: list[int]) -> str:
        return self.constant(np.array(values, np.int64))

    def floats(self, value: float) -> str:
        return self.constant(np.array(value, np.float32))

    def weight(self, name: str) -> str:
        return self.constant(self.weights[name])

    def linear(self, x: str, name: str) -> str:
        multiplied = self.add("MatMul", x, self.constant(self.weights[f"{name}.weight"].T))
        return self.add("Add", multiplied, self.weight(f"{name}.bias"))

    def normed(self, x: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)

    def attention(self, x: str, blind: str, name: str, width: int, n_heads: int) -> str:
        """`blind`: added to the scores, so that padding is not attended to."""
        shape = self.ints([0, 0, n_heads, width // n_heads])

        def heads(which: str, perm: list[int]) -> str:
            split = self.add("Reshape", self.linear(x, f"{name}.{which}"), shape)
            return self.transposed(split, perm)

        query, value = heads("query", [0, 2, 1, 3]), heads("value", [0, 2, 1, 3])
        scores = self.add("MatMul", query, heads("key", [0, 2, 3, 1]))
        scale = self.floats((width // n_heads) ** -0.5)
        shares = self.add("Softmax", self.add("Add", self.add("Mul", scores, scale), blind))
        mixed = self.transposed(self.add("MatMul", shares, value), [0, 2, 1, 3])
        return self.add("Reshape", mixed, self.ints([0, 0, width]))

    def transposed(self, x: str, perm: list[int]) -> str:
        return self.add("Transpose", x, perm=perm)

    def model(self, width: int) -> bytes:
        def tokens(name: str) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, TensorProto.INT64, ["n_texts", "n_tokens"])

        vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n_texts", width])
        graph = helper.make_graph(
            self.nodes, "encoder", [tokens("ids"), tokens("mask")], [vectors], self.tensors
        )
        opset = [helper.make_opsetid("", _OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=_IR_VERSION)
        return bytes(model.SerializeToString())
