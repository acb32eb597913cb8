"""Somebody talks to the page and is answered aloud, through everything that a person would use."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest

from assistant.asr.whisper import Ears
from tests.e2e.conftest import OpenBrowser, Server, question
from tests.unit.vision.pictures import sign

pytestmark = [pytest.mark.models, pytest.mark.browser]


async def test_a_spoken_question_is_answered_aloud(open_browser: OpenBrowser, ears: Ears) -> None:
    async with open_browser(question("q01")) as browser:
        await browser.start()
        said = await browser.wait_for("conversation.item.input_audio_transcription.completed")
        assert "capital of france" in said["transcript"].lower()
        await browser.wait_for("response.done")
        await asyncio.sleep(0.5)
        heard = ears.transcribe(await browser.heard(), True)
        assert "paris" in heard.text.lower()
        timeline = (await browser.events("assistant.timeline"))[-1]
        path = [line for line in timeline["lines"] if not line["overlapped"]]
        path_ms = sum(line["duration_ms"] for line in path)
        assert path_ms == pytest.approx(timeline["voice_to_voice_ms"], abs=1)
        assert (path[0]["name"], path[-1]["name"]) == ("capture and uplink", "network and playout")
        caption = await browser.page.inner_text("main")
        assert "France" in caption
        assert "Paris" in caption


async def test_what_the_camera_shows_is_part_of_the_answer(open_browser: OpenBrowser) -> None:
    red = np.zeros((480, 640, 3), np.uint8)
    red[:, :, 0] = 220
    async with open_browser(question("q05"), red, path="/?camera=1") as browser:
        await browser.start()
        scene = await browser.wait_for("assistant.scene")
        assert "red" in " ".join(scene["facts"])
        done = await browser.wait_for("response.done")
        answer = done["response"]["output"][0]["content"][0]["transcript"]
        assert "red" in answer.lower()
        shown = await browser.page.get_attribute("#looked", "src")
        assert shown is not None
        assert shown == (await browser.events("assistant.scene"))[-1]["picture"]
        assert await browser.page.is_visible("#looked")


async def test_a_sign_is_read_from_the_few_pictures_that_the_page_sends(
    open_browser: OpenBrowser,
) -> None:
    async with open_browser(question("q06"), sign("OPEN", "9 to 5"), path="/?camera=1") as browser:
        await browser.start()
        done = await browser.wait_for("response.done")
        answer = done["response"]["output"][0]["content"][0]["transcript"]
        assert "open 9 to 5" in answer.lower()


async def test_a_typed_question_is_answered_aloud(open_browser: OpenBrowser) -> None:
    async with open_browser() as browser:
        await browser.start()
        await browser.wait_for("session.created")
        await browser.page.fill("input[type=text]", "What is the capital of Italy?")
        await browser.page.keyboard.press("Enter")
        done = await browser.wait_for("response.done")
        assert "Rome" in done["response"]["output"][0]["content"][0]["transcript"]
        assert np.abs(await browser.heard()).max() > 1_000


async def test_nothing_is_live_after_stop(open_browser: OpenBrowser, server: Server) -> None:
    before = await n_sessions(server)
    async with open_browser() as browser:
        await browser.page.evaluate(
            """() => {
              window.tracks = [];
              const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
              navigator.mediaDevices.getUserMedia = async (wanted) => {
                const stream = await open(wanted);
                window.tracks.push(...stream.getTracks());
                return stream;
              };
            }"""
        )
        await browser.start()
        await browser.wait_for("session.created")
        await browser.page.click("#start")
        await browser.page.wait_for_function("window.tracks.length > 0")
        await browser.page.wait_for_function(
            "window.tracks.every((track) => track.readyState === 'ended')"
        )
    await until_at_most(server, before)


async def test_a_browser_that_is_killed_is_noticed(
    open_browser: OpenBrowser, server: Server
) -> None:
    before = await n_sessions(server)
    async with open_browser(question("q07")) as browser:
        await browser.start()
        await browser.wait_for("response.created")
        assert await n_sessions(server) >= 1
    await until_at_most(server, before)


async def n_sessions(server: Server) -> int:
    """Of those who are there; browsers that other tests closed just now included."""
    _, body = await asyncio.to_thread(server.health)
    return int(json.loads(body)["sessions"])


async def until_at_most(server: Server, n: int) -> None:
    """A vanished browser has to be noticed by the server itself."""
    async with asyncio.timeout(20):
        while await n_sessions(server) > n:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
