"""What the store promises, whatever the source."""

from __future__ import annotations

import errno
import fcntl
import re
import shutil
import threading
from collections import namedtuple
from pathlib import Path

import pytest

from assistant.config_file import load
from assistant.errors import ModelFileError
from assistant.model_store import ModelStore, PullPhase, PullProgress, required_models
from assistant.shipped import shipped
from tests.unit.toy_model import FOLDER, LABELS, WEIGHTS, assert_whole, pull, store_of


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    """A store whose only source, a folder, has everything."""
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick/toy.gguf").write_bytes(WEIGHTS)
    (tmp_path / "stick/labels.txt").write_bytes(LABELS)
    return store_of(tmp_path, FOLDER)


def test_a_half_file_is_never_taken_for_a_whole_one(store: ModelStore) -> None:
    present: list[bool] = []
    store.pull("toy", lambda _: present.append(store.is_present("toy")))
    assert not any(present)
    assert store.is_present("toy")


def test_a_wrong_checksum_leaves_nothing_behind(store: ModelStore, tmp_path: Path) -> None:
    (tmp_path / "stick/toy.gguf").write_bytes(WEIGHTS[::-1])
    with pytest.raises(ModelFileError, match=r"SHA-256 of model\.gguf was wrong.*models pull toy"):
        pull(store)
    assert not list((tmp_path / "cache/toy").glob("model.gguf*"))
    assert (tmp_path / "cache/toy/labels.txt").read_bytes() == LABELS


def test_everything_works_offline_afterwards(store: ModelStore, tmp_path: Path) -> None:
    pull(store)
    shutil.rmtree(tmp_path / "stick")
    seen = pull(store)
    assert {progress.phase for progress in seen} == {PullPhase.CHECKING}
    assert_whole(store)


def test_missing_and_truncated_files_say_what_to_run(store: ModelStore, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"not here yet .* run `assistant models pull toy`"):
        store.folder("toy")
    pull(store)
    (tmp_path / "cache/toy/model.gguf").write_bytes(WEIGHTS[:100])
    with pytest.raises(ModelFileError, match=r"has 100 bytes, not 10,240.* `assistant models pull"):
        store.folder("toy")
    assert not store.is_present("toy")


def test_a_flipped_byte_is_found_and_only_its_file_fetched_again(
    store: ModelStore, tmp_path: Path
) -> None:
    pull(store)
    (tmp_path / "cache/toy/labels.txt").write_bytes(LABELS.upper())
    assert store.is_present("toy")
    with pytest.raises(ModelFileError, match=r"labels\.txt is wrong\): run"):
        store.verify("toy")
    (tmp_path / "stick/toy.gguf").unlink()
    pull(store)
    assert_whole(store)


def test_a_disk_without_room_is_noticed_before_anything_is_fetched(
    store: ModelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(100, 99, 2_000_000))
    with pytest.raises(ModelFileError, match=r"needs 67 MB and .* has 2 MB free: make room"):
        pull(store)
    assert not list((tmp_path / "cache/toy").glob("*.part"))


def test_a_disk_that_fills_up_meanwhile_is_named(store: ModelStore) -> None:
    def fill_up(progress: PullProgress) -> None:
        if progress.phase is PullPhase.FETCHING:
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ModelFileError, match=r"the disk of .* is full.*goes on from here"):
        store.pull("toy", fill_up)
    pull(store)
    assert_whole(store)


def test_a_second_puller_waits_and_finds_the_work_done(store: ModelStore, tmp_path: Path) -> None:
    pull(store)
    waiting = threading.Event()
    seen: list[PullPhase] = []

    def progress(progress: PullProgress) -> None:
        seen.append(progress.phase)
        if progress.phase is PullPhase.WAITING:
            waiting.set()

    with (tmp_path / "cache/toy/.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = threading.Thread(target=store.pull, args=("toy", progress))
        second.start()
        assert waiting.wait(10)
        assert seen == [PullPhase.WAITING]
    second.join(10)
    assert seen == [PullPhase.WAITING, PullPhase.CHECKING, PullPhase.CHECKING]


def test_an_unknown_id_is_answered_with_the_known_ones(store: ModelStore, tmp_path: Path) -> None:
    for model_id in ("toyota", "../toy"):
        with pytest.raises(ModelFileError, match=rf"no model '{model_id}'; there are toy$"):
            store.manifest(model_id)


@pytest.mark.parametrize(
    ("overrides", "ids"),
    [
        (
            [],
            "whisper-tiny.en smart-turn qwen2.5-coder-1.5b-instruct piper-en-us-joe-medium "
            "openpibo-detect rapidocr",
        ),
        (
            ["eyes.mode=off", "brain.draft_model=qwen2.5-coder-0.5b-instruct"],
            "whisper-tiny.en smart-turn qwen2.5-coder-1.5b-instruct qwen2.5-coder-0.5b-instruct "
            "piper-en-us-joe-medium",
        ),
    ],
)
def test_the_required_models_are_those_the_settings_name(overrides: list[str], ids: str) -> None:
    assert required_models(load(overrides=overrides)) == tuple(ids.split())


def test_manifests_of_ones_own_come_before_those_that_came_along(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    before = ModelStore(own)
    assert before.manifest("smart-turn") in before.manifests()
    text = (shipped("models") / "smart-turn.toml").read_text()
    (own / "smart-turn.toml").write_text(re.sub('summary = ".*"', 'summary = "Mine"', text))
    assert ModelStore(own).manifest("smart-turn").summary == "Mine"
    assert len(ModelStore(own).manifests()) == len(before.manifests())
