"""The page by itself in a real Chromium: the test answers its requests and plays the server."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    Page,
    Route,
    ViewportSize,
    async_playwright,
    expect,
)

from tests.e2e.conftest import fulfill_page, launch

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TRANSCRIPTION = "conversation.item.input_audio_transcription"
ONE_PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
ALL_ENDED = "tracks.every((track) => track.readyState === 'ended')"


@dataclass
class Stage:
    """A page that is open, and the answers of its server."""

    page: Page
    health_status: int = 200
    call_status: int = 201
    mistakes: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    """Of the last call."""

    health: dict[str, Any] = field(default_factory=dict)
    ice_servers: list[dict[str, Any]] = field(default_factory=list)
    memory: list[tuple[str, str]] = field(default_factory=list)
    """What was asked of it, and for whom."""

    memory_status: int = 200

    async def answer(self, route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path == "/healthz":
            await route.fulfill(status=self.health_status, json=self.health)
        elif path == "/v1/assistant/ice_servers":
            await route.fulfill(json={"ice_servers": self.ice_servers})
        elif path == "/v1/realtime/calls/rtc_1":
            await route.fulfill()
        elif path == "/v1/assistant/memory":
            request = route.request
            self.memory.append((request.method, request.headers["assistant-person"]))
            answer = {"error": {"message": "The disk is gone.", "code": "error"}}
            await route.fulfill(status=self.memory_status, json=answer)
        elif path == "/v1/realtime/calls":
            error = '{"error": {"message": "There is no audio in the offer."}}'
            self.headers = route.request.headers
            location = {"Location": "/v1/realtime/calls/rtc_1"}
            await route.fulfill(status=self.call_status, body=error, headers=location)
        else:
            await fulfill_page(route)

    async def start(self) -> None:
        await self.page.click("#start")
        await expect(self.page.locator("body")).to_have_attribute("data-state", "listening")

    async def say(self, kind: str, **fields: Any) -> None:
        await self.page.evaluate("event => say(event)", {"type": kind} | fields)

    async def sent(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self.page.evaluate(
            "kind => sent.filter((event) => event.type === kind)", kind
        )
        return found


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
async def stage(chromium: Browser, locale: str) -> AsyncIterator[Stage]:
    narrow_phone = ViewportSize(width=360, height=640)
    context = await chromium.new_context(locale=locale, viewport=narrow_phone)
    stage = Stage(await context.new_page())
    stage.page.on("pageerror", lambda error: stage.mistakes.append(str(error)))
    await stage.page.add_init_script(path=Path(__file__).with_name("stand_in_peer.js"))
    await context.route("**/*", stage.answer)
    await stage.page.goto("http://localhost/")
    yield stage
    await context.close()
    assert stage.mistakes == []


async def test_tentative_words_turn_into_committed_ones(stage: Stage) -> None:
    await stage.start()
    await stage.say("assistant.partial", item_id="1", committed="How many", tentative="moon")
    words = stage.page.locator(".row.user")
    await expect(words.locator(".committed")).to_have_text("How many")
    await expect(words.locator(".tentative")).to_have_text(" moon")
    await stage.say(f"{TRANSCRIPTION}.delta", item_id="1", delta="How many moons")
    await stage.say(f"{TRANSCRIPTION}.completed", item_id="1", transcript="How many moons?")
    await expect(words.locator(".words")).to_have_text("How many moons?")


async def test_a_question_that_goes_on_is_shown_once(stage: Stage) -> None:
    await stage.start()
    await stage.say(f"{TRANSCRIPTION}.completed", item_id="1", transcript="Which is heavier,")
    await stage.say("conversation.item.deleted", item_id="1")
    await stage.say("assistant.partial", item_id="2", committed="Which is heavier, a", tentative="")
    await expect(stage.page.locator(".row.user .words")).to_have_text(["Which is heavier, a"])


async def test_an_answer_that_was_broken_off_keeps_what_was_heard(stage: Stage) -> None:
    await stage.start()
    await stage.say("response.created")
    await stage.say("response.output_audio_transcript.delta", item_id="2", delta="Ninety five, ")
    await stage.say("response.output_audio_transcript.delta", item_id="2", delta="of which four")
    await stage.say("response.output_audio_transcript.done", item_id="2", transcript="Ninety five,")
    await stage.say("output_audio_buffer.cleared")
    words = stage.page.locator(".row.assistant .words")
    await expect(words).to_have_text("Ninety five,")
    await expect(words).to_have_attribute("data-interrupted", "interrupted")


async def test_an_answer_nobody_heard_leaves_the_one_before_alone(stage: Stage) -> None:
    await stage.start()
    await stage.say("response.output_audio_transcript.delta", item_id="2", delta="Yes.")
    await stage.say("response.created")
    await stage.say("response.done", response={"status": "cancelled"})
    words = stage.page.locator(".row.assistant .words")
    await expect(words).not_to_have_attribute("data-interrupted", "interrupted")


async def test_the_timeline_shows_every_line(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#details")
    lines = [
        {"name": "asr", "start_ms": 0, "duration_ms": 300, "overlapped": False},
        {"name": "of tomorrow", "start_ms": 300, "duration_ms": 512, "overlapped": True},
    ]
    await stage.say(
        "assistant.timeline", turn_id="1", voice_to_voice_ms=812, lines=lines, stats=None
    )
    timeline = stage.page.locator("#timeline")
    await expect(timeline.locator(".total")).to_have_text("812 ms")
    await expect(timeline.locator(".label")).to_have_text(["Hearing", "of tomorrow"])
    await expect(timeline.locator(".value")).to_have_text(["300 ms", "512 ms"])


async def test_a_typed_turn_says_that_there_is_no_wait(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#details")
    counts = {"ttft_ms": 150, "tpot_ms": 36, "cached_tokens": 600, "prompt_tokens": 620}
    stats = {**counts, "sources": []}
    await stage.say(
        "assistant.timeline", turn_id="1", voice_to_voice_ms=None, lines=[], stats=stats
    )
    timeline = stage.page.locator("#timeline")
    await expect(timeline.locator(".hint")).to_contain_text("No wait to show")
    await expect(timeline.locator(".bars")).to_have_count(0)
    await expect(timeline.locator("dd")).to_have_text(["150 ms", "36 ms", "600 of 620 tokens"])


COUNTS = {"ttft_ms": 150, "tpot_ms": 36, "cached_tokens": 600, "prompt_tokens": 620, "sources": []}


async def test_it_is_told_who_answered_why_and_for_how_much(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#details")
    by = {"model": "qwen3-32b", "is_remote": True, "reason": "comparison"}
    stats = {**COUNTS, "by": by, "cost": 0.00123}
    await stage.say("assistant.timeline", voice_to_voice_ms=None, lines=[], stats=stats)
    figures = stage.page.locator("#timeline dd")
    await expect(figures.nth(0)).to_have_text("qwen3-32b, not on this machine: it compares")
    await expect(figures.nth(1)).to_have_text("0.0012")
    by |= {"model": "smollm2", "is_remote": False, "reason": "instead"}
    await stage.say("assistant.timeline", voice_to_voice_ms=None, lines=[], stats=stats)
    await expect(figures.nth(0)).to_have_text("smollm2: another could not")


@pytest.mark.parametrize(
    ("recalled", "sentence"),
    [
        ("template", "A prepared answer"),
        ("exact", "Asked before"),
        ("similar", "Something alike was asked before"),
    ],
)
async def test_an_answer_that_nobody_thought_up_is_marked(
    stage: Stage, recalled: str, sentence: str
) -> None:
    await stage.start()
    await stage.page.click("#details")
    stats = {**COUNTS, "recalled": recalled}
    await stage.say("assistant.timeline", voice_to_voice_ms=None, lines=[], stats=stats)
    hints = stage.page.locator("#timeline .hint")
    await expect(hints.last).to_contain_text(sentence)
    await expect(stage.page.locator("#timeline dd")).to_have_count(0)


async def test_sources_stand_under_the_answer_that_they_are_of(stage: Stage) -> None:
    await stage.start()
    for n, sources in enumerate([["gate.md:2", "map.pdf:7"], []]):
        await stage.say("response.created")
        await stage.say(
            "response.output_audio_transcript.done", item_id=f"{n}", transcript=f"Answer {n}."
        )
        await stage.say(
            "response.output_audio_transcript.delta", item_id=f"{n}", delta=f"Answer {n}."
        )
        stats = {**COUNTS, "sources": sources}
        for _ in range(2):  # once it begins, and once it is over
            await stage.say("assistant.timeline", voice_to_voice_ms=None, lines=[], stats=stats)
    rows = stage.page.locator(".row.assistant")
    await expect(rows.nth(0).locator(".hint")).to_have_text(["From gate.md:2 · map.pdf:7"])
    await expect(rows.nth(1).locator(".hint")).to_have_count(0)
    for width in (360, 1_280):
        await stage.page.set_viewport_size({"width": width, "height": 640})
        words, hint = rows.nth(0).locator(".words"), rows.nth(0).locator(".hint")
        lefts = {box["x"] for each in (words, hint) if (box := await each.bounding_box())}
        assert len(lefts) == 1, "they stand under each other"


REFUSALS = {
    "en-US": "The server reports a problem: too much was asked for at once",
    "zh-CN": "服务器报告了一个问题：一下子请求太多",
}


@pytest.mark.parametrize("locale", REFUSALS)
async def test_what_the_server_refuses_is_told_in_the_readers_language(
    stage: Stage, locale: str
) -> None:
    await stage.start()
    notice = stage.page.locator("#notice-text")
    await stage.say("error", error={"code": "too_fast", "message": "Too many events at once."})
    await expect(notice).to_have_text(REFUSALS[locale])
    await stage.say("error", error={"code": "invalid_type", "message": "item must be an object."})
    await expect(notice).to_contain_text("item must be an object.")


DOING = {
    "en-US": "looking in your notes, asking the orchid …",
    "zh-CN": "正在查阅你的资料，asking the orchid …",
}


@pytest.mark.parametrize("locale", DOING)
async def test_what_is_going_on_is_told_in_the_readers_language(stage: Stage, locale: str) -> None:
    await stage.start()
    await stage.say("assistant.working", doing="looking in your notes, asking the orchid")
    await expect(stage.page.locator(".mention")).to_have_text([DOING[locale]])


CONTINUES = {
    "en-US": ("Continues from November 30, 2025", "Kept on the server for 1 day, encrypted"),
    "zh-CN": ("接着 2025年11月30日", "在服务器上加密保存 1 天"),
}


@pytest.mark.parametrize("locale", CONTINUES)
async def test_what_it_goes_on_from_is_told_and_what_becomes_of_it(
    stage: Stage, locale: str
) -> None:
    await stage.start()
    assert await stage.sent("assistant.remember") == []
    await stage.say("session.created", session={"audio": {"output": {"voice": "joe"}}})
    await stage.say("session.created", session={"audio": {"output": {"voice": "joe"}}})
    first, again = await stage.sent("assistant.remember")
    assert re.fullmatch("[0-9a-f]{64}", first["person"])
    assert again["person"] == first["person"]
    told = {"keep": "encrypted", "expires_after_days": 1, "earlier_at_s": 1_764_504_000}
    await stage.say("assistant.memory", **told)
    remark, kept = CONTINUES[locale]
    await expect(stage.page.locator(".remark")).to_contain_text(remark)
    await expect(stage.page.locator("#kept")).to_contain_text(kept)


async def test_deleting_is_asked_about_and_makes_one_somebody_else(stage: Stage) -> None:
    await stage.start()
    await stage.say("session.created", session={"audio": {"output": {"voice": "joe"}}})
    (before,) = await stage.sent("assistant.remember")
    await stage.say(f"{TRANSCRIPTION}.completed", item_id="1", transcript="A secret.")
    await stage.page.click("#details")
    await stage.page.click("#delete")
    assert stage.memory == []
    await expect(stage.page.locator(".row")).to_have_count(1)
    await stage.page.click("#delete")
    await expect(stage.page.locator("#kept")).to_contain_text("Deleted.")
    await expect(stage.page.locator(".row")).to_have_count(0)
    assert stage.memory == [("DELETE", before["person"])]
    await stage.start()
    await stage.say("session.created", session={"audio": {"output": {"voice": "joe"}}})
    assert (await stage.sent("assistant.remember"))[-1]["person"] != before["person"]


async def test_what_could_not_be_deleted_is_still_ours(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#details")
    stage.memory_status = 500
    await stage.page.click("#delete")
    await stage.page.click("#delete")
    await expect(stage.page.locator("#notice")).to_contain_text("The disk is gone.")
    person = "localStorage.getItem('parley.person')"
    assert await stage.page.evaluate(person) == stage.memory[-1][1]


REMARKS = {
    "en-US": [
        "This answer takes a moment longer.",
        "Thinking gave less than usual · the answer was cut short",
        "Something gave less than usual · drafting is off",
        "The voice gave less than usual · no natural voice for this language is installed, so a "
        "plainer one speaks",
        "Hearing gave less than usual · the engine was being restarted",
        "Looking gave less than usual · something failed; the server’s log says what",
    ],
    "zh-CN": [
        "这个回答要多等一会儿。",
        "思考做了简化 · 回答提前结束",
        "某个环节做了简化 · 不再猜词",
        "语音做了简化 · 没有安装这种语言的自然语音，改用较生硬的声音",
        "听写做了简化 · 引擎正在重启",
        "观看做了简化 · 出了故障，详见服务器日志",
    ],
}


@pytest.mark.parametrize("locale", REMARKS)
async def test_what_was_given_less_is_told_in_the_readers_language(
    stage: Stage, locale: str
) -> None:
    await stage.start()
    for about, code in (
        ("brain", "acknowledged"),
        ("brain", "cut_short"),
        ("first_phrase", "no_draft"),
        ("voice", "plain_voice"),
        ("ears", "away"),
        ("eyes", "error"),
    ):
        await stage.say("assistant.degraded", stage=about, code=code, reason="run `this command`")
    await expect(stage.page.locator(".remark")).to_have_text(REMARKS[locale])


async def test_an_alert_is_a_quiet_remark_and_its_end_is_none(stage: Stage) -> None:
    await stage.start()
    alert = {"stage": "tts", "percentile": 95, "value_ms": 420, "limit_ms": 300, "n_turns": 50}
    await stage.say("assistant.alert", is_over=True, **alert)
    await stage.say("assistant.alert", is_over=False, **alert)
    await expect(stage.page.locator(".remark")).to_have_text(
        ["Answers are slower than they should be just now"]
    )


async def test_a_recording_is_visible_while_it_is_made(stage: Stage) -> None:
    await stage.start()
    recording = stage.page.locator("#recording")
    await expect(recording).to_be_hidden()
    await stage.say("assistant.recording", is_on=True)
    await expect(recording).to_be_visible()
    await stage.say("assistant.recording", is_on=False)
    await expect(recording).to_be_hidden()


async def test_what_is_typed_is_sent_and_shown_at_once(stage: Stage) -> None:
    await stage.start()
    await stage.page.fill("#message", "What is this?")
    await stage.page.keyboard.press("Enter")
    await expect(stage.page.locator(".row.user .words")).to_have_text("What is this?")
    (created,) = await stage.sent("conversation.item.create")
    assert created["item"]["content"] == [{"type": "input_text", "text": "What is this?"}]
    assert len(await stage.sent("response.create")) == 1


async def test_the_space_bar_talks_even_when_muted_and_never_stops(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#mute")
    await stage.page.evaluate("document.activeElement.blur()")
    assert not await stage.page.evaluate("tracks[0].enabled")
    await stage.page.keyboard.down("Space")
    assert await stage.page.evaluate("tracks[0].enabled")
    await stage.page.keyboard.up("Space")
    assert not await stage.page.evaluate("tracks[0].enabled")
    presses = await stage.sent("assistant.push_to_talk")
    assert [press["pressed"] for press in presses] == [True, False]
    assert [mute["muted"] for mute in await stage.sent("assistant.mute")] == [True]


async def test_start_by_keyboard_does_not_leave_the_space_bar_on_stop(stage: Stage) -> None:
    await stage.page.focus("#start")
    await stage.page.keyboard.press("Enter")
    await expect(stage.page.locator("#talk")).to_be_focused()
    await stage.page.keyboard.press("Space")
    await expect(stage.page.locator("body")).to_have_attribute("data-state", "listening")


async def test_the_camera_comes_on_when_asked_and_is_remembered(stage: Stage) -> None:
    await stage.start()
    assert await stage.page.evaluate("tracks.map((track) => track.kind)") == ["audio"]
    await stage.page.click("#camera")
    await expect(stage.page.locator("#preview")).to_be_visible()
    await stage.page.click("#start")
    await stage.page.wait_for_function(ALL_ENDED)
    await stage.start()
    await expect(stage.page.locator("#preview")).to_be_visible()


async def test_a_camera_that_vanishes_ends_in_a_sentence(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#camera")
    await expect(stage.page.locator("#preview")).to_be_visible()
    await stage.page.evaluate("tracks[1].dispatchEvent(new Event('ended'))")
    await expect(stage.page.locator("#notice")).to_contain_text("The camera is gone")
    await expect(stage.page.locator("#preview")).to_be_hidden()


async def test_a_shared_screen_goes_before_the_camera_which_comes_back(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#camera")
    await expect(stage.page.locator("#preview")).to_be_visible()
    await stage.page.click("#screen")
    await expect(stage.page.locator("#screen")).to_have_attribute("aria-pressed", "true")
    assert await stage.page.evaluate("senders.video.track === tracks[2]")
    await stage.page.evaluate("tracks[2].dispatchEvent(new Event('ended'))")
    await expect(stage.page.locator("#screen")).to_have_attribute("aria-pressed", "false")
    assert await stage.page.evaluate("senders.video.track === tracks[1]")
    assert await stage.page.evaluate("tracks[2].readyState") == "ended"
    await expect(stage.page.locator("#notice")).to_be_hidden()


async def test_pictures_come_faster_while_the_person_speaks(stage: Stage) -> None:
    async def rate() -> float:
        told: float = await stage.page.evaluate(
            "(senders.video.parameters?.encodings ?? senders.video.options.sendEncodings)"
            "[0].maxFramerate"
        )
        return told

    await stage.start()
    before = await rate()
    await stage.say("input_audio_buffer.speech_started")
    assert await rate() >= 4 * before
    await stage.say("input_audio_buffer.speech_stopped")
    assert await rate() == before


async def test_a_screen_that_nobody_picks_ends_in_a_sentence(stage: Stage) -> None:
    await stage.start()
    await stage.page.evaluate("refuseDevices = 'NotAllowedError'")
    await stage.page.click("#screen")
    await expect(stage.page.locator("#notice")).to_contain_text("Nothing is being shared")
    await expect(stage.page.locator("#preview")).to_be_hidden()


async def test_the_person_sees_the_frame_that_was_looked_at(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#camera")
    await expect(stage.page.locator("#preview")).to_be_visible()
    looked = stage.page.locator("#looked")
    await expect(looked).to_be_hidden()
    await stage.say("assistant.scene", facts=["a cat"], picture=ONE_PIXEL)
    await expect(looked).to_be_visible()
    await expect(looked).to_have_attribute("src", ONE_PIXEL)
    await expect(stage.page.locator("#scene li")).to_have_text(["a cat"])
    await stage.page.click("#camera")
    await stage.page.click("#camera")
    await expect(stage.page.locator("#preview")).to_be_visible()
    await expect(looked).to_be_hidden()


async def test_facts_without_a_picture_leave_no_gap_before_them(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#camera")
    await expect(stage.page.locator("#preview")).to_be_visible()
    await stage.say("assistant.scene", facts=["a cat"], picture="data:image/jpeg;base64,")
    fact, heading = stage.page.locator("#scene li"), stage.page.locator(".facts h2")
    await expect(fact).to_be_visible()
    await expect(stage.page.locator("#looked")).to_be_hidden()
    lefts = [box["x"] for each in (fact, heading) if (box := await each.bounding_box())]
    assert len(lefts) == 2
    assert lefts[0] == lefts[1]


async def test_few_pictures_a_second_are_sent(stage: Stage) -> None:
    await stage.start()
    (encoding,) = await stage.page.evaluate("senders.video.options.sendEncodings")
    assert encoding["maxFramerate"] <= 2


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        ("NotAllowedError", "may not use the microphone"),
        ("NotFoundError", "No microphone was found"),
        ("NotReadableError", "Another program holds the microphone"),
    ],
)
async def test_without_a_microphone_one_can_still_type(
    stage: Stage, refusal: str, sentence: str
) -> None:
    await stage.page.evaluate("name => { refuseDevices = name }", refusal)
    await stage.start()
    await expect(stage.page.locator("#notice")).to_contain_text(sentence)
    await expect(stage.page.locator("#message")).to_be_enabled()
    await stage.page.evaluate("refuseDevices = null")
    await stage.page.click("#mute")
    await expect(stage.page.locator("#notice")).to_be_hidden()


async def test_a_server_that_is_not_ready_is_waited_for(stage: Stage) -> None:
    stage.health_status = 503
    await stage.page.click("#start")
    await expect(stage.page.locator("#notice")).to_contain_text("still waking up")
    assert await stage.page.evaluate("tracks.length") == 0
    stage.health_status = 200
    await expect(stage.page.locator("body")).to_have_attribute("data-state", "listening")
    await expect(stage.page.locator("#notice")).to_be_hidden()


async def test_a_busy_server_is_called_again(stage: Stage) -> None:
    stage.call_status = 503
    await stage.page.click("#start")
    await expect(stage.page.locator("#notice")).to_contain_text("as many people as it can")
    stage.call_status = 201
    await expect(stage.page.locator("body")).to_have_attribute(
        "data-state", "listening", timeout=10_000
    )


async def test_a_refused_call_says_why_and_leaves_nothing_live(stage: Stage) -> None:
    stage.call_status = 400
    await stage.page.click("#start")
    await expect(stage.page.locator("#notice")).to_contain_text("There is no audio in the offer.")
    await expect(stage.page.locator("body")).to_have_attribute("data-state", "idle")
    assert await stage.page.evaluate(ALL_ENDED)


async def test_a_lost_line_is_made_anew_and_what_was_not_heard_is_said_again(
    stage: Stage,
) -> None:
    await stage.start()
    await stage.say("assistant.resume", token="secret", last_event_id=None, event_id="event_1")
    await stage.say("assistant.state", state="thinking", event_id="event_2")
    await stage.page.evaluate("isDead = true")
    await stage.page.fill("#message", "What is this?")
    await stage.page.keyboard.press("Enter")
    await stage.page.click("#mute")
    (created,) = await stage.sent("conversation.item.create")
    stage.call_status = 503
    await stage.page.evaluate("isDead = false; peer.channel.onclose()")
    await expect(stage.page.locator("body")).to_have_attribute("data-state", "connecting")
    await expect(stage.page.locator("#notice")).to_contain_text("as many people as it can")
    stage.call_status = 201
    await expect(stage.page.locator("body")).to_have_attribute("data-state", "thinking")
    await expect(stage.page.locator("#notice")).to_be_hidden()
    assert stage.headers["assistant-resume"] == "secret"
    assert stage.headers["last-event-id"] == "event_2"
    await stage.say("assistant.resume", token="secret", last_event_id=created["event_id"])
    assert len(await stage.sent("conversation.item.create")) == 1
    assert len(await stage.sent("response.create")) == 2
    assert [mute["muted"] for mute in await stage.sent("assistant.mute")] == [True, True]
    await expect(stage.page.locator("#captions")).not_to_contain_text("forgotten")


async def test_a_line_that_falls_silent_is_noticed(stage: Stage) -> None:
    await stage.start()
    await stage.page.evaluate("isDead = true; former = peer")
    await stage.page.wait_for_function("peer !== former", timeout=6_000)
    await stage.page.evaluate("isDead = false")
    await expect(stage.page.locator("body")).to_have_attribute("data-state", "listening")


async def test_pictures_give_way_to_sound(stage: Stage) -> None:
    await stage.start()
    report = {"type": "remote-inbound-rtp", "fractionLost": 0.2, "roundTripTime": 0.05}
    await stage.page.evaluate("report => { soundReport = report }", report)
    await stage.page.wait_for_function(
        "senders.video.parameters?.encodings[0].maxBitrate === 400000"
    )
    assert await stage.page.evaluate("senders.audio.parameters.encodings[0].maxBitrate") == 32_000


SPENDING = """async ([module, reports]) => {
  const { Thrift } = await import(module);
  const thrift = new Thrift();
  for (const report of reports) thrift.take(report);
  const { pictureBits, soundBits } = thrift.spending;
  return [pictureBits / 1000, soundBits / 1000];
}"""
GOOD = {"loss": 0.0, "roundTripMs": 50}
LOSSY = {"loss": 0.1, "roundTripMs": 50}
WAITING = {"loss": 0.0, "roundTripMs": 400}


@pytest.mark.parametrize(
    ("reports", "spending"),
    [
        ([], [1_500, 32]),
        ([GOOD] * 20, [1_500, 32]),
        ([{"loss": 0.04, "roundTripMs": None}] * 20, [1_500, 32]),
        ([LOSSY], [400, 32]),
        ([GOOD, WAITING], [400, 32]),
        ([LOSSY] * 3, [0, 24]),
        ([LOSSY] * 20, [0, 24]),
        ([LOSSY] * 3 + [GOOD] * 4, [0, 24]),
        ([LOSSY] * 3 + [GOOD] * 5, [100, 32]),
        ([LOSSY] * 3 + [GOOD] * 15, [1_500, 32]),
        ([LOSSY] * 3 + [GOOD, LOSSY] * 15, [0, 24]),
    ],
)
async def test_what_is_spent_on_a_bad_line(
    stage: Stage, reports: list[dict[str, float]], spending: list[float]
) -> None:
    module = "http://localhost/thrift.js"
    assert await stage.page.evaluate(SPENDING, [module, reports]) == spending


async def test_a_server_that_has_forgotten_us_says_so(stage: Stage) -> None:
    await stage.start()
    await stage.say("assistant.resume", token="one", last_event_id=None)
    await stage.page.evaluate("former = peer; peer.channel.onclose()")
    await stage.page.wait_for_function("peer !== former")
    await expect(stage.page.locator("body")).to_have_attribute("data-state", "listening")
    await stage.say("assistant.resume", token="two", last_event_id=None)
    await expect(stage.page.locator("#captions")).to_contain_text("A new conversation")


async def test_stop_ends_the_call_at_the_server(stage: Stage) -> None:
    await stage.start()
    async with stage.page.expect_request("**/v1/realtime/calls/rtc_1") as asked:
        await stage.page.click("#start")
    assert (await asked.value).method == "DELETE"
    assert await stage.page.evaluate(ALL_ENDED)


async def test_details_do_not_stay_over_the_conversation_after_stop(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#details")
    await expect(stage.page.locator("#panel")).to_be_visible()
    await stage.page.click("#start")
    await expect(stage.page.locator("#panel")).to_be_hidden()
    await expect(stage.page.locator("#details")).to_have_attribute("aria-expanded", "false")
    await expect(stage.page.locator(".conversation")).to_be_visible()


async def test_what_comes_after_stop_changes_nothing(stage: Stage) -> None:
    await stage.start()
    await stage.page.click("#start")
    assert await stage.page.evaluate("peer.channel.onmessage === null")
    await stage.page.wait_for_function("peer.connectionState === 'closed'")
    await expect(stage.page.locator("body")).to_have_attribute("data-state", "idle")


async def test_events_of_an_unknown_type_are_ignored(stage: Stage) -> None:
    await stage.start()
    await stage.say("response.of_the_future", anything={"at": "all"})
    await stage.say("assistant.state", state="thinking")
    await expect(stage.page.locator("#state")).to_have_text("Thinking")


async def test_it_fits_a_narrow_phone(stage: Stage) -> None:
    await stage.start()
    await stage.say("assistant.state", state="speaking")
    await expect(stage.page.locator("#interrupt")).to_be_visible()
    assert await stage.page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("locale", ["zh-CN"])
async def test_it_speaks_chinese_to_a_chinese_browser(stage: Stage) -> None:
    await expect(stage.page.locator("#start")).to_have_text("开始")
    await stage.start()
    await expect(stage.page.locator("#start")).to_have_text("结束")
    await expect(stage.page.locator("#state")).to_have_text("聆听")
    assert await stage.page.evaluate("document.documentElement.lang") == "zh"


VOICES = [
    {"id": "joe", "summary": "A man", "languages": ["en"]},
    {"id": "huayan", "summary": "A woman", "languages": ["zh"]},
]


async def greet(stage: Stage, voice: str) -> None:
    session = {"audio": {"output": {"voice": voice}}}
    await stage.say("session.created", session=session)
    await stage.say("assistant.voices", voices=VOICES)


async def test_a_voice_is_chosen_and_remembered(stage: Stage) -> None:
    await stage.start()
    await greet(stage, "joe")
    await stage.page.click("#details")
    choice = stage.page.locator("#voice-choice")
    await expect(choice).to_have_value("joe")
    assert await stage.sent("session.update") == []
    await choice.select_option("A woman")
    wanted = {"type": "realtime", "audio": {"output": {"voice": "huayan"}}}
    assert [event["session"] for event in await stage.sent("session.update")] == [wanted]
    await greet(stage, "joe")
    assert len(await stage.sent("session.update")) == 2
    await stage.say("session.updated", session=wanted)
    await expect(choice).to_have_value("huayan")


NAMED = {
    "en-US": ["Joe · English", "Huayan · Chinese", "espeak-ng · French", "of their own"],
    "zh-CN": ["Joe · 英语", "Huayan · 中文", "espeak-ng · 法语", "of their own"],
}


@pytest.mark.parametrize("locale", NAMED)
async def test_voices_have_short_names_in_the_readers_language(stage: Stage, locale: str) -> None:
    await stage.start()
    ids = {
        "piper-en-us-joe-medium": "en",
        "piper-zh-cn-huayan-medium": "zh",
        "espeak-ng-fr": "fr",
        "theirs": "en",
    }
    voices = [
        {"id": name, "summary": "of their own", "languages": [language]}
        for name, language in ids.items()
    ]
    await stage.say("assistant.voices", voices=voices)
    options = stage.page.locator("#voice-choice option")
    await expect(options).to_have_text(NAMED[locale])
    await expect(options.first).to_have_attribute("title", "of their own")


async def test_a_voice_that_is_no_longer_there_is_not_asked_for(stage: Stage) -> None:
    await stage.page.evaluate("localStorage.setItem('parley.voice', 'gone')")
    await stage.start()
    await greet(stage, "joe")
    await expect(stage.page.locator("#voice-choice")).to_have_value("joe")
    assert await stage.sent("session.update") == []


async def test_a_server_with_a_key_says_how_to_get_in_and_the_link_does(stage: Stage) -> None:
    shown: list[str | None] = []

    async def ask_for_key(route: Route) -> None:
        shown.append(route.request.headers.get("authorization"))
        await (stage.answer(route) if shown[-1] == "Bearer ek_1" else route.fulfill(status=401))

    await stage.page.route("**/v1/realtime/calls", ask_for_key)
    await stage.page.click("#start")
    await expect(stage.page.locator("#notice")).to_contain_text("http://localhost/#token=CODE")
    await stage.page.goto("http://localhost/?again#token=ek_1")
    await stage.start()
    assert stage.page.url == "http://localhost/?again"
    assert shown == [None, "Bearer ek_1"]


async def test_a_call_is_made_with_the_servers_that_help_to_find_a_path(stage: Stage) -> None:
    await stage.start()
    assert await stage.page.evaluate("peer.configuration.iceServers") == []
    await stage.page.click("#start")
    stage.health = {"has_ice_servers": True}
    stage.ice_servers = [{"urls": ["turn:a.example"], "username": "1:a", "credential": "b"}]
    await stage.start()
    assert await stage.page.evaluate("peer.configuration.iceServers") == stage.ice_servers
