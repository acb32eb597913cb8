"""The stages as they really run: each an engine in a worker process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from assistant.asr.vad import new_detector_factory
from assistant.config import Config
from assistant.errors import BrainError, EyesError, RecognizerError, StageError, VoiceError
from assistant.model_store import ModelStore
from assistant.stages import Brain, Eyes, Recognizer, SpeechDetector, Stream, Voice
from assistant.types import (
    AudioFrame,
    Hypothesis,
    ImageFrame,
    Pcm,
    Prompt,
    ReplyPiece,
    Scene,
)
from assistant.worker import EngineSpec, Worker


@dataclass(frozen=True, slots=True)
class WorkerRecognizer:
    worker: Worker

    async def transcribe(self, samples: Pcm, *, is_final: bool) -> Hypothesis:
        return cast(Hypothesis, await self.worker.call("transcribe", samples, is_final))

    async def turn_end_probability(self, samples: Pcm) -> float:
        return cast(float, await self.worker.call("turn_end_probability", samples))


@dataclass(frozen=True, slots=True)
class WorkerBrain:
    worker: Worker

    async def prefill(self, prompt: Prompt) -> None:
        await self.worker.call("prefill", prompt)

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        return cast(Stream[ReplyPiece], self.worker.stream("reply", prompt, max_tokens))


@dataclass(frozen=True, slots=True)
class WorkerVoice:
    worker: Worker

    def speak(self, phrase: str) -> Stream[AudioFrame]:
        return cast(Stream[AudioFrame], self.worker.stream("speak", phrase))


@dataclass(frozen=True, slots=True)
class WorkerEyes:
    worker: Worker

    async def look(self, frame: ImageFrame) -> Scene:
        return cast(Scene, await self.worker.call("look", frame))


class NoEyes:
    """Where `eyes.enabled` is false."""

    async def look(self, frame: ImageFrame) -> Scene:
        return Scene()


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """Every stage that all sessions share."""

    recognizer: Recognizer
    brain: Brain
    voice: Voice
    eyes: Eyes
    new_detector: Callable[[], SpeechDetector]
    workers: tuple[Worker, ...]

    @property
    def are_ready(self) -> bool:
        return all(worker.is_ready for worker in self.workers)

    async def wait_ready(self) -> None:
        """Wait until every engine is loaded and warm. Raises the StageError of one that fails."""
        async with asyncio.TaskGroup() as tasks:
            for worker in self.workers:
                tasks.create_task(worker.wait_ready())


@asynccontextmanager
async def start_engines(config: Config) -> AsyncGenerator[Engines]:
    """Start the workers; they load meanwhile. Raises ModelFileError when a model is missing."""
    store = ModelStore(config.models.folder)
    draft = config.brain.draft_model
    ears = EngineSpec(
        "assistant.asr.whisper:Ears",
        (
            config.ears,
            store.folder(config.ears.model),
            store.folder(config.ears.turn_end_model),
        ),
    )
    brain = EngineSpec(
        "assistant.llm.engine:Engine",
        (
            config.brain,
            store.folder(config.brain.model),
            store.folder(draft) if draft else None,
            _prefix_folder(config),
        ),
    )
    voice = EngineSpec(
        "assistant.tts.piper:PiperEngine", (config.voice, store.folder(config.voice.model))
    )
    async with AsyncExitStack() as stack:

        async def start(name: str, spec: EngineSpec, error: type[StageError]) -> Worker:
            worker = Worker(name, spec, error=error, config=config.workers)
            return await stack.enter_async_context(worker)

        workers = [
            await start("ears", ears, RecognizerError),
            await start("brain", brain, BrainError),
            await start("voice", voice, VoiceError),
        ]
        eyes: Eyes = NoEyes()
        if config.eyes.enabled:
            spec = EngineSpec(
                "assistant.vision.scene:SceneEngine",
                (
                    config.eyes,
                    store.folder(config.eyes.detector_model),
                    store.folder(config.eyes.text_model),
                ),
            )
            workers.append(await start("eyes", spec, EyesError))
            eyes = WorkerEyes(workers[-1])
        yield Engines(
            recognizer=WorkerRecognizer(workers[0]),
            brain=WorkerBrain(workers[1]),
            voice=WorkerVoice(workers[2]),
            eyes=eyes,
            new_detector=new_detector_factory(),
            workers=tuple(workers),
        )


def _prefix_folder(config: Config) -> Path:
    if config.brain.prefix_folder != Path(""):
        return config.brain.prefix_folder
    return config.models.folder / "cache" / "prefixes"
