"""The bridge to a worker process, with real processes and a small engine of our own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.config import WorkersConfig
from assistant.errors import BrainError
from assistant.worker import Worker
from assistant.worker_host import EngineSpec, Leaving


class CountingEngine:
    """Runs inside the worker."""

    def __init__(self, message: str = "") -> None:
        if message:
            raise BrainError(message)
        self.busy = 0

    def add(self, a: int, b: int) -> int:
        return a + b

    def idle(self) -> bool:
        return self.busy == 0

    def fail(self) -> None:
        raise ValueError("not today")

    def refuse(self) -> None:
        raise BrainError("the context is full")

    def refuse_stream(self, leaving: Leaving) -> Iterator[int]:
        raise BrainError("the context is full")
        yield 0

    def die(self) -> None:
        os._exit(1)

    def count(self, upto: int, leaving: Leaving) -> Iterator[int]:
        self.busy += 1
        try:
            for n in range(upto):
                if leaving.is_set():
                    return
                time.sleep(0.001)
                yield n
        finally:
            self.busy -= 1

    def wait(self, leaving: Leaving) -> str:
        self.busy += 1
        leaving.wait()
        self.busy -= 1
        return "left"

    def sleep(self, seconds: float) -> str:
        time.sleep(seconds)
        return "slept"

    def environment(self) -> str:
        return os.environ["GOMP_SPINCOUNT"]


def engine_of(model: Path) -> CountingEngine:
    """Fails as long as `model` is not there, and dies where that says so."""
    text = model.read_text() if model.exists() else ""
    if text == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return CountingEngine("" if text else f"{model.name} is gone")


def make_model_worker(model: Path, config: WorkersConfig | None = None) -> Worker:
    spec = EngineSpec("tests.unit.test_worker:engine_of", (model,))
    return Worker("brain", spec, error=BrainError, config=config or WorkersConfig())


async def keep_calling(worker: Worker) -> None:
    while True:
        await worker.call("add", 2, 2)


def make_worker(*arguments: str, config: WorkersConfig | None = None) -> Worker:
    spec = EngineSpec("tests.unit.test_worker:CountingEngine", arguments)
    return Worker("brain", spec, error=BrainError, config=config or WorkersConfig())


async def test_calls_and_streams_bring_values_back() -> None:
    async with make_worker() as worker:
        assert await worker.call("add", 2, 3) == 5
        async with worker.stream("count", 100) as items:
            assert [n async for n in items] == list(range(100))
        assert await worker.call("environment") == "20000"


async def test_leaving_a_stream_leaves_the_engine_idle() -> None:
    async with make_worker() as worker:
        async with worker.stream("count", 1_000_000, max_buffered=4) as items:
            async for n in items:
                if n == 10:
                    break
        assert await worker.call("idle")


async def test_cancelling_a_stream_leaves_the_engine_idle() -> None:
    async with make_worker() as worker:

        async def read() -> None:
            async with worker.stream("count", 1_000_000) as items:
                async for _ in items:
                    pass

        reader = asyncio.create_task(read())
        await asyncio.sleep(0.2)
        reader.cancel()
        await asyncio.wait([reader])
        assert reader.cancelled()
        assert await worker.call("idle")


async def test_cancelling_a_call_waits_until_it_has_left() -> None:
    async with make_worker() as worker:
        await worker.wait_ready()
        waiting = asyncio.create_task(worker.call("wait"))
        await asyncio.sleep(0.1)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        assert await worker.call("idle")


async def test_a_slow_reader_holds_the_engine_back() -> None:
    async with make_worker() as worker, worker.stream("count", 1_000, max_buffered=3) as items:
        first = await anext(items)
        await asyncio.sleep(0.1)
        assert first == 0
        assert not await worker.call("idle")


async def test_errors_become_the_stage_s_own() -> None:
    async with make_worker() as worker:
        with pytest.raises(BrainError, match="ValueError: not today"):
            await worker.call("fail")
        with pytest.raises(BrainError, match="the context is full"):
            await worker.call("refuse")
        assert await worker.call("add", 1, 1) == 2


async def test_a_stream_that_fails_before_its_first_item_raises_what_the_engine_raised() -> None:
    async with make_worker() as worker:

        async def read() -> list[int]:
            async with worker.stream("refuse_stream") as items:
                return [n async for n in items]

        for _ in range(3):
            with pytest.raises(BrainError, match="the context is full"):
                await read()
        assert await worker.call("add", 1, 1) == 2


async def test_a_worker_that_dies_fails_its_jobs_and_comes_back() -> None:
    async with make_worker() as worker:
        await worker.wait_ready()
        waiting = asyncio.create_task(worker.call("wait"))
        await asyncio.sleep(0.05)
        with pytest.raises(BrainError, match="died"):
            await worker.call("die")
        with pytest.raises(BrainError, match="died"):
            await waiting
        assert await worker.call("add", 2, 2) == 4
        assert worker.restarts == 1


async def test_a_worker_that_hangs_is_killed_and_comes_back() -> None:
    async with make_worker(config=WorkersConfig(hung_after_ms=400)) as worker:
        await worker.wait_ready()
        assert worker.pid is not None
        waiting = asyncio.create_task(worker.call("wait"))
        await asyncio.sleep(0.05)
        os.kill(worker.pid, signal.SIGSTOP)
        with pytest.raises(BrainError, match="died"):
            await waiting
        assert await worker.call("add", 2, 2) == 4


async def test_a_worker_that_is_busy_is_left_alone() -> None:
    async with make_worker(config=WorkersConfig(hung_after_ms=200)) as worker:
        assert await worker.call("sleep", 0.6) == "slept"
        assert worker.restarts == 0


async def test_an_engine_that_cannot_start_says_why() -> None:
    async with make_worker("model.gguf is damaged") as worker:
        with pytest.raises(BrainError, match=r"model\.gguf is damaged"):
            await worker.wait_ready()


@pytest.mark.parametrize(
    ("text", "sentence"), [(None, r"model\.gguf is gone"), ("die", r"died while it loaded.*memory")]
)
async def test_an_engine_that_cannot_start_again_says_why_at_once_until_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str | None, sentence: str
) -> None:
    model = tmp_path / "model.gguf"
    model.write_text("good")
    async with make_model_worker(model) as worker:
        await worker.wait_ready()
        if text is None:
            model.unlink()
        else:
            model.write_text(text)
        with pytest.raises(BrainError, match="died"):
            await worker.call("die")
        with pytest.raises(BrainError, match=sentence):
            await keep_calling(worker)
        assert not worker.is_ready
        assert re.search(sentence, caplog.text)
        model.write_text("good")
        await worker.wait_ready()
        assert await worker.call("add", 2, 2) == 4


async def test_an_engine_that_dies_while_it_loads_is_tried_again_and_then_given_up(
    tmp_path: Path,
) -> None:
    model = tmp_path / "model.gguf"
    model.write_text("die")
    async with make_model_worker(model) as worker:
        with pytest.raises(BrainError, match="is there enough memory"):
            await worker.wait_ready()
        assert worker.restarts == 2
    async with make_model_worker(model) as worker:
        while not worker.restarts:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        model.write_text("good")
        await worker.wait_ready()
        assert await worker.call("add", 2, 2) == 4


async def test_an_engine_that_takes_too_long_to_load_says_so() -> None:
    spec = EngineSpec("time:sleep", (60,))
    config = WorkersConfig(start_timeout_ms=1_000)
    async with Worker("brain", spec, error=BrainError, config=config) as worker:
        with pytest.raises(BrainError, match="not loaded within 1 s"):
            await worker.wait_ready()


async def test_who_was_stopped_itself_does_not_take_the_engine_for_hung() -> None:
    async with make_worker(config=WorkersConfig(hung_after_ms=400)) as worker:
        await worker.wait_ready()
        time.sleep(1)  # noqa: ASYNC251
        assert await worker.call("add", 1, 1) == 2
        assert worker.restarts == 0


async def test_no_process_is_left_behind() -> None:
    async with make_worker() as worker:
        await worker.wait_ready()
        pid = worker.pid
        assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_leaving_calls_back_once_also_when_set_before() -> None:
    leaving, seen = Leaving(), list[str]()
    leaving.on_set(lambda: seen.append("before"))
    leaving.set()
    leaving.set()
    leaving.on_set(lambda: seen.append("after"))
    assert seen == ["before", "after"]
