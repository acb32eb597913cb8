"""Pictures as cells, through mtmd (llama.cpp's tools/mtmd): encoded once, read from a cache.

Encoding takes an image through the projector's vision model and is slow; it runs on a thread of its
own. Reading puts the embeddings into the KV cache and belongs to the scheduler's thread.
"""

from __future__ import annotations

import ctypes
import logging
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as llama
import llama_cpp.mtmd_cpp as mtmd
import numpy as np
from numpy.typing import NDArray

from assistant.errors import BrainError, ModelFileError
from assistant.llm.context import Context, Decoded, Run
from assistant.llm.model import Model, fingerprint, first_error, forget_errors, native_log
from assistant.llm.prefix import Picture
from assistant.llm.threads import apart
from assistant.types import ImageFrame

logger = logging.getLogger(__name__)

_TYPICAL_SIZE = (640, 480)
"""Width and height for which the projector's limits are checked at load."""


class _Chunk:
    """A native chunk that we own: the layout of one tile, without its pixels."""

    def __init__(self, chunk: Any) -> None:
        self.handle = mtmd.mtmd_input_chunk_get_placeholder(chunk)

    def __del__(self) -> None:
        mtmd.mtmd_input_chunk_free(self.handle)


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One stretch of image embeddings."""

    chunk: _Chunk
    embeddings: NDArray[np.float32]
    """Flat: tokens times the model's embedding length."""

    n_positions: int


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """A picture as the brain reads it: tiles, and the text tokens that wrap them."""

    parts: tuple[list[int] | Tile, ...]

    @property
    def n_bytes(self) -> int:
        return sum(part.embeddings.nbytes for part in self.parts if isinstance(part, Tile))


class Projector:
    """An mmproj file: turns images into embeddings for one model.

    Raises ModelFileError when it is none, or one for another model.
    """

    def __init__(self, path: Path, model: Model, *, threads: int, use_gpu: bool) -> None:
        if not path.is_file():
            raise ModelFileError(f"{path} is missing: set brain.projector to an mmproj file")
        kind = _projector_type(path)
        if kind == "idefics3" and len(model.tokenize("\n\n", parse_special=False)) != 1:
            # mtmd would end the process
            raise ModelFileError(f"{path} is for a model that has a token for an empty line")
        mtmd.mtmd_log_set(native_log, None)
        mtmd.mtmd_helper_log_set(native_log, None)
        parameters = mtmd.mtmd_context_params_default()
        parameters.use_gpu = use_gpu
        parameters.n_threads = threads
        parameters.print_timings = False
        forget_errors()
        handle = mtmd.mtmd_init_from_file(os.fsencode(path), model.handle, parameters)
        if not handle:
            raise ModelFileError(f"{path} is no projector for {model.path}: {first_error()}")
        self.path = path
        self._handle = handle
        if not mtmd.mtmd_support_vision(handle):
            raise ModelFileError(f"{path} is a projector for sound, not for pictures")
        self._embedding_length = int(llama.llama_model_n_embd_inp(model.handle))
        self._counts: dict[tuple[int, int], tuple[int, int]] = {}

    @cached_property
    def batch_tokens(self) -> int:
        """What must fit into one batch: a whole tile where its tokens see each other, else 1."""
        if not mtmd.mtmd_decode_use_non_causal(self._handle, None):
            return 1
        chunks = _Chunks(self._handle, *_TYPICAL_SIZE, None)
        return max(int(mtmd.mtmd_input_chunk_get_n_tokens(chunk)) for chunk in chunks)

    def count(self, width: int, height: int) -> tuple[int, int]:
        """Positions and tokens of a picture of this size."""
        size = (width, height)
        if size not in self._counts:
            chunks = _Chunks(self._handle, width, height, None)
            self._counts[size] = (
                int(mtmd.mtmd_helper_get_n_pos(chunks.handle)),
                int(mtmd.mtmd_helper_get_n_tokens(chunks.handle)),
            )
        return self._counts[size]

    def encode(self, frame: ImageFrame) -> Encoded:
        """Slow. For one thread at a time. Raises BrainError."""
        height, width, _ = frame.pixels.shape
        parts = list[list[int] | Tile]()
        for chunk in _Chunks(self._handle, width, height, frame.pixels):
            if mtmd.mtmd_input_chunk_get_type(chunk) == mtmd.MTMD_INPUT_CHUNK_TYPE_TEXT:
                n = ctypes.c_size_t()
                tokens = mtmd.mtmd_input_chunk_get_tokens_text(chunk, ctypes.byref(n))
                assert tokens is not None
                parts.append([tokens[i] for i in range(n.value)])
            else:
                parts.append(self._encode_tile(chunk))
        return Encoded(tuple(parts))

    def _encode_tile(self, chunk: Any) -> Tile:
        n_tokens = int(mtmd.mtmd_input_chunk_get_n_tokens(chunk))
        if 1 < self.batch_tokens < n_tokens:
            raise BrainError(f"the picture is too large for the brain: {n_tokens} tokens at once")
        forget_errors()
        if mtmd.mtmd_encode_chunk(self._handle, chunk) != 0:
            raise BrainError(f"the picture could not be encoded: {first_error()}")
        n = n_tokens * self._embedding_length
        embeddings = mtmd.mtmd_get_output_embd(self._handle)
        return Tile(
            _Chunk(chunk),
            np.ctypeslib.as_array(embeddings, shape=(n,)).copy(),
            int(mtmd.mtmd_input_chunk_get_n_pos(chunk)),
        )

    def read(self, encoded: Encoded, context: Context, *, sequence: int, position: int) -> Decoded:
        """Put a picture into the KV cache; when it is not DONE, some of it may be there."""
        for part in encoded.parts:
            if isinstance(part, Tile):
                outcome = self._read_tile(part, context, sequence, position)
                position += part.n_positions
            else:
                outcome = _read_tokens(part, context, sequence, position)
                position += len(part)
            if outcome is not Decoded.DONE:
                return outcome
        return Decoded.DONE

    def _read_tile(self, tile: Tile, context: Context, sequence: int, position: int) -> Decoded:
        end = ctypes.c_int32(position)
        code = mtmd.mtmd_helper_decode_image_chunk(
            self._handle,
            context.handle,
            tile.chunk.handle,
            tile.embeddings.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
            position,
            sequence,
            context.batch_tokens,
            ctypes.byref(end),
            mtmd.mtmd_helper_post_decode_callback(0),
            None,
        )
        if code != 0 and context.is_aborting:
            return Decoded.ABORTED
        return Decoded(code) if code in (0, 1) else Decoded.FAILED

    def close(self) -> None:
        mtmd.mtmd_free(self._handle)


