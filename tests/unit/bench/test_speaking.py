from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest

from assistant.bench.speaking import Listener, Reply
from assistant.types import AudioFrame


def frame(ms: float, level: int = 1_000, *, silent_ms: float = 0) -> AudioFrame:
    samples = np.full(int(48 * ms), level, np.int16)
    samples[: int(48 * silent_ms)] = 10
    return AudioFrame(samples=samples, sample_rate_hz=48_000, captured_at_s=0.0)


def test_silence_before_the_first_sound_is_waited_for() -> None:
    listener = Listener()
    listener.begin("Yes.")
    listener.hear(frame(80, 10), 5.0)
    assert listener.first_sound_at_s is None
    listener.hear(frame(80, silent_ms=30), 5.0)
    assert listener.first_sound_at_s == pytest.approx(5.11)


@pytest.mark.parametrize(
    ("phrase", "next_comes_at_s", "underruns", "pause_s"),
    [
        ("I can see", 1.05, 0, 0.0),
        ("I can see", 1.09, 1, 0.0),
        ("Yes.", 1.45, 0, 0.37),
        ("Yes.", 1.50, 1, 0.42),
    ],
)
def test_a_reply_may_draw_breath_between_sentences_only(
    phrase: str, next_comes_at_s: float, underruns: int, pause_s: float
) -> None:
    listener = Listener()
    listener.begin(phrase)
    listener.hear(frame(80), 1.0)
    listener.begin(" and so on")
    listener.hear(frame(80), next_comes_at_s)
    listener.hear(frame(80), next_comes_at_s + 0.08)
    assert listener.underruns == underruns
    assert listener.longest_pause_s == pytest.approx(pause_s)


async def test_a_reply_is_written_token_by_token_at_its_own_pace() -> None:
    reply = Reply("I can't. It's 42!")
    tokens = []
    async for token in reply.written():
        tokens.append(token)
        if len(tokens) == 3:
            await asyncio.sleep(
                0.4
            )  # whoever reads is slow: what was written meanwhile is there at once
    assert tokens == ["I", " can", "'t", ".", " It", "'s", " 4", "2", "!"]
    assert reply.first_token_at_s is not None
    assert time.monotonic() - reply.first_token_at_s >= 8 / 12
