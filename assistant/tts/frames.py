"""A phrase's sound as the frames that travel, each with the words that it completes."""

from __future__ import annotations

import time
from collections.abc import Iterator

from assistant.tts.resample import OUTPUT_RATE_HZ
from assistant.tts.sound import PhraseSound
from assistant.tts.timing import WordClock
from assistant.tts.vits import Samples
from assistant.types import SpokenFrame
from assistant.worker_host import Leaving

FRAME_SAMPLES = OUTPUT_RATE_HZ * 80 // 1_000
"""The longest frame: words heard are known to 80 ms."""


def spoken_frames(
    phrase: str,
    slices: Iterator[tuple[Samples, bool]],
    *,
    sound: PhraseSound,
    clock: WordClock,
    leaving: Leaving,
) -> Iterator[SpokenFrame]:
    """`slices`: the voice's own sound of `phrase`, and of each whether it is the last."""
    n_sent = 0
    for samples, last in slices:
        shaped = sound.shape(samples, last=last)
        for start in range(0, len(shaped), FRAME_SAMPLES):
            if leaving.is_set():
                return
            piece = shaped[start : start + FRAME_SAMPLES]
            n_sent += len(piece)
            is_end = last and start + len(piece) == len(shaped)
            said = clock.said_characters(sound.source_sample(n_sent))
            yield SpokenFrame(
                samples=piece,
                sample_rate_hz=OUTPUT_RATE_HZ,
                captured_at_s=time.monotonic(),
                said_characters=len(phrase) if is_end else said,
            )
