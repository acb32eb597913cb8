"""A real Chromium, a real server and a brain that reads off: who comes back is known, until they
want to be forgotten."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from assistant.config import Config, EyesConfig
from assistant.config_answers import MemoryConfig
from assistant.memory.memory import Memory
from assistant.memory.seal import VARIABLE
from tests.e2e.conftest import free_port, launch
from tests.e2e.household import Household
from tests.integration.test_serving import ON_A_FREE_PORT

pytestmark = pytest.mark.browser

ANSWERS = {"My name": "Hello, Anna.", "What is my name": "Anna it is."}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Always at the same address, as which a browser knows its own storage."""
    monkeypatch.delenv(VARIABLE, raising=False)
    return Config(
        server=replace(ON_A_FREE_PORT, port=free_port()),
        memory=MemoryConfig(keep="encrypted", folder=tmp_path / "kept"),
        eyes=EyesConfig(mode="off"),
    )


@asynccontextmanager
async def running(config: Config) -> AsyncGenerator[tuple[Household, str]]:
    """A server, from its start to its stop."""
    async with Memory(config) as memory:
        house = Household(config, memory, ANSWERS)
        async with house.open() as url:
            yield house, url


@asynccontextmanager
async def chromium() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        yield browser
        await browser.close()


async def start(page: Page) -> None:
    await page.click("#start")
    await expect(page.locator("body")).to_have_attribute("data-state", "listening")


async def ask(page: Page, text: str, answer: str) -> None:
    await page.fill("#message", text)
    await page.keyboard.press("Enter")
    await expect(page.locator(".row.assistant .words").last).to_have_text(answer)
    await expect(page.locator("body")).to_have_attribute("data-state", "listening")


async def download(page: Page, form: str) -> str:
    async with page.expect_download() as begun:
        await page.click(f"[data-format={form}]")
    path = await (await begun.value).path()
    return path.read_text("utf-8")


async def test_who_comes_back_is_known_until_they_delete_it(config: Config) -> None:
    async with chromium() as browser:
        anna = await (await browser.new_context(locale="en-US")).new_page()
        async with running(config) as (_, url):
            await anna.goto(url)
            await start(anna)
            await expect(anna.locator("#kept")).to_contain_text("30 days, encrypted")
            await ask(anna, "My name is Anna.", "Hello, Anna.")
            await expect(anna.locator(".remark")).to_have_count(0)
            await anna.click("#start")

        async with running(config) as (house, url):  # after a restart
            await start(anna)
            await expect(anna.locator(".remark")).to_contain_text("Continues from ")
            await ask(anna, "What is my name?", "Anna it is.")
            told = [message.text for message in house.brain.replied[-1]][1:]
            assert told == ["My name is Anna.", "Hello, Anna.", "What is my name?"]

            other = await (await browser.new_context(locale="zh-CN")).new_page()
            await other.goto(url)
            await start(other)
            await expect(other.locator("#kept")).to_contain_text("加密保存 30 天")
            await other.click("[data-format=markdown]")
            await expect(other.locator("#notice")).to_contain_text("没有保留")
            await ask(other, "What is my name?", "Anna it is.")
            assert len(house.brain.replied[-1]) == 2
            assert "**你** (" in await download(other, "markdown")

            await anna.click("#delete")
            await expect(anna.locator("#delete")).to_have_text("Delete all?")
            await anna.click("#delete")
            await expect(anna.locator("#kept")).to_contain_text("Deleted.")
            await expect(anna.locator("body")).to_have_attribute("data-state", "idle")
            await expect(anna.locator(".row")).to_have_count(0)
            await start(anna)
            await ask(anna, "What is my name?", "Anna it is.")
            assert len(house.brain.replied[-1]) == 2
            await expect(anna.locator(".remark")).to_have_count(0)
            assert "What is my name?" in await download(other, "markdown")


async def test_a_conversation_is_downloaded_even_where_nothing_is_kept(config: Config) -> None:
    forgetful = replace(config, memory=MemoryConfig())
    async with chromium() as browser, running(forgetful) as (_, url):
        page = await (await browser.new_context(locale="en-US")).new_page()
        await page.goto(url)
        await start(page)
        await ask(page, "My name is Anna.", "Hello, Anna.")
        await expect(page.locator("#kept")).to_have_text("Forgotten ten minutes after the end.")
        await page.click("#start")  # it is over
        await expect(page.locator("body")).to_have_attribute("data-state", "idle")
        written = await download(page, "markdown")
        assert written.startswith("# Conversation with Parley, ")
        assert written.index("My name is Anna.") < written.index("Hello, Anna.")
        lines = json.loads(await download(page, "json"))["lines"]
        assert [line["role"] for line in lines] == ["user", "assistant"]
        assert lines[1]["spoken_ms"] > 0
        assert "\nParley: Hello, Anna.\n" in await download(page, "srt")
        await start(page)
        await expect(page.locator(".remark")).to_have_count(0)
