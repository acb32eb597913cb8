from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.tts.phrase_cache import PhraseCache, phrase_key
from assistant.types import SpokenFrame

KEY = phrase_key("joe", 1.0, "Sorry.")


def frame(n_samples: int, said: int) -> SpokenFrame:
    samples = np.arange(n_samples, dtype=np.int16)
    return SpokenFrame(
        samples=samples, sample_rate_hz=48_000, captured_at_s=0.0, said_characters=said
    )


FRAMES = [frame(3_840, 0), frame(3_840, 3), frame(100, 6)]


@pytest.fixture
def cache(tmp_path: Path) -> PhraseCache:
    return PhraseCache(tmp_path / "phrases")


def test_what_was_kept_comes_back_frame_by_frame(cache: PhraseCache) -> None:
    cache.keep(KEY, FRAMES)
    kept = list(cache.frames(KEY) or ())
    assert [f.said_characters for f in kept] == [0, 3, 6]
    for ours, theirs in zip(kept, FRAMES, strict=True):
        assert ours.samples.dtype == np.int16
        assert np.array_equal(ours.samples, theirs.samples)


@pytest.mark.parametrize("other", [("jo", "e1.0", "Sorry."), ("joe", 1.5, "Sorry."), ("joe", 1.0)])
def test_another_voice_speed_or_text_has_another_key(other: tuple[object, ...]) -> None:
    assert phrase_key(*other) != KEY


def test_what_was_never_kept_is_not_there(cache: PhraseCache) -> None:
    assert cache.frames(KEY) is None


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(bytes(content))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def other_arrays(path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, samples=np.zeros(3), ends=[3], said=[1])


def an_object(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.array([{}], dtype=object))


@pytest.mark.parametrize("damage", [truncate, flip_a_bit, empty, other_arrays, an_object])
def test_a_damaged_entry_is_ignored_and_can_be_made_again(
    cache: PhraseCache, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    cache.keep(KEY, FRAMES)
    (path,) = (tmp_path / "phrases").iterdir()
    damage(path)
    assert cache.frames(KEY) is None
    cache.keep(KEY, FRAMES)
    assert len(list(cache.frames(KEY) or ())) == 3


def test_the_oldest_entries_go(tmp_path: Path) -> None:
    cache = PhraseCache(tmp_path, max_entries=3)
    for n in range(5):
        key = phrase_key(n)
        cache.keep(key, FRAMES)
        os.utime(tmp_path / f"{key}.npz", (n, n))
    assert [cache.frames(phrase_key(n)) is not None for n in range(5)] == [False, False] + [
        True
    ] * 3
    assert {path.suffix for path in tmp_path.iterdir()} == {".npz"}


def test_a_folder_that_cannot_be_written_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = PhraseCache(tmp_path / "file" / "phrases")
    cache.keep(KEY, FRAMES)
    assert cache.frames(KEY) is None
