from __future__ import annotations

import numpy as np
import pytest

from assistant.tts.sound import PhraseSound

RATE_HZ = 22_050


def voice(lead_ms: float, voiced_ms: float, tail_ms: float) -> np.ndarray:
    """Near-silence as a voice model makes it, a tone, near-silence."""
    noise = np.random.default_rng(1).normal(0, 4e-5, RATE_HZ * 10)
    n_lead, n_voiced, n_tail = (round(RATE_HZ * ms / 1_000) for ms in (lead_ms, voiced_ms, tail_ms))
    samples = noise[: n_lead + n_voiced + n_tail]
    samples[n_lead : n_lead + n_voiced] += 0.5 * np.sin(np.arange(n_voiced) * 0.1)
    return samples.astype(np.float32)


def shaped(samples: np.ndarray, *, slice_ms: float = 100, is_continued: bool = False) -> np.ndarray:
    sound = PhraseSound(RATE_HZ, gain=1, is_continued=is_continued)
    size = round(RATE_HZ * slice_ms / 1_000)
    starts = range(0, len(samples), size)
    return np.concatenate(
        [sound.shape(samples[s : s + size], last=s + size >= len(samples)) for s in starts]
    )


def silence_ms(pcm: np.ndarray) -> tuple[float, float]:
    """Before and after what is voiced."""
    voiced = np.flatnonzero(np.abs(pcm) > 300)
    return float(voiced[0] / 48), float((len(pcm) - voiced[-1]) / 48)


@pytest.mark.parametrize("lead_ms", [0, 5, 50, 350])
def test_at_most_10_ms_of_silence_come_first(lead_ms: float) -> None:
    lead, _ = silence_ms(shaped(voice(lead_ms, 500, 200)))
    assert lead <= 12


@pytest.mark.parametrize(("is_continued", "tail_ms"), [(False, 200), (True, 60)])
def test_the_pause_at_the_end_is_natural_or_short(is_continued: bool, tail_ms: float) -> None:
    _, tail = silence_ms(shaped(voice(50, 500, 200), is_continued=is_continued))
    assert tail == pytest.approx(tail_ms, abs=15)


def test_slices_make_the_same_sound_as_one() -> None:
    samples = voice(50, 800, 200)
    whole, slices = shaped(samples, slice_ms=2_000).astype(int), shaped(samples).astype(int)
    assert len(whole) == len(slices)
    assert np.abs(whole - slices).max() <= 1


@pytest.mark.parametrize("is_continued", [False, True])
def test_edges_begin_and_end_in_silence_whatever_is_there(is_continued: bool) -> None:
    pcm = shaped(voice(0, 500, 0), is_continued=is_continued).astype(int)
    steps = np.abs(np.diff(pcm, prepend=0, append=0))
    assert max(steps[0], steps[-1]) < 400
    assert steps.max() < 1_200  # the tone's own


@pytest.mark.parametrize("ms", [1, 100, 1_000])
def test_silence_alone_makes_no_sound(ms: float) -> None:
    assert len(shaped(voice(ms, 0, 0))) == 0


def test_a_shaped_sample_is_traced_to_the_voices_own() -> None:
    sound = PhraseSound(RATE_HZ, gain=1, is_continued=False)
    sound.shape(voice(50, 500, 0), last=True)
    assert sound.source_sample(0) == pytest.approx(0.040 * RATE_HZ, abs=30)
    assert sound.source_sample(4_800) == pytest.approx(0.140 * RATE_HZ, abs=30)
