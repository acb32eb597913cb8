"""Weights and vocabulary, through ctypes. Source: include/llama.h of llama.cpp."""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
from collections import deque
from pathlib import Path
from typing import Any

import llama_cpp
import llama_cpp.llama_cpp as llama

from assistant.errors import ModelFileError
from assistant.llm.prefix import Memory
from assistant.llm.text import THINK_TAGS

logger = logging.getLogger(__name__)

_ERROR = 4
"""GGML_LOG_LEVEL_ERROR."""

_errors: deque[str] = deque(maxlen=16)
"""What llama.cpp complained about: its log is process-wide, and its errors are only logged."""


@llama.llama_log_callback  # type: ignore[untyped-decorator]
def native_log(level: int, text: bytes, _: ctypes.c_void_p) -> None:
    """llama.cpp's log, to ours."""
    line = text.decode(errors="replace").strip()
    if level == _ERROR:
        _errors.append(line)
    if line.strip("."):
        logger.debug("%s", line)


def start_backend() -> None:
    """Load llama.cpp's backends and take its log. Harmless when done twice."""
    llama.llama_log_set(native_log, ctypes.c_void_p(0))
    llama.llama_backend_init()


def build_name() -> str:
    """Which llama.cpp this is: saved states of another one are not understood."""
    return f"{llama_cpp.__version__} {llama.llama_version().decode()}"


def forget_errors() -> None:
    """Before something is tried."""
    _errors.clear()


def first_error() -> str:
    """Why what was tried failed; the errors that follow only say that it did."""
    if not _errors:
        return "llama.cpp does not say why"
    _, _, reason = _errors[0].partition(": ")  # without the name of a function
    return reason.removeprefix("error loading model: ").removeprefix("error: ").splitlines()[0]


def _has_amx() -> bool:
    """Whether llama.cpp was built with AMX kernels. Those of GCC 12 crash: it drops the stores that
    `ldtilecfg` reads. The other weight layouts, faster but of the same switch, go with them.
    """
    return b"AMX_INT8 = 1" in llama.llama_print_system_info()


class Model:
    """Weights and vocabulary. Raises ModelFileError for a file that is none."""

    def __init__(self, path: Path, *, gpu_layers: int = 0) -> None:
        start_backend()
        parameters = llama.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        parameters.use_extra_bufts = not _has_amx()
        if not path.is_file():
            raise ModelFileError(f"{path} is missing: run `assistant models pull`")
        forget_errors()
        handle = llama.llama_model_load_from_file(os.fsencode(path), parameters)
        if not handle:
            raise ModelFileError(f"{path} is not a model that llama.cpp can run: {first_error()}")
        self.path = path
        self.handle = handle
        self._vocab: Any = llama.llama_model_get_vocab(handle)
        self.n_vocab = int(llama.llama_vocab_n_tokens(self._vocab))
        self.trained_context_tokens = int(llama.llama_model_n_ctx_train(handle))
        self.sliding_window = int(llama.llama_model_n_swa(handle))
        tags = {tag: self.tokenize(tag, parse_special=True) for tag in THINK_TAGS}
        self._tags = {tokens[0]: tag.encode() for tag, tokens in tags.items() if len(tokens) == 1}

    @property
    def memory(self) -> Memory:
        """How this model's cache may be taken back."""
        if llama.llama_model_is_recurrent(self.handle) or llama.llama_model_is_hybrid(self.handle):
            return Memory.RECURRENT
        return Memory.SLIDING if self.sliding_window else Memory.FULL

    @property
    def chat_template(self) -> str | None:
        """Jinja source, from the model's own metadata."""
        template = llama.llama_model_chat_template(self.handle, None)
        return template.decode() if template else None

    @property
    def bos(self) -> int | None:
        """The token that every prompt of this model begins with."""
        if not llama.llama_vocab_get_add_bos(self._vocab):
            return None
        return int(llama.llama_vocab_bos(self._vocab))

    @property
    def special_texts(self) -> dict[str, str]:
        """What chat templates call `bos_token` and `eos_token`."""
        tokens = {
            "bos_token": llama.llama_vocab_bos(self._vocab),
            "eos_token": llama.llama_vocab_eos(self._vocab),
        }
        return {name: self._text(token) for name, token in tokens.items() if token >= 0}

    def _text(self, token: int) -> str:
        return (llama.llama_vocab_get_text(self._vocab, token) or b"").decode(errors="replace")

    def tokenize(self, text: str, *, parse_special: bool) -> list[int]:
        """With `parse_special`, "<|im_end|>" is one token; without, the characters that it is."""
        encoded = text.encode(errors="replace")
        room = len(encoded) + 8
        tokens = (llama.llama_token * room)()
        n = llama.llama_tokenize(
            self._vocab, encoded, len(encoded), tokens, room, False, parse_special
        )
        assert n >= 0, "a token holds at least one byte"
        return list(tokens[:n])

    def piece(self, token: int) -> bytes:
        """The bytes of a token; nothing for control tokens other than the tags of reasoning."""
        if token in self._tags:
            return self._tags[token]
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            n = int(llama.llama_token_to_piece(self._vocab, token, buffer, room, 0, False))
            if n >= 0:
                return buffer.raw[:n]
            room = -n

    def ends_reply(self, token: int) -> bool:
        return bool(llama.llama_vocab_is_eog(self._vocab, token))

    def vocabulary_hash(self) -> bytes:
        """Equal for two models exactly when each token means the same to both."""
        digest = hashlib.blake2b(digest_size=16)
        for token in range(self.n_vocab):
            digest.update((llama.llama_vocab_get_text(self._vocab, token) or b"") + b"\0")
        return digest.digest()

    def fingerprint(self) -> bytes:
        return fingerprint(self.path)

    def close(self) -> None:
        llama.llama_model_free(self.handle)


def fingerprint(path: Path) -> bytes:
    """Tells files apart by size, time and both ends: a gigabyte is too much to hash at each start.

    The head of a GGUF file holds its metadata and vocabulary, the tail its last weights.
    """
    status = path.stat()
    digest = hashlib.blake2b(f"{status.st_size} {status.st_mtime_ns}".encode(), digest_size=16)
    with path.open("rb") as file:
        digest.update(file.read(1 << 20))
        file.seek(-min(status.st_size, 1 << 20), os.SEEK_END)
        digest.update(file.read())
    return digest.digest()
