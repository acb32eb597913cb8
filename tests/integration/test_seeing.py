"""From a picture to a spoken answer, through every stage as it really runs."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from assistant.config import Config
from assistant.engines import Engines, start_engines
from assistant.model_store import ModelStore
from assistant.rehearsal import Rehearsal
from assistant.types import ImageFrame
from assistant.vision.framing import Pixels
from assistant.vision.image_file import read_image
from tests.colour_eye import make_colour_eye
from tests.unit.vision.pictures import plain, sign

pytestmark = [pytest.mark.models, pytest.mark.asyncio(loop_scope="module")]

CONFIG = Config()
PICTURES = Path(__file__).parents[1] / "data" / "pictures"
SEE = "What do you see in front of the camera?"
READ = "Can you read the text on this page to me?"
COLOUR = "What colour is the thing I am holding?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines() -> AsyncIterator[Engines]:
    async with start_engines(CONFIG) as engines:
        await engines.wait_ready()
        yield engines


def frame(pixels: Pixels) -> ImageFrame:
    return ImageFrame(pixels=pixels, captured_at_s=0.0)


CAT, COFFEE = (read_image(PICTURES / f"{name}.jpg") for name in ("chelsea", "coffee"))


@pytest.mark.parametrize(
    ("picture", "question", "said"),
    [
        (CAT, SEE, r"\bcat\b"),
        (COFFEE, SEE, r"\b(cup|espresso)\b"),
        (frame(plain((200, 20, 20))), COLOUR, r"\bred\b"),
        (frame(plain((20, 160, 40))), COLOUR, r"\bgreen\b"),
        (frame(plain((20, 40, 200))), COLOUR, r"\bblue\b"),
        (frame(sign("OPEN", "9 to 5")), READ, r"open 9 to 5"),
        (frame(plain((0, 0, 0))), SEE, r"black|dark|cover|see"),
        (frame(plain((255, 255, 255), 1, 1)), SEE, r"white|nothing|see"),
    ],
)
async def test_the_answer_names_what_the_picture_shows(
    engines: Engines, picture: ImageFrame, question: str, said: str
) -> None:
    async with Rehearsal(engines, CONFIG, picture=picture) as rehearsal:
        answer = await rehearsal.say(text=question)
    assert re.search(said, answer.answer.lower()), answer.answer


async def test_a_brain_that_sees_is_given_the_picture_itself(tmp_path: Path) -> None:
    model = ModelStore(CONFIG.models.folder).folder(CONFIG.brain.model)
    make_colour_eye(model / "model.gguf", tmp_path / "mmproj.gguf")
    prompt = "Answer with one word: the name of a colour."
    brain = replace(
        CONFIG.brain,
        projector=tmp_path / "mmproj.gguf",
        prefix_folder=tmp_path,
        system_prompt=prompt,
        temperature=0.0,
    )
    config = replace(CONFIG, brain=brain, eyes=replace(CONFIG.eyes, mode="image"))
    purple = frame(np.full((960, 1_280, 3), (255, 0, 255), np.uint8))
    async with (
        start_engines(config) as engines,
        Rehearsal(engines, config, picture=purple) as rehearsal,
    ):
        await engines.wait_ready()
        answer = await rehearsal.say(text="What colour is this picture?")
    assert answer.scene == ()
    assert "purple" in answer.answer.lower()
