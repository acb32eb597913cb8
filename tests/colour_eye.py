"""A projector that sees colours, made on the spot for any brain: meaning without trained weights.

Four image tokens, one for each quarter of the picture, and each *is* the brain's own embedding of
a colour's name. It is a LLaVA projector (clip.projector_type = mlp) in closed form: the convolution
takes the mean colour of a quarter, the hidden layer finds the nearest corner of the RGB cube, the
last one looks up the word.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

CORNERS = {
    "red": (1, -1, -1),
    "green": (-1, 1, -1),
    "blue": (-1, -1, 1),
    "yellow": (1, 1, -1),
    "purple": (1, -1, 1),
    "cyan": (-1, 1, 1),
    "white": (1, 1, 1),
    "black": (-1, -1, -1),
}
"""Names of the corners of the RGB cube, each channel from -1 to 1."""

_PATCH_PX = 16
_WIDTH = 32
"""Length of the vision model's own embeddings."""

_STEEPNESS = 8.0


def make_colour_eye(model: Path, target: Path) -> None:
    """Write an mmproj file to `target` that fits the GGUF brain `model`."""
    reader = gguf.GGUFReader(model)
    names = reader.fields["tokenizer.ggml.tokens"].contents()
    (table,) = (tensor for tensor in reader.tensors if tensor.name == "token_embd.weight")

    def embedding(word: str) -> Array:
        i = names.index(f"\u0120{word}")  # with a space before it, in byte-level BPE
        row: Array = gguf.dequantize(table.data[i : i + 1], table.tensor_type)[0]
        return row.astype(np.float32)

    length = len(embedding("red"))
    writer = gguf.GGUFWriter(target, "clip")
    _describe(writer, length)
    _write_encoder(writer)
    _write_projector(writer, [embedding(word) for word in CORNERS], embedding("gray"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: gguf.GGUFWriter, brain_embedding_length: int) -> None:
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", True)
    sizes = {
        "image_size": 2 * _PATCH_PX,
        "patch_size": _PATCH_PX,
        "embedding_length": _WIDTH,
        "feed_forward_length": _WIDTH,
        "block_count": 1,
        "projection_dim": brain_embedding_length,
        "attention.head_count": 2,
    }
    for key, value in sizes.items():
        writer.add_uint32(f"clip.vision.{key}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)


def _write_encoder(writer: gguf.GGUFWriter) -> None:
    """The mean colour of each patch; LLaVA skips the last block, so its weights do not matter."""
    mean_colour = _zeros(_WIDTH, 3, _PATCH_PX, _PATCH_PX)
    for channel in range(3):
        mean_colour[channel, channel] = 1 / _PATCH_PX**2
    writer.add_tensor("v.patch_embd.weight", mean_colour)
    writer.add_tensor("v.position_embd.weight", _zeros(4, _WIDTH))
    for norm in ("ln1", "ln2"):
        writer.add_tensor(f"v.blk.0.{norm}.weight", np.ones(_WIDTH, np.float32))
        writer.add_tensor(f"v.blk.0.{norm}.bias", _zeros(_WIDTH))
    for layer in ("attn_q", "attn_k", "attn_v", "attn_out", "ffn_up", "ffn_down"):
        writer.add_tensor(f"v.blk.0.{layer}.weight", _zeros(_WIDTH, _WIDTH))
        writer.add_tensor(f"v.blk.0.{layer}.bias", _zeros(_WIDTH))


def _write_projector(writer: gguf.GGUFWriter, words: list[Array], gray: Array) -> None:
    hidden = _zeros(_WIDTH, _WIDTH)
    hidden_bias = np.full(_WIDTH, -50, np.float32)
    lookup = _zeros(len(gray), _WIDTH)
    for i, (corner, word) in enumerate(zip(CORNERS.values(), words, strict=True)):
        hidden[i, :3] = _STEEPNESS * np.array(corner)
        hidden_bias[i] = -1.2 * _STEEPNESS  # fires only near its corner
        lookup[:, i] = word / (1.8 * _STEEPNESS)
    always = len(words)  # a little gray everywhere, so that no image token is zero
    hidden_bias[always] = 0.15 * _STEEPNESS
    lookup[:, always] = 0.35 * gray / (0.15 * _STEEPNESS)
    writer.add_tensor("mm.0.weight", hidden)
    writer.add_tensor("mm.0.bias", hidden_bias)
    writer.add_tensor("mm.2.weight", lookup.astype(np.float16))
    writer.add_tensor("mm.2.bias", _zeros(len(gray)))


def _zeros(*shape: int) -> Array:
    return np.zeros(shape, np.float32)
