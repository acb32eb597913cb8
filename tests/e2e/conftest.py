"""A real server, a real Chromium: a WAV file as its microphone, a picture as its camera."""

from __future__ import annotations

import mimetypes
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
import soundfile
import soxr
from numpy.typing import NDArray
from playwright.async_api import Browser as Chromium
from playwright.async_api import Page, Playwright, Route, async_playwright

from assistant.asr.whisper import Ears
from assistant.audio_file import read_speech
from assistant.config import Config
from assistant.model_store import ModelStore
from assistant.types import Pcm

SERVER_START_S = 240
PAGE = Path(__file__).parents[2] / "client_web"
QUESTIONS = Path(__file__).parents[1] / "data" / "questions"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"

_TAP = """
// Keeps what the listener hears, as 16 kHz mono.
window.heardSamples = [];
const Original = window.RTCPeerConnection;
window.RTCPeerConnection = class extends Original {
  constructor(...options) {
    super(...options);
    this.addEventListener("track", ({ track }) => {
      if (track.kind !== "audio") return;
      const context = new AudioContext({ sampleRate: 16000 });
      const source = context.createMediaStreamSource(new MediaStream([track]));
      const tap = context.createScriptProcessor(4096, 1, 1);
      tap.onaudioprocess = ({ inputBuffer }) => {
        const samples = inputBuffer.getChannelData(0);
        window.heardSamples.push(...samples.map((x) => Math.round(x * 32767)));
      };
      source.connect(tap).connect(context.destination);
    });
  }
};
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    process: subprocess.Popen[bytes]

    def health(self) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "assistant", "serve", "--set", f"server.port={port}"],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONWARNINGS": "default"},
    )
    server = Server(f"http://127.0.0.1:{port}", process)
    give_up_at = time.monotonic() + SERVER_START_S
    while True:
        try:
            if server.health()[0] == 200:
                break
        except OSError:
            pass
        assert process.poll() is None, "the server ended"
        assert time.monotonic() < give_up_at, "the server never became ready"
        time.sleep(0.3)
    yield server
    process.terminate()
    assert process.wait(timeout=20) == 0


@dataclass(slots=True)
class Browser:
    """One page, and all that it was told over the data channel."""

    page: Page
    mistakes: list[str] = field(default_factory=list)

    async def start(self) -> None:
        await self.page.click("#start")

    async def events(self, kind: str) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = await self.page.evaluate(
            "kind => window.toldEvents.filter(e => e.type === kind)", kind
        )
        return told

    async def wait_for(self, kind: str, n: int = 1, *, timeout_s: float = 90) -> dict[str, Any]:
        """The `n`th event of a kind, once it has come."""
        await self.page.wait_for_function(
            "([kind, n]) => window.toldEvents.filter(e => e.type === kind).length >= n",
            arg=[kind, n],
            timeout=1_000 * timeout_s,
        )
        return (await self.events(kind))[n - 1]

    async def heard(self) -> Pcm:
        return np.array(await self.page.evaluate("window.heardSamples"), np.int16)


_LISTEN_IN = """
window.toldEvents = [];
const createDataChannel = RTCPeerConnection.prototype.createDataChannel;
RTCPeerConnection.prototype.createDataChannel = function (...options) {
  const channel = createDataChannel.apply(this, options);
  channel.addEventListener("message", ({ data }) => window.toldEvents.push(JSON.parse(data)));
  return channel;
};
"""


async def launch(playwright: Playwright, *arguments: str) -> Chromium:
    """Debian's Chromium with a microphone and a camera, and no question about them."""
    return await playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=[
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            "--no-sandbox",
            "--disable-gpu",
            *arguments,
        ],
    )


async def fulfill_page(route: Route) -> None:
    """Answers with a file of the page, as the server would."""
    file = PAGE / urlsplit(route.request.url).path.strip("/")
    file = file / "index.html" if file.is_dir() else file
    await route.fulfill(path=file, content_type=mimetypes.guess_type(file)[0])


OpenBrowser = Callable[..., AbstractAsyncContextManager[Browser]]


@pytest.fixture
def open_browser(server: Server, tmp_path: Path) -> OpenBrowser:
    """`async with open_browser(speech, picture) as browser`: the page is open, not yet started."""

    @asynccontextmanager
    async def open_page(
        speech: Pcm | None = None,
        picture: NDArray[np.uint8] | None = None,
        *,
        path: str = "/",
        locale: str = "en-US",
    ) -> AsyncIterator[Browser]:
        sound = write_microphone(tmp_path / "microphone.wav", speech)
        arguments = [
            f"--use-file-for-fake-audio-capture={sound}%noloop",
            "--autoplay-policy=no-user-gesture-required",
            "--disable-background-networking",
        ]
        if picture is not None:
            film = write_camera(tmp_path / "camera.mjpeg", picture)
            arguments.append(f"--use-file-for-fake-video-capture={film}")
        async with async_playwright() as playwright:
            chromium = await launch(playwright, *arguments)
            context = await chromium.new_context(locale=locale, bypass_csp=True)
            page = await context.new_page()
            browser = Browser(page)
            page.on("pageerror", lambda error: browser.mistakes.append(str(error)))
            await page.add_init_script(_LISTEN_IN + _TAP)
            await page.goto(server.url + path)
            yield browser
            await chromium.close()
            assert browser.mistakes == []

    return open_page


def write_microphone(file: Path, speech: Pcm | None) -> Path:
    """Two seconds in which the call is set up, then the speech, then a quiet room."""
    noise = np.random.default_rng(0).normal(0, 8, 16_000 * 60)
    samples = noise.astype(np.int16)
    if speech is not None:
        samples[32_000 : 32_000 + len(speech)] = speech
    wide = soxr.resample(samples.astype(np.float32) / 32_768, 16_000, 48_000)
    soundfile.write(file, wide, 48_000, subtype="PCM_16")
    return file


def write_camera(file: Path, picture: NDArray[np.uint8]) -> Path:
    """`picture`: shape (height, width, 3), RGB. A film of one second that Chromium repeats."""
    height, width = 480, 640
    scale = min(width / picture.shape[1], height / picture.shape[0])
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    canvas = np.full((height, width, 3), 128, np.uint8)
    canvas[: small.shape[0], : small.shape[1]] = small
    _, jpeg = cv2.imencode(".jpg", cv2.cvtColor(canvas, cv2.COLOR_RGB2BGR))
    file.write_bytes(jpeg.tobytes() * 5)
    return file


def question(name: str) -> Pcm:
    return read_speech(QUESTIONS / f"{name}.wav")


@pytest.fixture(scope="session")
def ears() -> Ears:
    """Somebody who listens to what the assistant says."""
    config = Config()
    store = ModelStore(config.models.folder)
    return Ears(
        config.ears, store.folder(config.ears.model), store.folder(config.ears.turn_end_model)
    )
