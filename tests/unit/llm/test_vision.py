"""The real path from pixels to cells, on generated models of random weights."""

import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.config import BrainConfig
from assistant.errors import BrainError, ModelFileError
from assistant.llm.engine import Engine
from assistant.llm.vision import Encoded, Projector
from assistant.types import ImageFrame, Message, Prompt, ReplyStats, Role
from assistant.worker_host import Leaving
from tests.logits import watch_logits
from tests.tiny_vision_model import M_ROPE, PROJECTORS, make_tiny_brain, make_tiny_projector

CONFIG = BrainConfig(
    temperature=0,
    repeat_penalty=1.5,
    context_tokens=1_024,
    max_conversations=2,
    system_prompt="Look.",
    threads=1,
)
SYSTEM = Message(role=Role.SYSTEM, text=CONFIG.system_prompt)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A model folder for each kind of projector."""
    root = tmp_path_factory.mktemp("tiny")
    for kind in PROJECTORS:
        (root / kind).mkdir()
        brain = "qwen2vl" if kind == M_ROPE else "llama"
        make_tiny_brain(root / kind / "model.gguf", kind=brain)
        make_tiny_projector(root / kind / "mmproj.gguf", kind)
    return {kind: root / kind for kind in PROJECTORS}


@contextmanager
def running(folder: Path, config: BrainConfig = CONFIG) -> Iterator[Engine]:
    with closing(Engine(config, folder, None, folder / "prefixes")) as engine:
        yield engine


def picture(seed: int, *, width: int = 48, height: int = 32) -> ImageFrame:
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)
    return ImageFrame(pixels=pixels, captured_at_s=0)


def asked(text: str, frame: ImageFrame | None = None) -> Prompt:
    return (SYSTEM, Message(role=Role.USER, text=text, image=frame))


def reply(engine: Engine, prompt: Prompt, max_tokens: int = 6) -> tuple[str, ReplyStats]:
    pieces = list(engine.reply(prompt, max_tokens, Leaving()))
    assert pieces[-1].stats is not None
    return "".join(piece.text for piece in pieces), pieces[-1].stats


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[ImageFrame]:
    """Every frame that was encoded."""
    frames: list[ImageFrame] = []
    encode = Projector.encode

    def watch(projector: Projector, frame: ImageFrame) -> Encoded:
        frames.append(frame)
        return encode(projector, frame)

    monkeypatch.setattr(Projector, "encode", watch)
    return frames


@pytest.mark.parametrize("kind", PROJECTORS)
def test_a_picture_is_read_before_the_words(
    kind: str, folders: dict[str, Path], encoded: list[ImageFrame]
) -> None:
    with running(folders[kind]) as engine:
        prompts = [asked("What?", picture(1)), asked("What?"), asked("What?", picture(2))]
        seen, blind, other = (watch_logits(engine, prompt, max_tokens=1)[0] for prompt in prompts)
    assert abs(seen - blind).max() > 0.01
    assert abs(seen - other).max() > 0.01
    assert len(encoded) == 2


@pytest.mark.parametrize("kind", PROJECTORS)
def test_a_picture_is_encoded_once_and_read_once(
    kind: str, folders: dict[str, Path], encoded: list[ImageFrame]
) -> None:
    with running(folders[kind]) as engine:
        engine.prefill(asked("", picture(1)), Leaving())
        _, first = reply(engine, asked("What?", picture(1)))
        assert first.prompt_tokens - first.cached_tokens <= len("What?") + 20
        question = asked("Where is it, please?", picture(1))
        (again, *_) = watch_logits(engine, question, max_tokens=1)
        assert len(encoded) == 1
        with running(folders[kind]) as fresh:
            (anew, *_) = watch_logits(fresh, question, max_tokens=1)
    assert abs(again - anew).max() < 0.001


def test_with_m_rope_a_picture_has_fewer_positions_than_tokens(folders: dict[str, Path]) -> None:
    with running(folders[M_ROPE]) as engine:
        assert engine._sight is not None
        cell = engine._sight.picture(picture(1))
    assert cell.n_positions < cell.n_tokens


def test_a_picture_of_an_earlier_turn_stays_in_the_cache(
    folders: dict[str, Path], encoded: list[ImageFrame]
) -> None:
    with running(folders["mlp"]) as engine:
        first = asked("What?", picture(1))
        said, _ = reply(engine, first)
        later = (*first, Message(role=Role.ASSISTANT, text=said), asked("And?", picture(2))[1])
        _, stats = reply(engine, later)
        assert stats.cached_tokens > 20
    assert len(encoded) == 2


def test_a_picture_of_several_tiles_is_one_cell(
    tmp_path: Path, folders: dict[str, Path], encoded: list[ImageFrame]
) -> None:
    make_tiny_brain(tmp_path / "model.gguf")
    make_tiny_projector(tmp_path / "mmproj.gguf", "idefics3", preprocessed_px=96)
    frame = picture(1, width=192, height=128)
    with running(tmp_path) as engine, running(folders["idefics3"]) as one_tile:
        _, stats = reply(engine, asked("What?", frame))
        _, whole = reply(one_tile, asked("What?", frame))
        assert stats.prompt_tokens > 2 * whole.prompt_tokens
        encoded.clear()
        question = asked("Where?", frame)
        (again, *_) = watch_logits(engine, question, max_tokens=1)
        assert encoded == []
        with running(tmp_path) as fresh:
            (anew, *_) = watch_logits(fresh, question, max_tokens=1)
    assert abs(again - anew).max() < 0.001


def test_only_as_many_encoded_pictures_are_kept_as_fit(
    folders: dict[str, Path], encoded: list[ImageFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Encoded, "n_bytes", property(lambda self: 400_000))
    config = BrainConfig(
        temperature=0, context_tokens=1_024, max_conversations=1, image_memory_mb=1, threads=1
    )
    with running(folders["mlp"], config) as engine:
        for seed in (1, 2, 3, 1, 3):
            reply(engine, asked("Well?", picture(seed)), 2)
    seeds = [next(s for s in (1, 2, 3) if (picture(s).pixels == f.pixels).all()) for f in encoded]
    assert seeds == [1, 2, 3, 1]


def test_leaving_while_a_picture_is_encoded_leaves_the_engine_idle(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving = Leaving()
    encode = Projector.encode

    def leave_and_encode(projector: Projector, frame: ImageFrame) -> Encoded:
        leaving.set()
        return encode(projector, frame)

    monkeypatch.setattr(Projector, "encode", leave_and_encode)
    with running(folders["mlp"]) as engine:
        assert list(engine.reply(asked("What?", picture(1)), 6, leaving)) == []
        assert engine.is_idle
        assert reply(engine, asked("What?", picture(1)))[0]


def test_a_picture_that_cannot_be_encoded_fails_its_reply_alone(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(projector: Projector, frame: ImageFrame) -> Encoded:
        raise BrainError("no light")

    with running(folders["mlp"]) as engine:
        with monkeypatch.context() as patch:
            patch.setattr(Projector, "encode", fail)
            with pytest.raises(BrainError, match="no light"):
                reply(engine, asked("What?", picture(1)))
        assert reply(engine, asked("What?", picture(1)))[0]


@pytest.mark.skipif(sys.platform != "linux", reason="counts the threads in /proc")
def test_only_one_thread_keeps_helpers(folders: dict[str, Path]) -> None:
    def n_helpers() -> int:
        return len(list(Path("/proc/self/task").iterdir())) - threading.active_count()

    before = n_helpers()
    with running(folders["mlp"], replace(CONFIG, threads=2)) as engine:
        reply(engine, asked("What?", picture(1)))
        assert n_helpers() - before <= 1


def test_without_a_projector_pictures_are_left_out(tmp_path: Path) -> None:
    make_tiny_brain(tmp_path / "model.gguf")
    with running(tmp_path) as engine:
        _, stats = reply(engine, asked("What?", picture(1)))
        _, blind = reply(engine, asked("What?"))
        assert stats.prompt_tokens == blind.prompt_tokens


def test_a_projector_for_another_model_is_refused_with_a_sentence(tmp_path: Path) -> None:
    make_tiny_brain(tmp_path / "model.gguf", embedding_length=32)
    make_tiny_projector(tmp_path / "mmproj.gguf", "mlp")
    with pytest.raises(ModelFileError, match=r"no projector for .*mismatch"):
        Engine(CONFIG, tmp_path, None, tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a projector", b"GGUF" + bytes(100)])
def test_a_file_that_is_no_projector_is_refused_with_a_sentence(
    tmp_path: Path, content: bytes
) -> None:
    make_tiny_brain(tmp_path / "model.gguf")
    (tmp_path / "mmproj.gguf").write_bytes(content)
    with pytest.raises(ModelFileError, match="no projector for"):
        Engine(CONFIG, tmp_path, None, tmp_path)
