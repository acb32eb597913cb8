"""A vision-language pair of random weights, under 2 MB: every step of the real mtmd path.

What it says is noise, by design, and the same for the same seed. The brain is a two-layer llama
with a byte-level vocabulary; the projector is one of the kinds below.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

M_ROPE = "qwen2vl_merger"
"""Its pictures have fewer positions than tokens, and want a brain of kind "qwen2vl"."""

PROJECTORS = ("idefics3", "mlp", "gemma3", "lfm2", "internvl", M_ROPE)

_BRAIN = 64
"""Embedding length of the brain."""

_EYE = 32
"""Embedding length of the vision model."""

_IMAGE_PX, _PATCH_PX, _MERGE = 32, 8, 2
_LAYERS, _HEADS = 2, 2
_CONVOLUTION, _RANK, _STATE = 4, 4, 8
WINDOW = 24
"""Tokens that a sliding brain looks back to."""

_MERGES = {"\u010a \u010a": "\u010a\u010a", "t h": "th", "th e": "the", "i n": "in"}
"""An empty line must be one token: idefics3 ends the process without."""

_SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>"),
    # what mtmd writes around images
    *("<fake_token_around_image>", "<global-img>", "<row_1_col_1>", "<image>"),
    *("<start_of_image>", "<end_of_image>", "<|image_start|>", "<|image_end|>"),
    *("<img>", "</img>", "<|img_row_1_col_1|>", "<|img_thumbnail|>"),
)


def make_tiny_brain(
    target: Path,
    *,
    embedding_length: int = _BRAIN,
    extra_tokens: tuple[str, ...] = (),
    control_tokens: tuple[str, ...] = (),
    kind: str = "llama",
    seed: int = 0,
) -> None:
    """`kind`: "llama", "qwen2vl" with M-RoPE, "cohere2" with a sliding window, or "mamba",
    which is recurrent.
    """
    writer = gguf.GGUFWriter(target, kind)
    words = [*_bytes_as_letters(), *_MERGES.values(), *extra_tokens]
    tokens = [*words, *control_tokens, *_SPECIAL]
    _describe_brain(writer, tokens, embedding_length, n_words=len(words))
    weights = _Weights(seed)
    is_tied = kind == "cohere2"  # what it reads is also how it speaks: only faintly, or it repeats
    embedding = weights(len(tokens), embedding_length, spread=0.05 if is_tied else 1.0)
    writer.add_tensor("token_embd.weight", embedding)
    for i in range(_LAYERS):
        block, half = f"blk.{i}", embedding_length // 2
        writer.add_tensor(f"{block}.attn_norm.weight", _ones(embedding_length))
        if kind == "mamba":
            _write_state_space(writer, weights, block, embedding_length)
            continue
        writer.add_tensor(f"{block}.attn_q.weight", weights(embedding_length, embedding_length))
        writer.add_tensor(f"{block}.attn_k.weight", weights(half, embedding_length))
        writer.add_tensor(f"{block}.attn_v.weight", weights(half, embedding_length))
        writer.add_tensor(
            f"{block}.attn_output.weight", weights(embedding_length, embedding_length)
        )
        if kind != "cohere2":
            writer.add_tensor(f"{block}.ffn_norm.weight", _ones(embedding_length))
        writer.add_tensor(f"{block}.ffn_gate.weight", weights(128, embedding_length))
        writer.add_tensor(f"{block}.ffn_up.weight", weights(128, embedding_length))
        writer.add_tensor(f"{block}.ffn_down.weight", weights(embedding_length, 128))
    writer.add_tensor("output_norm.weight", _ones(embedding_length))
    if not is_tied:
        writer.add_tensor("output.weight", weights(len(tokens), embedding_length))
    _finish(writer)


def _write_state_space(
    writer: gguf.GGUFWriter, weights: _Weights, block: str, embedding_length: int
) -> None:
    inner = 2 * embedding_length
    writer.add_tensor(f"{block}.ssm_in.weight", weights(2 * inner, embedding_length))
    writer.add_tensor(f"{block}.ssm_conv1d.weight", weights(inner, _CONVOLUTION, spread=0.5))
    writer.add_tensor(f"{block}.ssm_conv1d.bias", weights(inner))
    writer.add_tensor(f"{block}.ssm_x.weight", weights(_RANK + 2 * _STATE, inner))
    writer.add_tensor(f"{block}.ssm_dt.weight", weights(inner, _RANK))
    writer.add_tensor(f"{block}.ssm_dt.bias", weights(inner))
    writer.add_tensor(f"{block}.ssm_a", -np.exp(weights(inner, _STATE)))
    writer.add_tensor(f"{block}.ssm_d", _ones(inner))
    writer.add_tensor(f"{block}.ssm_out.weight", weights(embedding_length, inner))


def make_tiny_projector(
    target: Path, kind: str, *, preprocessed_px: int = _IMAGE_PX, seed: int = 1
) -> None:
    """`kind`: one of `PROJECTORS`. idefics3 cuts larger images, scaled to this, into tiles."""
    writer = gguf.GGUFWriter(target, "clip")
    _describe_projector(writer, kind, preprocessed_px)
    weights = _Weights(seed)
    _write_eye(writer, kind, weights)
    merged = _EYE * _MERGE**2
    match kind:
        case "idefics3":
            writer.add_tensor("mm.model.fc.weight", weights(_BRAIN, merged))
        case "gemma3":
            writer.add_tensor("mm.input_projection.weight", weights(_EYE, _BRAIN))
            writer.add_tensor("mm.soft_emb_norm.weight", _ones(_EYE))
        case "mlp":
            _linear(writer, weights, "mm.0", _BRAIN, _EYE)
            _linear(writer, weights, "mm.2", _BRAIN, _BRAIN)
        case "qwen2vl_merger":
            writer.add_tensor("v.patch_embd.weight.1", weights(_EYE, 3, _PATCH_PX, _PATCH_PX))
            _linear(writer, weights, "mm.0", merged, merged)
            _linear(writer, weights, "mm.2", _BRAIN, merged)
        case "lfm2":
            _linear(writer, weights, "mm.1", _BRAIN, merged)
            _linear(writer, weights, "mm.2", _BRAIN, _BRAIN)
        case "internvl":
            _norm(writer, "mm.model.mlp.0", merged)
            _linear(writer, weights, "mm.model.mlp.1", _BRAIN, merged)
            _linear(writer, weights, "mm.model.mlp.3", _BRAIN, _BRAIN)
    _finish(writer)


def _describe_brain(
    writer: gguf.GGUFWriter, tokens: list[str], embedding_length: int, *, n_words: int
) -> None:
    writer.add_context_length(4_096)
    writer.add_embedding_length(embedding_length)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(128)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_layer_norm_eps(1e-5)
    writer.add_sliding_window(WINDOW)
    writer.add_logit_scale(1.0)
    writer.add_ssm_conv_kernel(_CONVOLUTION)
    writer.add_ssm_inner_size(2 * embedding_length)
    writer.add_ssm_state_size(_STATE)
    writer.add_ssm_time_step_rank(_RANK)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_sections([2, 3, 3, 0])
    writer.add_rope_dimension_count(embedding_length // 4)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    n_control = len(tokens) - n_words
    writer.add_token_types([gguf.TokenType.NORMAL] * n_words + [gguf.TokenType.CONTROL] * n_control)
    writer.add_token_merges(list(_MERGES))
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_pad_token_id(tokens.index("<|pad|>"))
    writer.add_add_bos_token(False)


def _describe_projector(writer: gguf.GGUFWriter, kind: str, preprocessed_px: int) -> None:
    writer.add_string("clip.projector_type", kind)
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.has_audio_encoder", False)
    writer.add_bool("clip.use_gelu", True)
    sizes = {
        "image_size": _IMAGE_PX,
        "patch_size": _PATCH_PX,
        "embedding_length": _EYE,
        "feed_forward_length": 2 * _EYE,
        "block_count": _LAYERS,
        "projection_dim": _BRAIN,
        "attention.head_count": _HEADS,
    }
    if kind != "mlp":
        sizes["projector.scale_factor"] = _MERGE
    if kind == "idefics3":
        sizes["preproc_image_size"] = preprocessed_px
    if kind == "internvl":
        sizes |= {"preproc_min_tiles": 1, "preproc_max_tiles": 1}
    for key, value in sizes.items():
        writer.add_uint32(f"clip.vision.{key}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)


def _write_eye(writer: gguf.GGUFWriter, kind: str, weights: _Weights) -> None:
    has_class_token = kind in ("mlp", "internvl")
    n_patches = (_IMAGE_PX // _PATCH_PX) ** 2
    writer.add_tensor("v.patch_embd.weight", weights(_EYE, 3, _PATCH_PX, _PATCH_PX))
    if kind != M_ROPE:
        writer.add_tensor("v.patch_embd.bias", weights(_EYE))
        writer.add_tensor("v.position_embd.weight", weights(n_patches + has_class_token, _EYE))
    if has_class_token:
        writer.add_tensor("v.class_embd", weights(_EYE))
    _norm(writer, "v.pre_ln" if kind == "mlp" else "v.post_ln", _EYE)
    for i in range(_LAYERS):
        block = f"v.blk.{i}"
        _norm(writer, f"{block}.ln1", _EYE)
        _norm(writer, f"{block}.ln2", _EYE)
        for layer in ("attn_q", "attn_k", "attn_v", "attn_out"):
            _linear(writer, weights, f"{block}.{layer}", _EYE, _EYE)
        _linear(writer, weights, f"{block}.ffn_up", 2 * _EYE, _EYE)
        _linear(writer, weights, f"{block}.ffn_down", _EYE, 2 * _EYE)
        if kind == "internvl":
            writer.add_tensor(f"{block}.ls1.weight", _ones(_EYE))
            writer.add_tensor(f"{block}.ls2.weight", _ones(_EYE))


class _Weights:
    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def __call__(self, *shape: int, spread: float = 0.08) -> Array:
        return (self._random.standard_normal(shape) * spread).astype(np.float32)


def _linear(writer: gguf.GGUFWriter, weights: _Weights, name: str, n_out: int, n_in: int) -> None:
    writer.add_tensor(f"{name}.weight", weights(n_out, n_in))
    writer.add_tensor(f"{name}.bias", weights(n_out))


def _norm(writer: gguf.GGUFWriter, name: str, length: int) -> None:
    writer.add_tensor(f"{name}.weight", _ones(length))
    writer.add_tensor(f"{name}.bias", np.zeros(length, np.float32))


def _ones(length: int) -> Array:
    return np.ones(length, np.float32)


def _finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _bytes_as_letters() -> list[str]:
    """GPT-2's 256 letters, one for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (byte for byte in range(256) if byte not in printable)
    letters = {byte: chr(byte) for byte in printable}
    letters |= {byte: chr(256 + i) for i, byte in enumerate(others)}
    return [letters[byte] for byte in range(256)]
