"""The dashboard by itself in a real Chromium: its server is our own code, without the engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    Locator,
    Page,
    Route,
    ViewportSize,
    async_playwright,
    expect,
)

from assistant.config import AlertConfig, Config, MonitoringConfig
from assistant.loop_lag import LoopLag
from assistant.monitoring.live import LiveSession
from assistant.monitoring.monitor import Monitor, monitoring
from assistant.timeline import Mark, TurnTimeline
from tests.e2e.conftest import fulfill_page, launch
from tests.fakes import ScriptedPeer
from tests.unit.monitoring.fakes import FakeWorker
from tests.unit.monitoring.turns import APOLOGISED, GOOD, INTERRUPTED, LATE, TYPED, waiting

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CONFIG = replace(Config(), monitoring=MonitoringConfig(alerts=(AlertConfig(limit_ms=1_000),)))


class CallingPeer(ScriptedPeer):
    """One whose line may be lost."""

    away_since_s: float | None = None


@dataclass
class Desk:
    """An open dashboard, and what it looks at."""

    page: Page
    monitor: Monitor
    live: LiveSession
    peer: CallingPeer
    is_away: bool = False
    mistakes: list[str] = field(default_factory=list)

    async def answer(self, route: Route) -> None:
        url = urlsplit(route.request.url)
        dashboard = self.monitor.dashboard
        if self.is_away:
            await route.abort()
        elif url.path == "/v1/assistant/now":
            seen = int(parse_qs(url.query)["seen"][0])
            await route.fulfill(json=await dashboard.now(seen, within_s=0.2))
        elif url.path == "/v1/assistant/report":
            await route.fulfill(json=dashboard.report())
        else:
            await fulfill_page(route)

    def begin_turn(self, *marks: Mark) -> TurnTimeline:
        timeline = self.live.new_timeline("turn_9")
        for n, mark in enumerate(marks):
            timeline.mark(mark, timeline.clock() - 1 + n / 10)
        return timeline

    def step(self, name: str) -> Locator:
        return self.page.locator(f"#steps .{name}")


@pytest.fixture
def locale() -> str:
    return "en-US"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def desk(chromium: Browser, locale: str) -> AsyncIterator[Desk]:
    narrow_phone = ViewportSize(width=360, height=640)
    context = await chromium.new_context(locale=locale, viewport=narrow_phone)
    with ExitStack() as stack:
        monitor = stack.enter_context(monitoring(CONFIG, LoopLag()))
        monitor.vitals.workers = [FakeWorker("ears"), FakeWorker("brain", restarts=2)]
        peer = CallingPeer()
        live = stack.enter_context(monitor.live.one_more(peer))
        desk = Desk(await context.new_page(), monitor, live, peer)
        desk.page.on("pageerror", lambda error: desk.mistakes.append(str(error)))
        await context.route("**/*", desk.answer)
        await desk.page.goto("http://localhost/dashboard/")
        await expect(desk.page.locator("#sessions code")).to_have_text(live.session_id)
        yield desk
        await context.close()
    assert desk.mistakes == []


async def test_the_four_steps_light_up_as_the_turn_passes(desk: Desk) -> None:
    await expect(desk.page.locator("#turn")).to_contain_text("Nobody has spoken yet")
    timeline = desk.begin_turn(Mark.SPEECH_STARTED)
    await expect(desk.step("capture")).to_have_attribute("data-state", "running")
    await expect(desk.step("analyse")).to_have_attribute("data-state", "waiting")
    now_s = timeline.clock()
    timeline.mark(Mark.SPEECH_ENDED, now_s - 0.5)
    timeline.mark(Mark.SCENE_KNOWN, now_s - 0.26)
    await expect(desk.step("analyse").locator(".time")).to_have_text("240 ms")
    await expect(desk.step("decide")).to_have_attribute("data-state", "running")
    timeline.mark(Mark.FIRST_PHRASE, now_s)
    timeline.mark(Mark.FIRST_SENT, now_s + 0.1)
    await expect(desk.step("decide").locator(".time")).to_have_text("260 ms")
    await expect(desk.step("respond").locator(".time")).to_have_text("100 ms")
    await expect(desk.step("respond")).to_have_attribute("data-state", "running")
    await expect(desk.page.locator("#turn")).to_contain_text("600 ms from the last word")
    timeline.mark(Mark.DONE)
    await expect(desk.step("respond")).to_have_attribute("data-state", "done")


async def test_speech_that_goes_on_takes_the_later_steps_back(desk: Desk) -> None:
    timeline = desk.begin_turn(Mark.SPEECH_STARTED, Mark.PAUSE_NOTICED, Mark.SCENE_KNOWN)
    await expect(desk.step("decide")).to_have_attribute("data-state", "running")
    timeline.forget_reply()
    await expect(desk.step("decide")).to_have_attribute("data-state", "waiting")
    await expect(desk.step("capture")).to_have_attribute("data-state", "running")


async def test_a_step_that_goes_on_counts_by_itself(desk: Desk) -> None:
    desk.begin_turn(Mark.SPEECH_STARTED)
    time = desk.step("capture").locator(".time")
    await expect(desk.step("capture")).to_have_attribute("data-state", "running")
    before = await time.text_content()
    await expect(time).not_to_have_text(before or "")


async def test_stages_stand_against_their_deadlines(desk: Desk) -> None:
    for turn in [GOOD] * 8 + [LATE] * 2:
        desk.monitor.books.record(turn)
    stair = desk.page.locator(".stair", has_text="First phrase")
    await expect(stair.locator("> span")).to_have_text(
        ["First phrase", "250", "1350", "1350", "", "2"]
    )
    await expect(stair).to_have_attribute("data-pace", "slow")
    await expect(stair.locator(".deadline")).to_have_count(1)
    await expect(desk.page.locator(".stair.whole > span").first).to_have_text("In all")


async def test_a_turn_opens_by_keyboard_and_says_why(desk: Desk) -> None:
    desk.monitor.books.record(LATE)
    row = desk.page.locator("#turns details")
    await expect(row.locator(".wait")).to_have_text("1900 ms")
    await row.locator("summary").focus()
    await desk.page.keyboard.press("Enter")
    await expect(row.locator(".story li")).to_have_text(
        [
            "spoke for 2.5 s",
            "600 of 620 prompt tokens were in the cache",
            "24 tokens written",
            "waited 10 ms for the brain",
            "9 of 12 guessed tokens were right",
            "something was said to pass the time",
            "First phrase was 900 ms late",
            "Brain: the answer takes a moment",
            "First phrase: drafting is off",
        ]
    )
    await expect(row.locator(".bar .value").first).to_have_text("130 ms")


async def test_a_turn_that_is_open_stays_open_when_another_comes(desk: Desk) -> None:
    desk.monitor.books.record(GOOD)
    await desk.page.click("#turns summary")
    desk.monitor.books.record(INTERRUPTED)
    rows = desk.page.locator("#turns details")
    await expect(rows).to_have_count(2)
    await expect(rows.nth(0).locator(".marks")).to_have_text("interrupted")
    await expect(rows.nth(0)).not_to_have_attribute("open", "")
    await expect(rows.nth(1)).to_have_attribute("open", "")


async def test_only_the_last_fifty_turns_are_shown(desk: Desk) -> None:
    for n in range(60):
        desk.monitor.books.record(replace(GOOD, turn_id=f"turn_{n}"))
    await expect(desk.page.locator("#turns details")).to_have_count(50)
    desk.monitor.books.record(replace(TYPED, turn_id="turn_60"))
    await expect(desk.page.locator("#turns .marks").first).to_have_text("typed")
    await expect(desk.page.locator("#turns details")).to_have_count(50)


async def test_one_turn_is_one_turn_and_who_is_away_is_not_talking(desk: Desk) -> None:
    chips = desk.page.locator("#sessions li")
    desk.monitor.books.record(replace(GOOD, session_id=desk.live.session_id))
    await expect(chips).to_contain_text("· 1 turn ·")
    await expect(desk.page.locator("#stages .hint")).to_contain_text("last 1 turn.")
    desk.monitor.books.record(replace(GOOD, session_id=desk.live.session_id, turn_id="turn_2"))
    await expect(chips).to_contain_text("· 2 turns ·")
    desk.peer.away_since_s = 1.0
    await expect(chips).to_have_text("nobody")


async def test_a_typed_turn_says_that_there_is_no_wait(desk: Desk) -> None:
    desk.monitor.books.record(TYPED)
    await desk.page.click("#turns summary")
    times = desk.page.locator(".story .times")
    await expect(times).to_contain_text("No wait to show")
    await expect(times.locator(".bars")).to_have_count(0)


async def test_quality_and_the_machine_stand_beside(desk: Desk) -> None:
    assert GOOD.stats is not None
    remote = replace(GOOD, stats=replace(GOOD.stats, cost=0.0025, reread_tokens=20))
    for turn in (remote, LATE, INTERRUPTED, APOLOGISED):
        desk.monitor.books.record(turn)
    figures = {
        "quality": {"Within the promise": "3 of 4", "Interrupted": "1", "Apologies": "1"},
        "tokens": {"Kept in the cache": "97 %", "Guesses accepted": "75 %", "Cost": "0.0025"},
        "machine": {"Brain · restarts 2": "–"},
    }
    for group, expected in figures.items():
        for name, value in expected.items():
            term = desk.page.locator(f"#{group} dt", has_text=name)
            await expect(term.locator("+ dd")).to_have_text(value)
    await desk.page.click("#turns li:last-child summary")
    await expect(desk.page.locator(".story")).to_contain_text("20 tokens of earlier turns")


async def test_an_alert_is_shown_while_it_goes_on(desk: Desk) -> None:
    for _ in range(10):
        desk.monitor.books.record(waiting(1_500, ended_at=2e9))
    await expect(desk.page.locator("#alerts")).to_have_text(
        "The whole wait: P95 is 1500 ms over the last 10 turns, the limit 1000 ms"
    )
    for n in range(50):
        desk.monitor.books.record(waiting(500, ended_at=2e9, turn_id=f"turn_{n + 2}"))
    await expect(desk.page.locator("#alerts")).to_have_text("")


async def test_a_server_that_is_away_is_asked_again(desk: Desk) -> None:
    desk.is_away = True
    await expect(desk.page.locator("#away")).to_contain_text("does not answer")
    desk.is_away = False
    desk.monitor.books.record(GOOD)
    await expect(desk.page.locator("#turns details")).to_have_count(1, timeout=10_000)
    await expect(desk.page.locator("#away")).to_be_hidden()


async def test_it_fits_a_narrow_phone(desk: Desk) -> None:
    for turn in [GOOD, LATE, TYPED, INTERRUPTED, APOLOGISED]:
        desk.monitor.books.record(turn)
    await desk.page.click("#turns details:has(.wait:text('1900 ms')) summary")
    await expect(desk.page.locator(".story")).to_be_visible()
    assert await desk.page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("locale", ["zh-CN"])
async def test_it_speaks_chinese_to_a_chinese_browser(desk: Desk) -> None:
    desk.monitor.books.record(LATE)
    await expect(desk.page.locator("h1 span")).to_have_text("仪表盘")
    await expect(desk.step("capture").locator(".name")).to_have_text("采集")
    await expect(desk.page.locator(".stair.whole > span").first).to_have_text("合计")
    assert await desk.page.title() == "Parley · 仪表盘"


async def test_nobody_is_asked_anything_while_nobody_looks(desk: Desk) -> None:
    asked = list[str]()
    desk.page.on("request", lambda request: asked.append(request.url))
    await desk.page.evaluate(
        """() => {
          Object.defineProperty(document, "hidden", { value: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    await asyncio.sleep(0.3)
    asked.clear()
    await asyncio.sleep(0.6)
    assert asked == []
