"""A real Chromium in a network that lets no UDP through: the page finds another way by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, Route, async_playwright, expect

from assistant.bench.relay import Relay
from tests.e2e.conftest import PAGE, launch, write_microphone
from tests.e2e.test_reconnect import Counting

pytestmark = pytest.mark.browser

LOUDEST = """
async () => {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(document.getElementById("voice").srcObject).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  let loudest = 0;
  for (let n = 0; n < 100; n++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    analyser.getFloatTimeDomainData(samples);
    loudest = Math.max(loudest, ...samples);
  }
  return loudest;
}
"""


@asynccontextmanager
async def visiting(site: Counting, tmp_path: Path) -> AsyncGenerator[Page]:
    """The page has been started; whatever it sends over UDP is lost."""
    sound = write_microphone(tmp_path / "microphone.wav", None)
    async with site.open() as url, Relay() as relay, async_playwright() as playwright:
        relay.is_dark = True

        async def call(route: Route) -> None:
            link = await relay.link()
            answer = await route.fetch(post_data=link.hide(route.request.post_data or ""))
            await route.fulfill(response=answer, body=link.through(await answer.text()))

        chromium = await launch(
            playwright,
            f"--use-file-for-fake-audio-capture={sound}",
            "--autoplay-policy=no-user-gesture-required",
        )
        page = await (await chromium.new_context(locale="en-US")).new_page()
        mistakes = list[str]()
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        page.on(
            "console",
            lambda said: (
                mistakes.append(said.text) if "Content Security Policy" in said.text else None
            ),
        )
        await page.route("**/v1/realtime/calls", call)
        await page.goto(url)
        await page.click("#start")
        await expect(page.locator("body")).to_have_attribute(
            "data-state", "listening", timeout=30_000
        )
        yield page
        await chromium.close()
        assert mistakes == []


async def test_sound_goes_both_ways_over_a_websocket_and_the_page_says_why(tmp_path: Path) -> None:
    site = Counting(PAGE)
    async with visiting(site, tmp_path) as page:
        why = page.locator(".remark")
        await expect(why).to_contain_text("nothing got through to UDP 127.0.0.1:")
        await expect(why).to_contain_text("over a WebSocket instead")
        await expect(page.locator("#camera")).to_be_hidden()
        async with asyncio.timeout(30):
            while sum(site.n_frames) < 50:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await page.fill("#message", "Count!")
        await page.keyboard.press("Enter")
        await expect(page.locator(".row.assistant")).to_contain_text("1", timeout=30_000)
        assert await page.evaluate(LOUDEST) > 0.1


async def test_a_websocket_that_is_lost_is_made_again(tmp_path: Path) -> None:
    site = Counting(PAGE)
    async with visiting(site, tmp_path) as page:
        n_calls = len(site.n_frames)
        site.sockets[-1].hang_up()
        await expect(page.locator(".remark").last).to_contain_text("A new conversation")
        async with asyncio.timeout(30):
            while len(site.n_frames) == n_calls or site.n_frames[-1] < 50:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await expect(page.locator("#notice")).to_be_hidden()