class Sight:
    """The pictures that were encoded, least recently used first to go, and those under way."""

    def __init__(self, projector: Projector, *, memory_mb: int) -> None:
        self._projector = projector
        self._room_bytes = memory_mb << 20
        self._encodings: OrderedDict[str, Future[Encoded]] = OrderedDict()
        self._guard = threading.Lock()
        self._encoder = ThreadPoolExecutor(1, thread_name_prefix="picture")

    def fingerprint(self) -> bytes:
        return fingerprint(self._projector.path)

    def picture(self, frame: ImageFrame) -> Picture:
        height, width, _ = frame.pixels.shape
        n_positions, n_tokens = self._projector.count(width, height)
        return Picture(key=frame.content_hash, n_positions=n_positions, n_tokens=n_tokens)

    def encoding(self, picture: Picture, frame: ImageFrame) -> Future[Encoded]:
        """The same for the same picture, as long as it is remembered."""
        with self._guard:
            future = self._encodings.get(picture.key)
            if future is None or (future.done() and future.exception()):
                future = self._encoder.submit(apart, lambda: self._projector.encode(frame))
                self._encodings[picture.key] = future
            self._encodings.move_to_end(picture.key)
        future.add_done_callback(lambda _: self._forget())
        return future

    def read(self, encoded: Encoded, context: Context, *, sequence: int, position: int) -> Decoded:
        return self._projector.read(encoded, context, sequence=sequence, position=position)

    def _forget(self) -> None:
        """Keep the newest that fit, and at least one."""
        with self._guard:
            total = 0
            for key, future in list(reversed(self._encodings.items())):
                total += _n_bytes(future)
                if total > self._room_bytes and len(self._encodings) > 1:
                    del self._encodings[key]

    def close(self) -> None:
        self._encoder.shutdown(cancel_futures=True)
        self._encodings.clear()
        self._projector.close()


def _n_bytes(encoding: Future[Encoded]) -> int:
    """0 while it is under way."""
    return encoding.result().n_bytes if encoding.done() and not encoding.exception() else 0


class _Chunks(Sequence[Any]):
    """What mtmd makes of an image: wrapper tokens and tiles. Without pixels, only their layout."""

    def __init__(
        self, projector: Any, width: int, height: int, pixels: NDArray[np.uint8] | None
    ) -> None:
        self.handle = mtmd.mtmd_input_chunks_init()
        data = None if pixels is None else np.ascontiguousarray(pixels)
        pointer = None if data is None else data.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        bitmap = mtmd.mtmd_bitmap_init(width, height, pointer)
        marker = mtmd.mtmd_default_marker()
        text = mtmd.mtmd_input_text(marker, len(marker), False, True)
        bitmaps = (mtmd.mtmd_bitmap_p_ctypes * 1)(bitmap)
        forget_errors()
        code = mtmd.mtmd_tokenize(projector, self.handle, ctypes.byref(text), bitmaps, 1)
        mtmd.mtmd_bitmap_free(bitmap)
        if code != 0:
            raise BrainError(f"the picture could not be prepared: {first_error()}")

    def __len__(self) -> int:
        return int(mtmd.mtmd_input_chunks_size(self.handle))

    def __getitem__(self, i: Any) -> Any:
        if i >= len(self):
            raise IndexError(i)
        return mtmd.mtmd_input_chunks_get(self.handle, i)

    def __del__(self) -> None:
        mtmd.mtmd_input_chunks_free(self.handle)


def _read_tokens(tokens: list[int], context: Context, sequence: int, position: int) -> Decoded:
    for i in range(0, len(tokens), context.batch_tokens):
        run = Run(sequence, position + i, tokens[i : i + context.batch_tokens])
        if (outcome := context.decode([run])) is not Decoded.DONE:
            return outcome
    return Decoded.DONE


def _projector_type(path: Path) -> str | None:
    """From the metadata at the head of a GGUF file: a key, type 8 (string), length, text."""
    with path.open("rb") as file:
        head = file.read(1 << 16)
    found = re.search(rb"clip\.(?:vision\.)?projector_type\x08\0\0\0(.{8})(\w{1,64})", head, re.S)
    if found is None:
        return None
    return found[2][: int.from_bytes(found[1], "little")].decode()
