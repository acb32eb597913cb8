"""A real turn, as Prometheus and the dashboard see it."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import Any

import pytest
from playwright.async_api import expect
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.conftest import OpenBrowser, Server, question

pytestmark = [pytest.mark.models, pytest.mark.browser]


async def read(server: Server, path: str) -> str:
    def fetch() -> str:
        with urllib.request.urlopen(f"{server.url}{path}", timeout=5) as answer:
            return str(answer.read().decode())

    return await asyncio.to_thread(fetch)


async def metrics(server: Server) -> dict[str, float]:
    """Summed over their labels."""
    found: dict[str, float] = {}
    text = await read(server, "/metrics")
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[sample.name] = found.get(sample.name, 0.0) + sample.value
    return found


async def test_a_spoken_turn_is_counted_and_shown(
    open_browser: OpenBrowser, server: Server
) -> None:
    before = await metrics(server)
    async with open_browser(question("q01")) as browser:
        await browser.start()
        done = await browser.wait_for("response.done")
        said = done["response"]["output"][0]["content"][0]["transcript"]
        report: dict[str, Any] = json.loads(await read(server, "/v1/assistant/report"))
        turn = report["turns"][0]
        assert turn["voice_to_voice_ms"] > 0
        assert turn["stats"]["cached_tokens"] > 0
        assert said not in json.dumps(report)
        now = json.loads(await read(server, "/v1/assistant/now"))
        # Sessions of browsers that were closed just now may still be there.
        assert 1 in [session["n_turns"] for session in now["sessions"]]
        assert all(worker["memory_bytes"] > 1e7 for worker in now["vitals"]["workers"])
        page = await browser.page.context.new_page()
        await page.goto(f"{server.url}/dashboard")
        await expect(page.locator("#turn")).to_contain_text(turn["turn_id"])
        await expect(page.locator("#turns summary").first).to_be_visible()
        await expect(page.locator(".stair.whole")).to_be_visible()
    after = await metrics(server)

    def grown(name: str) -> float:
        return after[name] - before.get(name, 0.0)

    assert grown("parley_turns_total") >= 1
    assert grown("parley_voice_to_voice_seconds_count") >= 1
    assert grown("parley_stage_seconds_sum") == pytest.approx(
        grown("parley_voice_to_voice_seconds_sum"), rel=0.02
    )
    assert grown("parley_reply_tokens_total") > 0
