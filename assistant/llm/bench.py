"""What the engine takes for what, on the configured models. Runs in a worker of its own."""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import llama_cpp
import numpy as np

from assistant.config import BrainConfig
from assistant.llm.engine import Engine
from assistant.types import ImageFrame, Message, Prompt, ReplyStats, Role
from assistant.worker_host import Leaving

_WORDS = (
    *("the", "river", "runs", "past", "an", "old", "mill", "where", "four", "people"),
    *("bake", "bread", "and", "tell", "long", "stories"),
)
_SYSTEM_TOKENS = 600
_QUESTION = "Please explain how bread is made, step by step, for somebody who never baked."
_REPLY_TOKENS = 48
_REPEATS = 5
_ABORTS = 20
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class EngineBench:
    """Measurements of one brain, each in milliseconds or tokens per second."""

    config: BrainConfig
    model_folder: Path
    draft_folder: Path | None

    def run(self) -> dict[str, Any]:
        system = "You answer briefly. " + _text(_SYSTEM_TOKENS, seed=0)
        config = replace(self.config, system_prompt=system, temperature=0.0)
        plain = replace(config, draft_from_conversation=False)
        with tempfile.TemporaryDirectory() as folder:
            with self._engine(plain, None, folder) as engine:
                report: dict[str, Any] = {
                    "decode_tps": self._against_high_level(engine, system),
                    "ttft_ms": {
                        "kept": _kept_ms(engine, system),
                        "read_along": _read_along_ms(engine, system, n_words_left=0),
                        "read_along_but_3_words": _read_along_ms(engine, system, n_words_left=3),
                        "cold": _cold_ms(engine),
                    },
                    "draft": self._drafting(engine, config, folder),
                    "abort_ms": _abort_ms(engine, system),
                    "image_ms": _image_ms(engine, system),
                    "parallel": _parallel(engine, system),
                }
            disk = []
            for _ in range(_REPEATS):
                with self._engine(plain, None, folder) as engine:
                    disk.append(_reply(engine, _asked(system, _QUESTION)).ttft_ms)
            report["ttft_ms"]["disk"] = median(disk)
        return report

    @contextmanager
    def _engine(
        self, config: BrainConfig, draft: Path | None, folder: str
    ) -> Generator[Engine, None, None]:
        with closing(Engine(config, self.model_folder, draft, Path(folder))) as engine:
            yield engine

    def _drafting(self, engine: Engine, config: BrainConfig, folder: str) -> dict[str, Any] | None:
        """Turn by turn with plain decoding, so that both have the same machine."""
        if self.draft_folder is None and not config.draft_from_conversation:
            return None
        prompt = _asked(config.system_prompt, _QUESTION)
        ratios: list[float] = []
        with self._engine(config, self.draft_folder, folder) as drafting:
            for _ in range(_REPEATS):
                plain, stats = (_reply(e, prompt, _REPLY_TOKENS) for e in (engine, drafting))
                ratios.append((plain.tpot_ms or 0.0) / (stats.tpot_ms or 1.0))
        drafted = stats.drafted_tokens
        return {
            "k": stats.draft_length,
            "accept": stats.accepted_tokens / drafted if drafted else None,
            "predicted_ratio": stats.predicted_speed_ratio,
            "speed_ratio": median(ratios),
        }

    def _against_high_level(self, engine: Engine, system: str) -> dict[str, float]:
        """Turn by turn with the package's own streaming chat on the same file and threads.

        That has a process of its own: see threads.py.
        """
        ours, theirs = list[float](), list[float]()
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            other.submit(_load_high_level, self.model_folder, self.config.threads).result()
            for _ in range(_REPEATS):
                stats = _reply(engine, _asked(system, _QUESTION), _REPLY_TOKENS)
                ours.append(1_000 / (stats.tpot_ms or 1.0))
                theirs.append(other.submit(_high_level_tps, system).result())
        return {"ours": median(ours), "high_level": median(theirs)}


_high_level: list[llama_cpp.Llama] = []
"""The other process's."""


def _load_high_level(model_folder: Path, threads: int) -> None:
    path = str(model_folder / "model.gguf")
    _high_level.append(llama_cpp.Llama(path, n_ctx=2_048, n_threads=threads, verbose=False))


