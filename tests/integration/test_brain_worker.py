"""The brain in its worker process, as turns use it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from assistant.config import BrainConfig, WorkersConfig
from assistant.engines import WorkerBrain
from assistant.errors import BrainError
from assistant.model_store import ModelStore
from assistant.types import Message, Prompt, Role
from assistant.worker import Worker
from assistant.worker_host import EngineSpec

pytestmark = pytest.mark.models

CONFIG = BrainConfig(
    model="smollm2-135m-instruct", temperature=0, context_tokens=2_048, max_conversations=2
)


@pytest.fixture
async def brain(tmp_path: Path) -> AsyncGenerator[WorkerBrain, None]:
    folder = ModelStore(Path("models")).folder(CONFIG.model)
    spec = EngineSpec("assistant.llm.engine:Engine", (CONFIG, folder, None, tmp_path))
    async with Worker("brain", spec, error=BrainError, config=WorkersConfig()) as worker:
        await worker.wait_ready()
        yield WorkerBrain(worker)


def asked(text: str) -> Prompt:
    return (
        Message(role=Role.SYSTEM, text=CONFIG.system_prompt),
        Message(role=Role.USER, text=text),
    )


async def answer(brain: WorkerBrain, text: str) -> str:
    async with brain.reply(asked(text), max_tokens=12) as pieces:
        return "".join([piece.text async for piece in pieces])


async def test_a_reply_streams_out_of_the_worker(brain: WorkerBrain) -> None:
    assert "Paris" in await answer(brain, "What is the capital of France?")


async def test_leaving_a_stream_or_a_prefill_does_not_wait_for_its_end(brain: WorkerBrain) -> None:
    long_text = "Once upon a time there was a king. " * 100
    async with brain.reply(asked("Tell me a very long story."), max_tokens=2_000) as pieces:
        async for _ in pieces:
            break
    reading = asyncio.create_task(brain.prefill(asked(long_text)))
    await asyncio.sleep(0.1)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await answer(brain, "Say hello.")


async def test_a_prompt_that_is_too_long_is_a_sentence_and_nothing_else_is_lost(
    brain: WorkerBrain,
) -> None:
    with pytest.raises(BrainError, match="too long"):
        await answer(brain, "word " * 4_000)
    assert await answer(brain, "Say hello.")
