"""Drafting on generated models of random weights: what is said does not change."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from assistant.config import BrainConfig
from assistant.errors import ModelFileError
from assistant.llm.draft import DraftLength
from assistant.llm.engine import Engine
from assistant.types import ImageFrame, Message, Prompt, ReplyStats, Role
from assistant.worker_host import Leaving
from tests.logits import assert_agree
from tests.tiny_vision_model import make_tiny_brain, make_tiny_projector

CONFIG = BrainConfig(
    temperature=0, context_tokens=512, max_conversations=2, system_prompt="Say.", threads=1
)
SYSTEM = Message(role=Role.SYSTEM, text=CONFIG.system_prompt)
PICTURE = ImageFrame(pixels=np.full((32, 32, 3), 99, np.uint8), captured_at_s=0)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("draft")
    seeds = {"brain": 0, "twin": 0, "stranger": 5}
    for name, seed in seeds.items():
        (root / name).mkdir()
        make_tiny_brain(root / name / "model.gguf", seed=seed)
    make_tiny_projector(root / "brain" / "mmproj.gguf", "mlp")
    return {name: root / name for name in seeds}


@pytest.fixture
def three_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it pays or not."""
    monkeypatch.setattr(DraftLength, "best", 3)


@contextmanager
def running(brain: Path, draft: Path | None, config: BrainConfig = CONFIG) -> Iterator[Engine]:
    with closing(Engine(config, brain, draft, brain / "prefixes")) as engine:
        yield engine


def asked(text: str, frame: ImageFrame | None = None) -> Prompt:
    return (SYSTEM, Message(role=Role.USER, text=text, image=frame))


def stats_of(engine: Engine, prompt: Prompt) -> ReplyStats:
    *_, last = engine.reply(prompt, 20, Leaving())
    assert last.stats is not None
    return last.stats


@pytest.mark.usefixtures("three_guesses")
@pytest.mark.parametrize("draft", ["twin", "stranger"])
@pytest.mark.parametrize("frame", [None, PICTURE], ids=["words", "picture"])
def test_a_draft_model_changes_nothing_that_is_said(
    folders: dict[str, Path], draft: str, frame: ImageFrame | None
) -> None:
    with running(folders["brain"], folders[draft]) as engine:
        with running(folders["brain"], None) as plain:
            for text in ("Hello", "Who is there?", "Hello"):
                assert_agree(engine, plain, asked(text, frame))
        stats = stats_of(engine, asked("Hello", frame))
        *_, last = engine.reply_undrafted(asked("Hello", frame), 20, Leaving())
    assert stats.drafted_tokens > 0
    assert stats.draft_length == 3
    assert last.stats is not None
    assert last.stats.drafted_tokens == 0
    if draft == "twin" and frame is None:
        assert stats.accepted_tokens == stats.drafted_tokens


def test_looking_up_in_the_conversation_changes_nothing_that_is_said(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DraftLength, "best", 3)
    config = BrainConfig(
        temperature=0,
        context_tokens=512,
        max_conversations=2,
        system_prompt="Say.",
        threads=1,
        draft_from_conversation=True,
    )
    with (
        running(folders["brain"], None, config) as engine,
        running(folders["brain"], None) as plain,
    ):
        assert_agree(engine, plain, asked("one two three one two three one two"))


def test_without_a_gain_nothing_is_drafted(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DraftLength, "best", 0)
    with running(folders["brain"], folders["twin"]) as engine:
        stats = stats_of(engine, asked("Hello"))
    assert stats.drafted_tokens == 0
    assert stats.draft_length == 0
    assert stats.predicted_speed_ratio == 1


def test_a_draft_model_with_another_vocabulary_is_refused_with_a_sentence(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    make_tiny_brain(tmp_path / "model.gguf", extra_tokens=("hello",))
    with pytest.raises(ModelFileError, match="vocabularies differ"):
        Engine(CONFIG, folders["brain"], tmp_path, tmp_path)
