"""Small networks on ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

from onnxruntime import InferenceSession, SessionOptions


def open_session(path: Path) -> InferenceSession:
    """One thread that sleeps between runs: nothing that waits may take time from the sound."""
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return InferenceSession(path, options, providers=["CPUExecutionProvider"])
