"""The brain on a real, small model."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.config import BrainConfig
from assistant.errors import BrainError, ModelFileError
from assistant.llm.engine import Engine
from assistant.model_store import ModelStore
from assistant.types import Message, Prompt, ReplyPiece, ReplyStats, Role
from assistant.worker_host import Leaving
from tests.logits import assert_agree

pytestmark = pytest.mark.models

MODEL = ModelStore(Path("models")).folder("smollm2-135m-instruct")
GREEDY = BrainConfig(
    model="smollm2-135m-instruct",
    temperature=0,
    repeat_penalty=1.0,
    context_tokens=2_048,
    max_conversations=3,
)
SYSTEM = Message(role=Role.SYSTEM, text=GREEDY.system_prompt)
LONG_STORY = "Tell me a long story about a dragon who learns to cook."


@pytest.fixture(scope="module")
def prefixes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prefixes")


@pytest.fixture(scope="module")
def engine(prefixes: Path) -> Iterator[Engine]:
    with closing(Engine(GREEDY, MODEL, None, prefixes)) as engine:
        yield engine


@pytest.fixture
def fresh(prefixes: Path) -> Iterator[Engine]:
    """An engine that has heard nothing yet."""
    with closing(Engine(GREEDY, MODEL, None, prefixes)) as engine:
        yield engine


def asked(*texts: str) -> Prompt:
    """User and assistant take turns; the user begins."""
    roles = (Role.USER, Role.ASSISTANT)
    turns = (Message(role=roles[i % 2], text=text) for i, text in enumerate(texts))
    return (SYSTEM, *turns)


def reply(engine: Engine, prompt: Prompt, max_tokens: int = 20) -> tuple[str, ReplyStats]:
    pieces = list(engine.reply(prompt, max_tokens, Leaving()))
    assert pieces[-1].stats is not None
    assert all(piece.stats is None for piece in pieces[:-1])
    return "".join(piece.text for piece in pieces), pieces[-1].stats


def test_a_question_is_answered(engine: Engine) -> None:
    text, stats = reply(engine, asked("What is the capital of France?"))
    assert "Paris" in text
    assert 0 < stats.cached_tokens < stats.prompt_tokens
    assert stats.ttft_ms >= stats.prefill_ms
    assert stats.tpot_ms is not None


def test_the_system_prompt_and_the_turns_before_are_not_read_again(engine: Engine) -> None:
    first = asked("Name one fruit.")
    text, stats = reply(engine, first)
    second = (*first, Message(role=Role.ASSISTANT, text=text), asked("And a vegetable?")[1])
    _, later = reply(engine, second)
    assert later.cached_tokens > stats.prompt_tokens
    assert later.prompt_tokens - later.cached_tokens < 20


def test_only_the_last_words_are_left_after_reading_along(engine: Engine) -> None:
    engine.prefill(asked("Can you tell me which animal is the largest on"), Leaving())
    _, stats = reply(engine, asked("Can you tell me which animal is the largest on earth?"))
    assert stats.prompt_tokens - stats.cached_tokens <= 8


def test_words_that_were_heard_differently_are_read_again(engine: Engine, fresh: Engine) -> None:
    engine.prefill(asked("How many legs does a spy have, in the"), Leaving())
    question = asked("How many legs does a spider have?")
    assert_agree(engine, fresh, question)


def test_leaving_stops_the_reply_and_the_engine_is_idle(engine: Engine) -> None:
    leaving = Leaving()
    pieces: list[ReplyPiece] = []
    for piece in engine.reply(asked(LONG_STORY), 400, leaving):
        pieces.append(piece)
        if len(pieces) == 5:
            leaving.set()
    assert len(pieces) < 20
    assert pieces[-1].stats is None
    assert engine.is_idle


def test_closing_the_stream_leaves_too(engine: Engine) -> None:
    stream = engine.reply(asked(LONG_STORY), 400, Leaving())
    next(stream)
    stream.close()
    assert engine.is_idle


def test_someone_who_has_left_already_gets_nothing(engine: Engine) -> None:
    leaving = Leaving()
    leaving.set()
    assert list(engine.reply(asked("Hello?"), 20, leaving)) == []
    assert engine.is_idle


def test_two_replies_are_written_at_once(engine: Engine) -> None:
    spans: dict[str, list[float]] = {}

    def write(name: str) -> None:
        prompt = asked(f"Write about {name}.")
        spans[name] = [time.monotonic() for _ in engine.reply(prompt, 40, Leaving())]

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, ("the sea", "the moon")))
    (a, b) = spans.values()
    assert a[0] < b[-1]
    assert b[0] < a[-1]


def test_a_reply_does_not_wait_for_what_is_read_along(engine: Engine) -> None:
    finished: list[str] = []

    def read() -> None:
        engine.prefill(asked("Listen to this. " + "It was a very long day. " * 40), Leaving())
        finished.append("read along")

    thread = threading.Thread(target=read)
    thread.start()
    while engine.is_idle:
        time.sleep(0)
    reply(engine, asked("Hello?"), 1)
    finished.append("reply")
    thread.join()
    assert finished == ["reply", "read along"]


def test_a_conversation_comes_back_after_others(engine: Engine, fresh: Engine) -> None:
    prompt = asked("What colour is the sky?")
    reply(engine, prompt)
    for name in ("cats", "dogs", "birds", "fish"):
        reply(engine, asked(f"Do you like {name}? " + f"I like {name}. " * 20), 2)
    _, stats = reply(engine, prompt)
    assert stats.prompt_tokens - stats.cached_tokens > 5, "its cells were given to others"
    assert_agree(engine, fresh, prompt)


def test_a_prompt_over_the_context_is_refused_with_a_sentence(engine: Engine) -> None:
    with pytest.raises(BrainError, match="too long"):
        reply(engine, asked("word " * 3_000))
    engine.prefill(asked("word " * 3_000), Leaving())
    assert reply(engine, asked("Hello?"))[0]


def test_a_restart_does_not_read_the_system_prompt_again(
    fresh: Engine, engine: Engine, prefixes: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (file,) = prefixes.iterdir()
    written_at = file.stat().st_mtime_ns
    with caplog.at_level(logging.INFO), closing(Engine(GREEDY, MODEL, None, prefixes)) as restarted:
        question = asked("What is the capital of France?")
        assert_agree(restarted, fresh, question)
    assert file.stat().st_mtime_ns == written_at
    assert not caplog.records


@pytest.mark.parametrize("damage", ["truncated", "foreign"])
def test_a_prefix_file_that_does_not_fit_is_written_anew(
    damage: str, engine: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = GREEDY if damage == "truncated" else replace(GREEDY, system_prompt="Be a pirate.")
    Engine(other, MODEL, None, tmp_path).close()
    (file,) = tmp_path.iterdir()
    if damage == "truncated":
        file.write_bytes(file.read_bytes()[:-1_000])
    with closing(Engine(GREEDY, MODEL, None, tmp_path)) as restarted:
        question = asked("What is the capital of France?")
        assert_agree(restarted, engine, question)
    assert len([r for r in caplog.records if "prefix" in r.message]) == 1


@pytest.mark.timeout(600)
def test_leaving_at_random_points_never_spoils_the_cache(engine: Engine, fresh: Engine) -> None:
    chance = random.Random(2)
    texts = [
        "Why is the sea salty, and since when has it been so?",
        "Why is the sea salty?",
        "Tell me about bread. " + "I like it fresh and warm, with butter. " * 12,
    ]
    for i in range(200):
        leaving = Leaving()
        timer = threading.Timer(chance.uniform(0, 0.15), leaving.set)
        timer.start()
        prompt = asked(*texts[: 1 + 2 * (i % 2)]) if i % 3 else asked(texts[i % 3])
        list(engine.reply(prompt, 8, leaving))
        timer.join()
    assert engine.is_idle
    for text in texts:
        assert_agree(engine, fresh, asked(text))


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "missing"), (b"", "not a model"), (b"GGUF", "not a model"), (b"x" * 4096, "not a")],
)
def test_a_file_that_is_no_model_is_refused_with_a_sentence(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    if content is not None:
        (tmp_path / "model.gguf").write_bytes(content)
    with pytest.raises(ModelFileError, match=reason):
        Engine(GREEDY, tmp_path, None, tmp_path)


def test_a_truncated_model_is_refused_with_a_sentence(tmp_path: Path) -> None:
    whole = (MODEL / "model.gguf").read_bytes()
    (tmp_path / "model.gguf").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelFileError, match="not a model"):
        Engine(GREEDY, tmp_path, None, tmp_path)
