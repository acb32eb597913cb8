"""A conversation in Chinese with what is here: no clip of a person, and espeak-ng as the voice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
import soxr

from assistant.ask import ask
from assistant.config_file import load
from assistant.engines import Engines, start_engines
from assistant.tts.espeak_library import EspeakLibrary
from assistant.voices import espeak_language, script_languages

pytestmark = [pytest.mark.models, pytest.mark.asyncio(loop_scope="module")]

CONFIG = load(Path("configs/zh.toml"), ["brain.model=smollm2-135m-instruct", "eyes.mode=off"])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines() -> AsyncIterator[Engines]:
    async with start_engines(CONFIG) as engines:
        await engines.wait_ready()
        yield engines


async def test_a_typed_question_is_answered_aloud(engines: Engines) -> None:
    answer = await ask(engines, CONFIG, text="请说：你好，世界。")
    assert answer.answer
    assert np.abs(answer.sound).max() > 1_000


async def test_a_chinese_phrase_says_who_speaks_where_no_natural_voice_is_here(
    engines: Engines,
) -> None:
    if espeak_language(engines.standard_voice) is None:
        pytest.skip("a natural voice is here")
    answer = await ask(engines, CONFIG, text="你好")
    told = [entry.reason for entry in answer.degraded if entry.stage == "voice"]
    assert told == [engines.voices.shortcoming(engines.standard_voice)]


async def test_spoken_chinese_is_heard_as_chinese(engines: Engines) -> None:
    library = EspeakLibrary()
    sound = library.synthesize("你好，你叫什么名字？", library.languages()["zh"], speed=0.9)
    speech = (16_000 * soxr.resample(sound, library.sample_rate_hz, 16_000)).astype(np.int16)
    hypothesis = await engines.recognizer.transcribe(speech, is_final=True)
    assert "zh" in script_languages(hypothesis.text)
