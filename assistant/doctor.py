"""`assistant doctor`: what is installed, what is missing, and what to do about it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import ssl
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from rich.console import Console

from assistant import lan
from assistant.config import Config
from assistant.errors import ModelFileError
from assistant.loop_lag import LoopLag
from assistant.model_store import ModelStore, required_models

_PACKAGES = (
    "aiortc",
    "websockets",
    "faster-whisper",
    "llama-cpp-python",
    "opencv-python",
    "piper-tts",
)
_LAG_WATCH_S = 2.0
_GOOD_LAG_MS = 20.0


@dataclass(frozen=True, slots=True)
class Finding:
    is_good: bool
    text: str
    advice: str = ""
    is_serious: bool = True
    """Whether Parley cannot run until it is mended."""


def examine(config: Config) -> int:
    """Print one line for each thing looked at; exit status 1 when something serious is wrong."""
    console = Console(highlight=False)
    is_healthy = True
    for finding in _findings(config):
        sign = "[green]ok  [/]" if finding.is_good else "[red]bad [/]"
        if not finding.is_good and not finding.is_serious:
            sign = "[yellow]note[/]"
        console.print(sign, end=" ")
        console.print(finding.text, markup=False)
        if not finding.is_good and finding.advice:
            console.print(f"     {finding.advice}", markup=False)
        is_healthy &= finding.is_good or not finding.is_serious
    return 0 if is_healthy else 1


def _findings(config: Config) -> Iterator[Finding]:
    yield _python()
    for package in _PACKAGES:
        yield _package(package)
    yield from _models(config)
    yield _port(config)
    yield _tls(config)
    yield _cores()
    yield _memory()
    yield _disk(config)
    yield _devices()
    yield _loop_lag()


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    return Finding(sys.version_info >= (3, 11), f"Python {found}", "Parley needs 3.11 or newer.")


def _package(name: str) -> Finding:
    try:
        return Finding(True, f"{name} {version(name)}")
    except PackageNotFoundError:
        return Finding(False, f"{name} is not installed", "Run: make setup")


def _models(config: Config) -> Iterator[Finding]:
    store = ModelStore(config.models.folder)
    for model in required_models(config):
        try:
            store.verify(model)
            yield Finding(True, f"model {model}: intact")
        except ModelFileError as error:
            yield Finding(
                False,
                f"model {model}: {error}",
                f"Run: assistant models pull {model}",
                is_serious=model != config.voice.model,  # espeak-ng speaks meanwhile
            )


def _port(config: Config) -> Finding:
    host, port = config.server.host, config.server.port
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        if _is_parley(config):
            return Finding(True, f"{host} port {port}: Parley runs there")
        return Finding(
            False,
            f"{host} port {port}: {error.strerror}",
            "Stop what uses it, or choose another: --set server.port=8090",
        )
    return Finding(True, f"{host} port {port} is free")


def _is_parley(config: Config) -> bool:
    """Whether the program that holds our port answers as we do."""
    url = f"{lan.addresses(config.server, config.server.port)[0].partition('#')[0]}healthz"
    anything = ssl._create_unverified_context() if url.startswith("https") else None
    try:
        with urlopen(url, timeout=2, context=anything) as answer:
            return "ready" in json.load(answer)
    except HTTPError as answer:
        return answer.code == HTTPStatus.SERVICE_UNAVAILABLE
    except (OSError, ValueError):
        return False


def _tls(config: Config) -> Finding:
    certificate, key = config.server.tls_certificate, config.server.tls_key
    is_local = config.server.host in ("127.0.0.1", "localhost", "::1")
    if config.server.tls:
        return Finding(True, f"TLS certificate of our own in {config.server.state_folder}")
    if certificate == Path(""):
        return Finding(
            is_local,
            "no TLS: " + ("not needed on localhost" if is_local else "no microphone on the LAN"),
            "Browsers give a page a microphone on localhost or over https only: "
            "run assistant serve --tls, or set server.tls_certificate and server.tls_key.",
        )
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        return Finding(False, f"TLS: {certificate}: {error}", "Both have to be PEM files.")
    return Finding(True, f"TLS certificate {certificate}")


def _cores() -> Finding:
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0]
    return Finding(
        cores >= 2 and load < cores,
        f"{cores} cores, load {load:.1f}",
        "Something else is busy, or this machine is small: answers will be slow.",
        is_serious=False,
    )


def _memory() -> Finding:
    bytes_ = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Finding(
        bytes_ >= 4e9,
        f"memory {bytes_ / 1e9:.1f} GB",
        "Choose the tiny brain: --set brain.model=smollm2-135m-instruct",
        is_serious=False,
    )


def _disk(config: Config) -> Finding:
    free = shutil.disk_usage(config.models.folder).free if config.models.folder.exists() else 0
    return Finding(
        free >= 1e9, f"{free / 1e9:.0f} GB free for models", "Make room.", is_serious=False
    )


def _devices() -> Finding:
    """The microphone and the camera are the browser's; these are this machine's own."""
    sound = Path("/proc/asound/cards")
    has_sound = sound.exists() and "no soundcards" not in sound.read_text()
    cameras = sorted(path.name for path in Path("/dev").glob("video*"))
    return Finding(
        has_sound and bool(cameras),
        f"this machine: {'a' if has_sound else 'no'} sound card, "
        f"{', '.join(cameras) if cameras else 'no camera'}",
        "Fine when the browser is on another machine.",
        is_serious=False,
    )


def _loop_lag() -> Finding:
    lag = LoopLag()

    async def watch() -> None:
        with_limit = asyncio.wait_for(lag.watch(), _LAG_WATCH_S)
        try:
            await with_limit
        except TimeoutError:
            return

    asyncio.run(watch())
    return Finding(
        lag.p99_ms() <= _GOOD_LAG_MS,
        f"event loop lag P99 {lag.p99_ms():.1f} ms",
        "The machine is busy: speech may stutter.",
        is_serious=False,
    )
