"""`@openai/agents`, which nobody told of us, talks over a WebSocket in node and over WebRTC."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Route

from tests.e2e.clients import AGENTS, Agent, agent, install_agents, red_picture, speech
from tests.e2e.conftest import Browser, OpenBrowser, Server, question

pytestmark = [pytest.mark.models, pytest.mark.browser]

LONG = "Count aloud from one to forty, in words, without leaving any out."
LIGHT = "Turn on the light in the kitchen, please."


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    asyncio.run(install_agents())


def told(history: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Who said what, as the agent keeps it."""
    return [
        (entry["role"], part.get("transcript") or part.get("text") or "")
        for entry in history
        if entry["type"] == "message"
        for part in entry["content"]
    ]


async def keeps(client: Agent, who: str, words: str) -> None:
    """Return once the agent's own history says so."""
    async with asyncio.timeout(30):
        while not any(  # noqa: ASYNC110
            who == by and words in said for by, said in told(client.history)
        ):
            await asyncio.sleep(0.05)


async def test_over_a_websocket_a_question_is_answered_and_an_answer_interrupted(
    server: Server, tmp_path: Path
) -> None:
    async with agent(server.url) as client:
        client.say(speech("q01"), tmp_path / "q01.pcm")
        assert "Paris" in await client.answer()
        assert client.n_sound_bytes > 24_000
        await keeps(client, "user", "capital of France")
        await keeps(client, "assistant", "Paris")

        client.order("message", message=LONG)
        await client.wait_for("response.output_audio_transcript.delta", 5)
        client.say(speech("q01"), tmp_path / "q01.pcm")
        cut = (await client.wait_for("response.done", 2))["response"]
        assert cut["status_details"] == {"type": "cancelled", "reason": "turn_detected"}
        assert "Paris" in await client.answer(3)
        assert client.n_interruptions > 0


async def test_over_a_websocket_it_interrupts_and_keeps_what_was_heard(server: Server) -> None:
    async with agent(server.url) as client:
        client.order("message", message=LONG)
        await client.wait_for("response.output_audio_transcript.delta", 5)
        client.order("interrupt")
        cut = (await client.wait_for("response.done"))["response"]
        assert cut["status_details"] == {"type": "cancelled", "reason": "client_cancelled"}
        truncated = await client.wait_for("conversation.item.truncated")
        assert truncated["audio_end_ms"] > 500
        left = (await client.wait_for("conversation.item.retrieved"))["item"]["content"][0]
        assert cut["output"][0]["content"][0]["transcript"].startswith(left["transcript"])
        await keeps(client, "assistant", left["transcript"])


async def test_over_a_websocket_it_may_write_and_show_pictures(server: Server) -> None:
    async with agent(server.url) as client:
        client.order("image", image=red_picture())
        client.order("message", message="Which colour is this picture?")
        assert "red" in (await client.answer()).lower()
        client.order("message", message="What is the capital of Italy?")
        assert "Rome" in await client.answer(2)


async def test_over_a_websocket_its_functions_are_called(server: Server) -> None:
    async with agent(server.url, has_tools=True) as client:
        client.order("message", message=LIGHT)
        await client.wait_for("response.done", 2)
        assert client.results == ["The light in the kitchen is now on."]
        assert "kitchen" in (await client.answer(2)).lower()


BUNDLE = AGENTS / "node_modules/@openai/agents-realtime/dist/bundle"


async def connect(browser: Browser, server: Server, *, has_tools: bool = False) -> None:
    """The agent takes the place of our page, with a client secret that it got from us."""

    async def give_bundle(route: Route) -> None:
        file = BUNDLE / route.request.url.rpartition("/")[2]
        await route.fulfill(path=file, content_type="text/javascript")

    async def make_secret() -> str:
        url = f"{server.url}/v1/realtime/client_secrets"
        with await asyncio.to_thread(urllib.request.urlopen, url, b"{}") as answer:
            return str(json.load(answer)["value"])

    page = browser.page
    await page.route("**/agents.html", lambda route: route.fulfill(path=AGENTS / "page.html"))
    await page.route("**/agents/*.mjs", give_bundle)
    await page.goto(f"{server.url}/agents.html")
    await page.wait_for_function("window.isReady")
    await page.evaluate(
        "([key, tools]) => window.connect(key, tools)", [await make_secret(), has_tools]
    )


async def answer(browser: Browser, n: int = 1) -> str:
    response = (await browser.wait_for("response.done", n))["response"]
    parts = [part for item in response["output"] for part in item.get("content", ())]
    return " ".join(part.get("transcript") or part.get("text") or "" for part in parts)


async def test_over_webrtc_a_question_is_answered_and_an_answer_interrupted(
    open_browser: OpenBrowser, server: Server
) -> None:
    async with open_browser(question("q01")) as browser:
        await connect(browser, server)
        assert "Paris" in await answer(browser)
        await browser.page.evaluate("text => session.sendMessage(text)", LONG)
        await browser.wait_for("response.output_audio_transcript.delta", 4)
        await browser.page.evaluate("session.interrupt()")
        await browser.wait_for("output_audio_buffer.cleared")
        cut = (await browser.wait_for("response.done", 2))["response"]
        assert (cut["status"], cut["status_details"]["reason"]) == ("cancelled", "client_cancelled")
        history = told(await browser.page.evaluate("session.history"))
        assert "capital of France" in history[0][1]
        assert "Paris" in history[1][1]


async def test_over_webrtc_it_may_write_and_show_pictures(
    open_browser: OpenBrowser, server: Server
) -> None:
    async with open_browser() as browser:
        await connect(browser, server)
        await browser.page.evaluate(
            "image => session.addImage(image, { triggerResponse: false })", red_picture()
        )
        await browser.page.evaluate("session.sendMessage('Which colour is this picture?')")
        assert "red" in (await answer(browser)).lower()


async def test_over_webrtc_its_functions_are_called(
    open_browser: OpenBrowser, server: Server
) -> None:
    async with open_browser() as browser:
        await connect(browser, server, has_tools=True)
        await browser.page.evaluate("text => session.sendMessage(text)", LIGHT)
        assert "kitchen" in (await answer(browser, 2)).lower()
        assert await browser.page.evaluate("results") == ["The light in the kitchen is now on."]
