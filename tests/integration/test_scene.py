"""The eyes on their real networks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.config import EyesConfig
from assistant.errors import EyesError, ModelFileError
from assistant.model_store import ModelStore
from assistant.types import ImageFrame
from assistant.vision.framing import Pixels
from assistant.vision.image_file import read_image
from assistant.vision.scene import SceneEngine
from tests.unit.vision.pictures import blurred, coded, noisy, plain, sign

pytestmark = pytest.mark.models

CONFIG = EyesConfig()
STORE = ModelStore(Path("models"))
DETECTOR, TEXT = STORE.folder(CONFIG.detector_model), STORE.folder(CONFIG.text_model)
PICTURES = Path(__file__).parents[1] / "data" / "pictures"


@pytest.fixture(scope="module")
def engine() -> SceneEngine:
    return SceneEngine(CONFIG, DETECTOR, TEXT)


def frame(pixels: NDArray[Any], at_s: float = 1.0) -> ImageFrame:
    return ImageFrame(pixels=pixels, captured_at_s=at_s)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("chelsea.jpg", "a brown cat filling the picture"),
        ("coffee.jpg", "it looks like an espresso"),
        ("rocket.jpg", "missile"),
    ],
)
def test_names_what_a_photo_shows(engine: SceneEngine, name: str, told: str) -> None:
    facts = engine.look(read_image(PICTURES / name)).facts
    assert told in "; ".join(facts)


def test_names_the_cup_before_the_table(engine: SceneEngine) -> None:
    facts = engine.look(read_image(PICTURES / "coffee.jpg")).facts
    assert facts[0].endswith("cup in the middle")


@pytest.mark.parametrize(
    ("word", "colour"),
    [("red", (200, 20, 20)), ("green", (20, 160, 40)), ("blue", (20, 40, 200))],
)
def test_names_a_plain_colour_and_nothing_else(
    engine: SceneEngine, word: str, colour: tuple[int, int, int]
) -> None:
    picture = coded(noisy(plain(colour), 4), 70)
    assert engine.look(frame(picture)).facts == (
        f"the whole picture is {word} and shows nothing else",
    )


@pytest.mark.parametrize("scale", [0.8, 1.5, 3.0])
def test_reads_a_sign(engine: SceneEngine, scale: float) -> None:
    facts = engine.look(frame(sign("OPEN", "9 to 5", scale=scale))).facts
    assert facts == ('a white sign with this text: "OPEN 9 to 5"',)


@pytest.mark.parametrize("degrees", [-8, 8])
def test_reads_a_page_that_is_held_at_an_angle(engine: SceneEngine, degrees: float) -> None:
    lines = ("The museum opens", "at ten on Friday", "and at noon on", "every other day")
    turn = cv2.getRotationMatrix2D((320, 240), degrees, 0.9)
    page = cv2.warpAffine(sign(*lines), turn, (640, 480), borderValue=(255, 255, 255))
    facts = engine.look(frame(np.asarray(page, np.uint8))).facts
    assert f'a white sign with this text: "{" ".join(lines)}"' in facts


def test_reads_no_more_than_it_may(engine: SceneEngine) -> None:
    page = sign(*["many words in a long line of text"] * 20, scale=0.6)
    (text,) = [fact for fact in engine.look(frame(page)).facts if "text" in fact]
    assert text.endswith('…"')
    assert len(text) < 440


def test_admits_that_it_cannot_see(engine: SceneEngine) -> None:
    photo = read_image(PICTURES / "chelsea.jpg").pixels
    assert "the picture is blurred" in engine.look(frame(blurred(photo, 6))).facts
    assert "the picture is dark" in engine.look(frame(photo // 5)).facts
    assert engine.look(frame(photo // 25)).facts[0].startswith("the picture is black")


def test_an_unchanged_picture_is_not_looked_at_again(
    engine: SceneEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = sign("UNCHANGED")
    first = engine.look(frame(picture, at_s=1.0))
    monkeypatch.setattr(engine, "_see", None)
    again = engine.look(frame(coded(noisy(picture, 4), 80), at_s=2.0))
    assert again.facts == first.facts
    assert (first.captured_at_s, again.captured_at_s) == (1.0, 2.0)


@pytest.mark.parametrize(
    "pixels",
    [
        np.full((1, 1, 3), 230, np.uint8),
        np.full((1, 700, 3), 230, np.uint8),
        np.full((700, 1, 3), 230, np.uint8),
        np.full((5_000, 10_000, 3), 230, np.uint8),
        np.full((48, 64), 230, np.uint8),
        np.full((48, 64, 4), 230, np.uint8),
    ],
)
def test_odd_pictures_are_only_plain(engine: SceneEngine, pixels: NDArray[Any]) -> None:
    assert "the whole picture is white" in engine.look(frame(pixels)).facts[0]


def test_noise_is_nothing_that_was_recognised(engine: SceneEngine) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (480, 640, 3), np.uint8)
    assert not [fact for fact in engine.look(frame(noise)).facts if "text" in fact]


def test_what_is_no_picture_is_refused(engine: SceneEngine) -> None:
    with pytest.raises(EyesError):
        engine.look(frame(np.zeros((0, 4, 3), np.uint8)))
    assert engine.look(frame(plain((200, 20, 20)))).facts


def test_what_is_transparent_is_white(engine: SceneEngine) -> None:
    clear = np.zeros((48, 64, 4), np.uint8)
    assert "white" in engine.look(frame(clear)).facts[0]


def test_the_person_gets_the_frame_back_and_a_brain_that_sees_gets_it_smaller(
    engine: SceneEngine,
) -> None:
    photo = read_image(PICTURES / "chelsea.jpg")
    scene = engine.look(photo, image_side_px=128)
    assert scene.image is not None
    assert max(scene.image.pixels.shape) == 128
    preview = cv2.imdecode(np.frombuffer(scene.preview, np.uint8), cv2.IMREAD_COLOR_RGB)
    assert preview is not None
    assert max(preview.shape) == 320
    assert len(scene.preview) < 30_000
    assert engine.look(photo).image is None


@pytest.mark.parametrize(("mode", "tells_facts"), [("image", False), ("both", True)])
def test_facts_are_left_out_only_where_the_image_is_enough(
    mode: Literal["image", "both"], tells_facts: bool
) -> None:
    engine = SceneEngine(replace(CONFIG, mode=mode), DETECTOR, TEXT)
    photo = read_image(PICTURES / "chelsea.jpg")
    assert bool(engine.look(photo, image_side_px=128).facts) is tells_facts
    assert engine.look(photo).facts


def test_things_are_told_with_their_place(engine: SceneEngine) -> None:
    (cat,) = engine.look(read_image(PICTURES / "chelsea.jpg")).things
    assert cat.label == "cat"
    assert 0.3 < cat.x < 0.7


def test_several_threads_may_look_at_once(engine: SceneEngine) -> None:
    pictures: list[Pixels] = [sign(f"NUMBER {i}") for i in range(2, 8)]
    with ThreadPoolExecutor(3) as threads:
        scenes = list(threads.map(lambda picture: engine.look(frame(picture)), pictures))
    for i, scene in enumerate(scenes, start=2):
        assert f'a white sign with this text: "NUMBER {i}"' in scene.facts


def test_a_missing_model_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="pull its model again"):
        SceneEngine(CONFIG, tmp_path, TEXT)
    with pytest.raises(ModelFileError, match="pull its model again"):
        SceneEngine(CONFIG, DETECTOR, tmp_path)
