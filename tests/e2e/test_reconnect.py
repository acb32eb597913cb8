"""The line between a real Chromium and a real server dies again and again; nobody notices much."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from playwright.async_api import Page, Route, async_playwright, expect

from assistant.bench.relay import Relay
from assistant.events import (
    ReplyEnded,
    ReplyStarted,
    ReplyStatus,
    ReplyWords,
    SayText,
    State,
    StateChanged,
)
from assistant.speaker import SAMPLE_RATE_HZ, Playout
from assistant.stages import Peer
from assistant.transport.peer import WebRtcPeer
from assistant.transport.translator import Translator
from assistant.types import AudioFrame
from tests.e2e.conftest import PAGE, launch, write_microphone
from tests.integration.test_serving import Site
from tests.unit.transport.webrtc_client import Sight, Tone

pytestmark = pytest.mark.browser

BEAT_S = 0.5


TAP = """
// Keeps what the listener hears of whichever line there is, as 16 kHz mono.
window.heardSamples = [];
const context = new AudioContext({ sampleRate: 16000 });
const tap = context.createScriptProcessor(4096, 1, 1);
tap.onaudioprocess = ({ inputBuffer }) =>
  heardSamples.push(...inputBuffer.getChannelData(0).map((x) => Math.round(x * 32767)));
tap.connect(context.destination);
let source = null;
const Original = window.RTCPeerConnection;
window.RTCPeerConnection = class extends Original {
  constructor(...options) {
    super(...options);
    this.addEventListener("track", ({ track }) => {
      source?.disconnect();
      source = context.createMediaStreamSource(new MediaStream([track]));
      source.connect(tap);
    });
  }
};
"""


class Counting(Site):
    """Whatever is typed, the answer is to count: a beep of 0.2 s in every half second."""

    n_sessions = 0
    n_words = 40

    def _new_caller(self) -> WebRtcPeer:
        return WebRtcPeer(
            playout=Playout(buffer_ms=1_000),
            camera=Sight(),
            translator=Translator(model="m", voice="v", instructions="i", max_reply_tokens=10),
            config=self.config,
        )

    async def _serve_call(self, peer: Peer) -> None:
        self.n_sessions += 1
        async with asyncio.TaskGroup() as tasks:
            hearing = tasks.create_task(super()._serve_call(peer))
            async for command in peer.commands():
                if isinstance(command, SayText):
                    await self._count(peer)
            await hearing

    async def _count(self, peer: Peer) -> None:
        peer.send(ReplyStarted(turn_id="turn_1", speaks=True))
        peer.send(StateChanged(state=State.SPEAKING))
        speaker = peer.new_speaker(
            lambda phrase: peer.send(ReplyWords(turn_id="turn_1", text=phrase))
        )
        speaker.open()
        n_samples = round(BEAT_S * SAMPLE_RATE_HZ)
        for n in range(self.n_words):
            beep = Tone(600).pull(n_samples)
            beep[round(0.2 * SAMPLE_RATE_HZ) :] = 0
            speaker.begin(f"{n} ")
            await speaker.play(
                AudioFrame(samples=beep, sample_rate_hz=SAMPLE_RATE_HZ, captured_at_s=0.0)
            )
        await speaker.drained()
        peer.send(
            ReplyEnded(turn_id="turn_1", status=ReplyStatus.COMPLETED, heard=speaker.spoken.text)
        )


class Visitor:
    """A Chromium whose calls go over a relay."""

    def __init__(self, page: Page, relay: Relay, site: Counting) -> None:
        self.page = page
        self.relay = relay
        self.site = site

    async def reach(self, route: Route) -> None:
        await (route.abort() if self.relay.is_dark else route.continue_())

    async def call(self, route: Route) -> None:
        """In a blackout HTTP is as dead as UDP."""
        if self.relay.is_dark:
            await route.abort()
            return
        link = await self.relay.link()
        answer = await route.fetch(post_data=link.hide(route.request.post_data or ""))
        await route.fulfill(response=answer, body=link.through(await answer.text()))

    async def black_out(self, seconds: float) -> float:
        """How long it took until the conversation went on, in seconds after the blackout."""
        self.relay.is_dark = True
        await asyncio.sleep(seconds)
        self.relay.is_dark = False
        began_at_s = time.monotonic()
        n_frames = sum(self.site.n_frames)
        async with asyncio.timeout(30):
            while sum(self.site.n_frames) < n_frames + 150:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await expect(self.page.locator("#notice")).to_be_hidden()
        return time.monotonic() - began_at_s - 150 / 50

    async def n_beeps(self) -> int:
        samples = np.abs(np.array(await self.page.evaluate("heardSamples"), np.int32))
        levels = samples[: len(samples) // 800 * 800].reshape(-1, 800).max(axis=1)
        is_beep = levels > 2_000
        return int(np.sum(is_beep[1:] & ~is_beep[:-1]))


@asynccontextmanager
async def visiting(site: Counting, tmp_path: Path) -> AsyncGenerator[Visitor]:
    sound = write_microphone(tmp_path / "microphone.wav", None)
    async with site.open() as url, Relay() as relay, async_playwright() as playwright:
        chromium = await launch(
            playwright,
            f"--use-file-for-fake-audio-capture={sound}",
            "--autoplay-policy=no-user-gesture-required",
        )
        context = await chromium.new_context(locale="en-US", bypass_csp=True)
        visitor = Visitor(await context.new_page(), relay, site)
        await visitor.page.add_init_script(TAP)
        await visitor.page.route("**/healthz", visitor.reach)
        await visitor.page.route("**/v1/realtime/calls", visitor.call)
        await visitor.page.goto(url)
        await visitor.page.click("#start")
        await expect(visitor.page.locator("body")).to_have_attribute("data-state", "listening")
        await visitor.page.fill("#message", "Count!")
        await visitor.page.keyboard.press("Enter")
        await expect(visitor.page.locator(".row.assistant")).to_contain_text("1")
        yield visitor
        await chromium.close()


async def counted_to_the_end(visitor: Visitor) -> None:
    """Every number stands in the captions once, and was heard once."""
    n_words = visitor.site.n_words
    numbers = " ".join(map(str, range(n_words)))
    words = visitor.page.locator(".row.assistant .words")
    await expect(words).to_have_text(numbers, timeout=60_000)
    await asyncio.sleep(1)
    assert await visitor.n_beeps() == pytest.approx(n_words, abs=1)
    assert visitor.site.n_sessions == 1


@pytest.mark.parametrize("blackout_s", [3, 12, 40])
async def test_the_count_goes_on_after_a_blackout(tmp_path: Path, blackout_s: float) -> None:
    site = Counting(PAGE)
    site.n_words = 20
    async with visiting(site, tmp_path) as visitor:
        assert await visitor.black_out(blackout_s) < 8
        await counted_to_the_end(visitor)


async def test_five_blackouts_in_a_row(tmp_path: Path) -> None:
    site = Counting(PAGE)
    site.n_words = 60
    async with visiting(site, tmp_path) as visitor:
        for _ in range(5):
            assert await visitor.black_out(6) < 8
        await counted_to_the_end(visitor)
