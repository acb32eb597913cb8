"""A voice as its folder holds it, with what is made from it once and kept beside it.

* voice.onnx, voice.onnx.json                            the Piper voice
* split-encoder.onnx, split-decoder.onnx, split.json     made here

split.json is written last and holds the checksums of all three graphs: what is missing, half
written or made from another voice is made again.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort

from assistant.errors import VoiceError
from assistant.tts.loudness import loudness_lufs
from assistant.tts.phonemes import Phonemizer, read_config
from assistant.tts.split import CannotSplitError, SplitVoice, split
from assistant.tts.vits import Manner, Samples, SlicedVits, Vits, WholeVits
from assistant.tts.whole_file import write_whole

logger = logging.getLogger(__name__)

_PROBE = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10."
"""Can be read aloud in every language."""

_STILL = Manner(length_scale=1, noise_scale=0, duration_noise_scale=0)
_MAX_ERROR = 0.005
"""Of full scale, between a voice in slices and the same voice as a whole."""


@dataclass(frozen=True, slots=True)
class OpenVoice:
    phonemizer: Phonemizer
    vits: Vits
    loudness_lufs: float
    checksum: str
    """The same for the same voice only."""


@dataclass(frozen=True, slots=True)
class _Findings:
    """What is found out once about a voice."""

    parts: SplitVoice | None
    """None when it cannot be split."""

    loudness_lufs: float
    checksum: str


def open_voice(folder: Path, *, threads: int) -> OpenVoice:
    """Load a voice; the first time, split and measure it, which takes a few seconds.

    Raises VoiceError.
    """
    phonemizer = Phonemizer(read_config(folder / "voice.onnx.json"))
    voice_file = folder / "voice.onnx"
    try:
        voice = voice_file.read_bytes()
    except OSError as error:
        raise VoiceError(f"{voice_file} cannot be read; run `assistant models pull`") from error
    findings = _read(folder, voice)
    if findings is None:
        findings = _find_out(voice_file, voice, phonemizer)
        _keep(folder, findings)
    vits: Vits
    if findings.parts is None:
        vits = WholeVits(voice, threads=threads)
    else:
        hop = phonemizer.config.hop_length
        vits = SlicedVits(findings.parts, samples_per_frame=hop, threads=threads)
    return OpenVoice(phonemizer, vits, findings.loudness_lufs, findings.checksum)


def _find_out(voice_file: Path, voice: bytes, phonemizer: Phonemizer) -> _Findings:
    try:
        whole = _speak_probe(WholeVits(voice, threads=1), phonemizer)
    except VoiceError as error:
        raise VoiceError(f"{voice_file} is no Piper voice, or is damaged: {error}") from error
    loudness = loudness_lufs(whole, phonemizer.config.sample_rate)
    try:
        parts = split(voice_file)
        vits = SlicedVits(parts, samples_per_frame=phonemizer.config.hop_length, threads=1)
        sliced = _speak_probe(vits, phonemizer)
        if sliced.shape != whole.shape or np.abs(sliced - whole).max() > _MAX_ERROR:
            raise CannotSplitError("in slices it sounds different")
    except (CannotSplitError, VoiceError) as error:
        logger.warning("%s is spoken sentence by sentence: %s", voice_file, error)
        parts = None
    return _Findings(parts, loudness, _checksum(voice, parts))


def _speak_probe(vits: Vits, phonemizer: Phonemizer) -> Samples:
    slices = [
        samples
        for phonemes in phonemizer.sentences(_PROBE)
        for samples in vits.speak(phonemizer.ids(phonemes), _STILL, ort.RunOptions()).slices
    ]
    if not slices:
        raise VoiceError("the voice cannot read numbers")
    return np.concatenate(slices)


def _read(folder: Path, voice: bytes) -> _Findings | None:
    """What was kept; None when that is not whole, or about another voice."""
    try:
        record = json.loads((folder / "split.json").read_text(encoding="utf-8"))
        parts = None
        if record["is_split"]:
            parts = SplitVoice(
                encoder=(folder / "split-encoder.onnx").read_bytes(),
                decoder=(folder / "split-decoder.onnx").read_bytes(),
            )
        checksum = _checksum(voice, parts)
        if record["checksum"] == checksum:
            return _Findings(parts, float(record["loudness_lufs"]), checksum)
    except (OSError, ValueError, KeyError, TypeError):
        pass  # never made, or damaged
    return None


def _keep(folder: Path, findings: _Findings) -> None:
    parts = findings.parts
    record = {
        "is_split": parts is not None,
        "checksum": findings.checksum,
        "loudness_lufs": findings.loudness_lufs,
    }
    try:
        if parts is not None:
            write_whole(folder / "split-encoder.onnx", parts.encoder)
            write_whole(folder / "split-decoder.onnx", parts.decoder)
        write_whole(folder / "split.json", json.dumps(record, indent=1).encode())
    except OSError as error:
        logger.warning("the split voice cannot be kept, the next start is slower: %s", error)


def _checksum(voice: bytes, parts: SplitVoice | None) -> str:
    digest = hashlib.sha256(voice)
    if parts is not None:
        digest.update(parts.encoder)
        digest.update(parts.decoder)
    return digest.hexdigest()
