"""What the brain sees, through the real path from pixels to words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from assistant.config import BrainConfig
from assistant.llm.engine import Engine
from assistant.model_store import ModelStore
from assistant.types import ImageFrame, Message, Prompt, Role
from assistant.worker_host import Leaving
from tests.colour_eye import CORNERS, make_colour_eye

pytestmark = pytest.mark.models

MODEL = ModelStore(Path("models")).folder(BrainConfig().model)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("eye")
    make_colour_eye(MODEL / "model.gguf", folder / "mmproj.gguf")
    config = BrainConfig(
        temperature=0,
        context_tokens=1_024,
        max_conversations=2,
        projector=folder / "mmproj.gguf",
        system_prompt="Answer with one word: the name of a colour.",
    )
    with closing(Engine(config, MODEL, None, folder)) as engine:
        yield engine


def one_colour(name: str) -> ImageFrame:
    levels = [255 if channel > 0 else 0 for channel in CORNERS[name]]
    pixels = np.full((60, 80, 3), levels, np.uint8)
    return ImageFrame(pixels=pixels, captured_at_s=0)


def question(frame: ImageFrame) -> Prompt:
    return (
        Message(role=Role.SYSTEM, text="Answer with one word: the name of a colour."),
        Message(role=Role.USER, text="What colour is this picture?", image=frame),
    )


@pytest.mark.parametrize("colour", ["red", "green", "blue", "yellow", "purple", "white"])
def test_the_brain_names_the_colour_that_it_sees(engine: Engine, colour: str) -> None:
    pieces = engine.reply(question(one_colour(colour)), 8, Leaving())
    assert colour in "".join(piece.text for piece in pieces).lower()