def _high_level_tps(system: str) -> float:
    chunks = _high_level[0].create_chat_completion(
        [{"role": "system", "content": system}, {"role": "user", "content": _QUESTION}],
        stream=True,
        temperature=0,
        max_tokens=_REPLY_TOKENS,
    )
    arrivals = [time.monotonic() for _ in chunks]
    words = arrivals[1:-1]  # the first chunk is the role, the last the reason to stop
    return (len(words) - 1) / (words[-1] - words[0])


def _cold_ms(engine: Engine) -> float:
    prompts = (_asked(_text(_SYSTEM_TOKENS, seed=i), _QUESTION) for i in range(1, 1 + _REPEATS))
    return median(_reply(engine, prompt).ttft_ms for prompt in prompts)


def _kept_ms(engine: Engine, system: str) -> float:
    prompts = (_asked(system, f"{i} times: {_QUESTION}") for i in range(_REPEATS))
    return median(_reply(engine, prompt).ttft_ms for prompt in prompts)


def _read_along_ms(engine: Engine, system: str, *, n_words_left: int) -> float:
    """With all but the last words read while they were spoken; the turn's marker is always left."""
    times = []
    for i in range(_REPEATS):
        question = f"{i} more, {n_words_left} left: {_QUESTION}"
        known = " ".join(question.split()[: -n_words_left or None])
        engine.prefill(_asked(system, known), Leaving())
        times.append(_reply(engine, _asked(system, question)).ttft_ms)
    return median(times)


def _abort_ms(engine: Engine, system: str) -> dict[str, float]:
    """From leaving to idle, half in prefill and half in decode."""
    chance = random.Random(0)
    times = []
    for i in range(_ABORTS):
        words = _text(200, seed=100 + i) if i % 2 else ""
        prompt = _asked(system, f"{words} {_QUESTION}")
        leaving = Leaving()
        left_at_s: list[float] = []

        def leave(leaving: Leaving = leaving, left_at_s: list[float] = left_at_s) -> None:
            left_at_s.append(time.monotonic())
            leaving.set()

        timer = threading.Timer(chance.uniform(0.3, 0.8), leave)
        timer.start()
        list(engine.reply(prompt, 400, leaving))
        ended_at_s = time.monotonic()
        timer.join()
        times.append(1_000 * max(0.0, ended_at_s - left_at_s[0]))
    return {"p50": median(times), "p95": float(np.percentile(times, 95))}


def _image_ms(engine: Engine, system: str) -> dict[str, float] | None:
    """Time to first token of the first question about a picture, and of the next."""
    if not engine.can_see:
        return None
    pixels = np.random.default_rng(0).integers(0, 255, (480, 640, 3), np.uint8)
    frame = ImageFrame(pixels=pixels, captured_at_s=0)
    first, second = (
        _reply(engine, _asked(system, question, frame)).ttft_ms
        for question in ("What do you see in this picture?", "And what colour is it?")
    )
    return {"first": first, "second": second}


def _parallel(engine: Engine, system: str) -> dict[str, Any]:
    began_at_s = time.monotonic()
    prompts = [_asked(system, f"{i} people ask: {_QUESTION}") for i in range(_AT_ONCE)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        replies = list(pool.map(lambda prompt: _reply(engine, prompt, _REPLY_TOKENS), prompts))
    return {
        "n": _AT_ONCE,
        "tps_total": sum(r.reply_tokens for r in replies) / (time.monotonic() - began_at_s),
        "ttft_ms": [reply.ttft_ms for reply in replies],
    }


def _asked(system: str, question: str, frame: ImageFrame | None = None) -> Prompt:
    return (
        Message(role=Role.SYSTEM, text=system),
        Message(role=Role.USER, text=question, image=frame),
    )


def _reply(engine: Engine, prompt: Prompt, max_tokens: int = 1) -> ReplyStats:
    *_, last = engine.reply(prompt, max_tokens, Leaving())
    assert last.stats is not None
    return last.stats


def _text(n_words: int, *, seed: int) -> str:
    """A token a word, and nothing that was read before."""
    return " ".join(random.Random(seed).choices(_WORDS, k=n_words))
