"""A real Chromium and a brain that calls tools: what the person sees of it, and is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page, async_playwright, expect

from assistant.agent.own_tool import own_tool
from assistant.config import Config, EyesConfig
from assistant.memory.memory import Memory
from tests.e2e.conftest import launch
from tests.e2e.household import Household
from tests.integration.test_serving import ON_A_FREE_PORT

pytestmark = pytest.mark.browser


def call(name: str, **arguments: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {json.dumps(arguments)}}}\n</tool_call>'


ANSWERS = {
    "it is watered": "There you are.",
    "it is dry": "It is dry.",
    "Water": call("water", plant="orchid"),
    "How is": call("look_at", plant="orchid"),
    "no": "As you like.",
}


class Orchid:
    def __init__(self) -> None:
        self.n_watered = 0
        self.is_looked_at = asyncio.Event()

    def water(self, plant: str) -> str:
        """Water a plant."""
        self.n_watered += 1
        return "it is watered"

    async def look_at(self, plant: str) -> str:
        """Look how a plant is."""
        await self.is_looked_at.wait()
        return "it is dry"


@asynccontextmanager
async def visiting(orchid: Orchid) -> AsyncGenerator[Page]:
    config = Config(server=ON_A_FREE_PORT, eyes=EyesConfig(mode="off"))
    tools = (
        own_tool(orchid.water, doing="watering", asks_first=True, has_effect=True),
        own_tool(orchid.look_at, doing="looking at the plant"),
    )
    async with Memory(config) as memory, async_playwright() as playwright:
        house = Household(config, memory, ANSWERS, tools)
        async with house.open() as url:
            browser = await launch(playwright)
            page = await (await browser.new_context(locale="en-US")).new_page()
            await page.goto(url)
            await page.click("#start")
            await expect(page.locator("body")).to_have_attribute("data-state", "listening")
            yield page
            await browser.close()


async def say(page: Page, text: str) -> None:
    await page.fill("#message", text)
    await page.keyboard.press("Enter")


async def test_what_changes_something_is_asked_about_first() -> None:
    orchid = Orchid()
    async with visiting(orchid) as page:
        answer = page.locator(".row.assistant .words").last
        await say(page, "Water the orchid.")
        await expect(answer).to_contain_text("Shall I do this")
        await expect(answer).to_contain_text("orchid")
        await expect(page.locator("body")).to_have_attribute("data-state", "listening")
        assert orchid.n_watered == 0
        await say(page, "no, leave it")
        await expect(answer).to_have_text("As you like.")
        await say(page, "Water the orchid.")
        await expect(answer).to_contain_text("Shall I do this")
        await expect(page.locator("body")).to_have_attribute("data-state", "listening")
        assert orchid.n_watered == 0
        await say(page, "yes")
        await expect(answer).to_have_text("There you are.")
        assert orchid.n_watered == 1
        await expect(page.locator(".remark")).to_have_text(["watering …"])


async def test_what_is_going_on_is_shown_and_said_while_it_is() -> None:
    orchid = Orchid()
    async with visiting(orchid) as page:
        await say(page, "How is the orchid?")
        await expect(page.locator(".remark")).to_have_text(["looking at the plant …"])
        answer = page.locator(".row.assistant .words")
        await expect(answer).to_contain_text("I am looking at the plant.")
        orchid.is_looked_at.set()
        await expect(answer).to_contain_text("It is dry.")
        await expect(answer).to_have_count(1)
