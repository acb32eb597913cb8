"""The whole engine on a generated brain of random weights."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.config import BrainConfig
from assistant.conversation import Conversation
from assistant.errors import BrainError, ModelFileError
from assistant.llm.context import Sampler
from assistant.llm.engine import Engine
from assistant.llm.model import Model
from assistant.llm.sampling import Distribution
from assistant.llm.text import THINK_TAGS
from assistant.types import ImageFrame, Message, Prompt, Role, Scene, Spoken
from assistant.worker_host import Leaving
from tests.tiny_vision_model import make_tiny_brain, make_tiny_projector

CONFIG = BrainConfig(
    context_tokens=4_096,
    max_conversations=2,
    repeat_penalty=1.5,
    system_prompt="Say something.",
    threads=1,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("brain")
    make_tiny_brain(folder / "model.gguf")
    make_tiny_projector(folder / "mmproj.gguf", "mlp")
    return folder


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[Engine]:
    with closing(Engine(CONFIG, folder, None, folder / "prefixes")) as engine:
        yield engine


def asked(text: str) -> Prompt:
    return (
        Message(role=Role.SYSTEM, text=CONFIG.system_prompt),
        Message(role=Role.USER, text=text),
    )


def reply(engine: Engine, prompt: Prompt, max_tokens: int = 12) -> str:
    return "".join(piece.text for piece in engine.reply(prompt, max_tokens, Leaving()))


def say_only(monkeypatch: pytest.MonkeyPatch, tokens: list[int]) -> None:
    """Whatever the brain thinks."""
    queue = iter(tokens)

    def distribution(sampler: Sampler, logits: NDArray[np.float32]) -> Distribution:
        return Distribution.certain(next(queue))

    monkeypatch.setattr(Sampler, "distribution", distribution)


def test_the_same_seed_gives_the_same_reply(engine: Engine, folder: Path) -> None:
    prompt = asked("Hello")
    assert reply(engine, prompt) == reply(engine, prompt)
    with closing(Engine(replace(CONFIG, seed=7), folder, None, folder / "prefixes")) as other:
        assert reply(other, prompt) != reply(engine, prompt)


def test_a_brain_that_says_nothing_fails_with_a_sentence(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model(folder / "model.gguf")
    (end,) = model.tokenize("<|im_end|>", parse_special=True)
    (space,) = model.tokenize(" ", parse_special=False)
    for tokens in ([end], [space] * 5 + [end], [space] * 12):
        with monkeypatch.context() as patch:
            say_only(patch, tokens)
            with pytest.raises(BrainError, match="empty answer"):
                reply(engine, asked("Hello"))
    assert engine.is_idle


def test_a_brain_that_repeats_itself_is_stopped(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        say_only(patch, [40, 41, 42] * 1_000)
        with pytest.raises(BrainError, match="repeats itself"):
            reply(engine, asked("Hello"), 1_000)
    assert engine.is_idle
    assert reply(engine, asked("Hello"))


def test_a_stop_sequence_ends_the_reply(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model(folder / "model.gguf")
    written = model.tokenize("Yes.<|im_end|>And then", parse_special=False)
    assert len(written) > 15, "letter by letter"
    with monkeypatch.context() as patch:
        say_only(patch, written * 2)
        *pieces, last = engine.reply(asked("Hello"), 40, Leaving())
    assert "".join(piece.text for piece in (*pieces, last)) == "Yes."
    assert last.stats is not None
    assert engine.is_idle
    assert reply(engine, asked("Hello"))


def test_reasoning_is_not_spoken_where_its_tags_are_control_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tiny_brain(tmp_path / "model.gguf", control_tokens=THINK_TAGS)
    written = Model(tmp_path / "model.gguf").tokenize(
        "<think>Hm.</think>Yes.<|im_end|>", parse_special=True
    )
    with closing(Engine(CONFIG, tmp_path, None, tmp_path)) as engine:
        say_only(monkeypatch, written)
        assert reply(engine, asked("Hello"), 40) == "Yes."


@pytest.mark.parametrize("wanted", [64, 1])
def test_more_threads_than_cores_are_not_used(
    folder: Path, wanted: int, caplog: pytest.LogCaptureFixture
) -> None:
    config = replace(CONFIG, threads=wanted)
    with closing(Engine(config, folder, None, folder / "prefixes")) as engine:
        assert reply(engine, asked("Hello"))
    warned = [record.message for record in caplog.records if "brain.threads" in record.message]
    assert len(warned) == (wanted > (os.cpu_count() or 1))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (
            lambda content: content.replace(b"llama", b"zebra"),
            "unknown model architecture: 'zebra'",
        ),
        (lambda content: content[: len(content) // 2], "corrupted or incomplete"),
        (lambda content: b"x" * 4096, "invalid magic"),
        (lambda content: b"", "failed to read"),
    ],
)
def test_a_file_that_cannot_be_run_is_refused_with_the_reason(
    spoil: Callable[[bytes], bytes], reason: str, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "model.gguf").write_bytes(spoil((folder / "model.gguf").read_bytes()))
    with pytest.raises(ModelFileError, match=reason):
        Engine(CONFIG, tmp_path, None, tmp_path)


def test_every_piece_but_the_last_has_text(engine: Engine) -> None:
    *pieces, last = engine.reply(asked("Hello"), 12, Leaving())
    assert all(piece.text for piece in pieces)
    assert last.stats is not None
    assert last.stats.reply_tokens <= 12


def test_a_shorter_conversation_is_read_beside_the_one_that_stands(engine: Engine) -> None:
    words = "It was said that, and then it was said again. " * 8
    told = [Message(role=Role.USER, text=words), Message(role=Role.ASSISTANT, text=words)]
    first = Message(role=Role.SYSTEM, text=CONFIG.system_prompt)
    question = Message(role=Role.USER, text="And now?")
    whole, shorter = (first, *told, *told, question), (first, *told, question)
    engine.prefill(whole, Leaving())
    engine.read_ahead(shorter, Leaving())
    for prompt in (whole, shorter, (first, *told[:1], question)):
        *_, last = engine.reply(prompt, 2, Leaving())
        assert last.stats is not None
        assert last.stats.reread_tokens == 0
    *_, last = engine.reply((first, *told[::-1], question), 2, Leaving())
    assert last.stats is not None
    assert last.stats.reread_tokens > len(words)


def test_a_long_conversation_with_pictures_never_overflows(engine: Engine) -> None:
    """The tiny brain counts a token a byte, which is three times what a conversation expects."""
    conversation = Conversation(system_prompt=CONFIG.system_prompt, max_tokens=3_072)
    most = 0
    for turn in range(200):
        pixels = np.full((32, 32, 3), turn, np.uint8)
        frame = ImageFrame(pixels=pixels, captured_at_s=0) if turn % 5 == 0 else None
        scene = Scene(image=frame)
        asked = conversation.asking(f"And number {turn}? " * 2, turn_id=str(turn), scene=scene)
        engine.prefill(asked.prompt, Leaving())
        *pieces, last = engine.reply(asked.prompt, 5, Leaving())
        assert last.stats is not None
        most = max(most, last.stats.prompt_tokens)
        assert last.stats.prompt_tokens + 5 <= CONFIG.context_tokens
        heard = "".join(piece.text for piece in (*pieces, last))
        conversation.remember(
            asked, str(turn), Spoken(heard), prompt_tokens=last.stats.prompt_tokens
        )
        engine.read_ahead(conversation.asking("", turn_id="").prompt, Leaving())
        if (shorter := conversation.shortened()) is not None:
            engine.read_ahead(shorter.prompt, Leaving())
            conversation.adopt(shorter)
    assert engine.is_idle
    assert most > CONFIG.context_tokens / 4
