"""A real Chromium and a real server: the browser's console has nothing to complain about."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, async_playwright, expect

from assistant.config import Config
from assistant.loop_lag import LoopLag
from assistant.monitoring.monitor import Monitor, monitoring
from assistant.stages import Peer
from assistant.transport.monitoring import monitoring_routes
from tests.e2e.conftest import PAGE, launch
from tests.integration.test_serving import ON_A_FREE_PORT, Site

pytestmark = pytest.mark.browser


class Watched(Site):
    """With the dashboard's routes."""

    def __init__(self, monitor: Monitor) -> None:
        routes = monitoring_routes(
            metrics=monitor.metrics.expose,
            report=monitor.dashboard.report,
            now=monitor.dashboard.now,
        )
        super().__init__(PAGE, ON_A_FREE_PORT, routes)
        self._monitor = monitor

    async def _serve_call(self, peer: Peer) -> None:
        with self._monitor.live.one_more(peer):
            await super()._serve_call(peer)


async def test_nothing_is_complained_about_from_start_to_stop_and_on_the_dashboard() -> None:
    complaints = list[str]()

    def listen_to(page: Page) -> None:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(f"{said.text} {said.location}")
                if said.type in ("error", "warning")
                else None
            ),
        )
        page.on(
            "response",
            lambda answer: (
                complaints.append(f"{answer.status} {answer.request.method} {answer.url}")
                if answer.status >= 400
                else None
            ),
        )

    with monitoring(Config(), LoopLag()) as monitor:
        site = Watched(monitor)
        async with site.open() as url, async_playwright() as playwright:
            chromium = await launch(playwright)
            context = await chromium.new_context(locale="en-US")
            context.on("page", listen_to)
            page = await context.new_page()
            await page.goto(url)
            for _ in range(3):
                await page.click("#start")
                await expect(page.locator("body")).to_have_attribute("data-state", "listening")
                async with page.expect_response("**/v1/realtime/calls/*"):
                    await page.click("#start")
            await page.click("#start")
            await expect(page.locator("body")).to_have_attribute("data-state", "listening")
            async with context.expect_page() as opened:
                await page.click("#panel a")
            dashboard = await opened.value
            await expect(dashboard.locator("#sessions code")).to_have_count(1)
            await page.click("#start")
            await expect(dashboard.locator("#sessions")).to_have_text("nobody")
            await dashboard.goto(f"{url}/dashboard")
            await expect(dashboard.locator("#sessions")).to_have_text("nobody")
            await chromium.close()
    assert complaints == []
