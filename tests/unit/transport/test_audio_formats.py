"""PCM and G.711, against FFmpeg's."""

from __future__ import annotations

import av
import numpy as np
import pytest

from assistant.transport.audio_formats import AudioFormat
from assistant.types import Pcm

EVERY_SAMPLE = np.arange(-32_768, 32_768).astype(np.int16)
FFMPEG = {AudioFormat.MU_LAW: "pcm_mulaw", AudioFormat.A_LAW: "pcm_alaw"}


def ffmpeg_decode(codec: str, encoded: bytes) -> Pcm:
    decoder = av.CodecContext.create(codec, "r")
    assert isinstance(decoder, av.AudioCodecContext)
    decoder.sample_rate = 8_000
    decoder.layout = "mono"
    [frame] = decoder.decode(av.Packet(encoded))
    return np.asarray(frame.to_ndarray(), np.int16).reshape(-1)


@pytest.mark.parametrize("audio_format", list(FFMPEG))
def test_every_code_means_what_it_means_to_ffmpeg(audio_format: AudioFormat) -> None:
    codes = bytes(range(256))
    theirs = ffmpeg_decode(FFMPEG[audio_format], codes)
    assert np.array_equal(audio_format.decode(codes), theirs)


@pytest.mark.parametrize("audio_format", list(FFMPEG))
def test_every_sample_gets_the_nearest_code(audio_format: AudioFormat) -> None:
    levels = audio_format.decode(bytes(range(256))).astype(np.int32)
    decoded = audio_format.decode(audio_format.encode(EVERY_SAMPLE)).astype(np.int32)
    for sample in range(-32_768, 32_768, 97):
        error = abs(int(decoded[sample + 32_768]) - sample)
        assert error == np.abs(levels - sample).min()


@pytest.mark.parametrize(
    ("audio_format", "silence"), [(AudioFormat.MU_LAW, 0xFF), (AudioFormat.A_LAW, 0xD5)]
)
def test_silence_is_the_code_that_telephones_expect(
    audio_format: AudioFormat, silence: int
) -> None:
    assert audio_format.encode(np.array([1], np.int16)) == bytes([silence])


def test_pcm_is_little_endian() -> None:
    samples = np.array([1, -2, 32_767], np.int16)
    assert AudioFormat.PCM.encode(samples) == bytes([1, 0, 254, 255, 255, 127])
    assert np.array_equal(AudioFormat.PCM.decode(bytes([1, 0, 254, 255, 255, 127])), samples)
