"""The planner's page in a real Chromium: it needs nothing from the server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, async_playwright, expect

from assistant.plan.drafting import best, by_length
from tests.e2e.conftest import fulfill_page, launch

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page() -> AsyncIterator[Page]:
    mistakes: list[str] = []
    async with async_playwright() as playwright:
        chromium = await launch(playwright)
        page = await chromium.new_page(locale="en-US")
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        await page.route("**/*", fulfill_page)
        await page.goto("http://localhost/plan/")
        yield page
        await chromium.close()
    assert mistakes == []


@pytest.mark.parametrize(
    ("acceptance", "draft_cost", "check_cost"),
    [(0.7, 0.1, 0.05), (0.95, 0.0, 0.3), (0.3, 0.4, 0.2)],
)
async def test_the_page_works_out_the_same_as_the_command(
    page: Page, acceptance: float, draft_cost: float, check_cost: float
) -> None:
    wanted = {"acceptance": acceptance, "draftCost": draft_cost, "checkCost": check_cost}
    for name, value in wanted.items():
        await page.locator(f"[name={name}]").fill(str(value))
    drafted = by_length(acceptance=acceptance, draft_cost=draft_cost, check_cost=check_cost)
    lines = page.locator("#lengths li")
    await expect(lines).to_have_text([f"{each.length}{each.speed_up:.2f}" for each in drafted])
    await expect(page.locator("#lengths li.best")).to_contain_text(str(best(drafted).length))


async def test_boxes_and_price_follow_from_the_crowd(page: Page) -> None:
    crowd = {"people": "50001", "talking": "2", "callersABox": "4", "price": "0.5"}
    for name, value in crowd.items():
        await page.locator(f"[name={name}]").fill(value)
    figures = page.locator("#boxes dd")
    await expect(figures).to_have_text(["1,001", "251", "126", "90,360"])


async def test_a_field_without_a_number_is_told(page: Page) -> None:
    await page.locator("[name=people]").fill("")
    await expect(page.locator("#boxes")).to_have_text("Please fill in all four.")
