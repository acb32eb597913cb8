"""Another voice, chosen in the page."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.async_api import expect

from tests.e2e.conftest import OpenBrowser

pytestmark = [pytest.mark.models, pytest.mark.browser]


async def test_the_voice_that_was_chosen_answers(open_browser: OpenBrowser) -> None:
    async with open_browser() as browser:
        await browser.start()
        offered = await browser.wait_for("assistant.voices")
        ids = [voice["id"] for voice in offered["voices"]]
        assert ids == ["piper-en-us-joe-medium", "espeak-ng-en"]
        choice = browser.page.locator("#voice-choice")
        await expect(choice).to_have_value("piper-en-us-joe-medium")
        await choice.select_option("espeak-ng-en")
        updated = await browser.wait_for("session.updated")
        assert updated["session"]["audio"]["output"]["voice"] == "espeak-ng-en"
        await browser.page.fill("#message", "Say hello.")
        await browser.page.press("#message", "Enter")
        done = await browser.wait_for("response.done")
        assert done["response"]["status"] == "completed"
        assert np.abs(await browser.heard()).max() > 1_000
        await expect(choice).to_have_value("espeak-ng-en")
