"""The stages as they really run: each an engine in a worker process of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import cast

from assistant.agent.mcp_servers import server_tools
from assistant.agent.own_tool import OwnTool
from assistant.asr.vad import new_detector_factory
from assistant.config import BrainConfig, Config
from assistant.documents.index import DocumentIndex
from assistant.documents.informed_brain import InformedBrain
from assistant.documents_command import open_documents
from assistant.errors import BrainError, EyesError, RecognizerError, StageError, VoiceError
from assistant.fallback import fixed_phrases
from assistant.known_answers import known_answers, template_phrases
from assistant.known_voices import known_voices, standard_voice
from assistant.model_store import ModelStore, check_roles
from assistant.prepared_voice import PreparedVoice
from assistant.recall.answers import KnownAnswers
from assistant.recall.cached_brain import CachedBrain
from assistant.routed_brain import RoutedBrain
from assistant.stages import Brain, Eyes, Recognizer, SpeechDetector, Stream, Voice
from assistant.thrift import Thrift
from assistant.tiers import check_tiers, hard_questions, remote_tier, routed_brain
from assistant.types import (
    AudioFrame,
    Hypothesis,
    ImageFrame,
    Pcm,
    Prompt,
    ReplyPiece,
    Scene,
)
from assistant.vision.image_file import encode_picture
from assistant.voices import Voices
from assistant.worker import Worker
from assistant.worker_host import EngineSpec

logger = logging.getLogger(__name__)

_REMEMBERED_SPEECH_S = 300
"""Of what was said last, in memory, so that a kept answer sounds at once: 29 MB."""


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
    use_draft: bool = True

    async def prefill(self, prompt: Prompt) -> None:
        await self.worker.call("prefill", prompt)

    async def read_ahead(self, prompt: Prompt) -> None:
        """The same while nobody waits for anything."""
        await self.worker.call("read_ahead", prompt)

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        method = "reply" if self.use_draft else "reply_undrafted"
        return cast(Stream[ReplyPiece], self.worker.stream(method, prompt, max_tokens))


@dataclass(frozen=True, slots=True)
class WorkerVoice:
    worker: Worker

    def speak(self, phrase: str, *, voice: str, speed: float) -> Stream[AudioFrame]:
        return cast(Stream[AudioFrame], self.worker.stream("speak", phrase, voice, speed))


@dataclass(frozen=True, slots=True)
class WorkerEyes:
    worker: Worker

    async def look(self, frame: ImageFrame, *, image_side_px: int = 0) -> Scene:
        return cast(Scene, await self.worker.call("look", frame, image_side_px))


class NoEyes:
    """Where `eyes.mode` is "off"."""

    async def look(self, frame: ImageFrame, *, image_side_px: int = 0) -> Scene:
        return Scene()


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """Every stage that all sessions share."""

    recognizer: Recognizer
    brain_for: Callable[[Thrift], Brain]
    voice: Voice
    eyes: Eyes
    read_ahead: Callable[[Prompt], Awaitable[None]]
    """Have the brain read what will be asked, whenever it has nothing else to do."""

    brain_sees: bool
    """Whether pictures themselves can be put before the brain."""

    voices: Voices
    standard_voice: str
    """The id of the voice that speaks unless a person wants another."""

    recalls_similar: bool
    """Whether answers to questions that are only much the same could be given."""

    new_detector: Callable[[], SpeechDetector]
    workers: tuple[Worker, ...]
    documents: DocumentIndex | None
    tools: tuple[OwnTool, ...]
    """Of the servers in the settings."""

    prepare: Callable[[], Awaitable[None]]
    """What is done once the engines are there, before the first person comes."""

    @property
    def brain(self) -> Brain:
        """As it answers when all is well."""
        return self.brain_for(Thrift())

    @property
    def are_ready(self) -> bool:
        return all(worker.is_ready for worker in self.workers)

    async def wait_ready(self) -> None:
        """Wait until every engine is loaded and warm. Raises the StageError of one that fails."""
        async with asyncio.TaskGroup() as tasks:
            for worker in self.workers:
                tasks.create_task(worker.wait_ready())
        await self.prepare()


@asynccontextmanager
async def start_engines(config: Config) -> AsyncGenerator[Engines]:
    """Start the workers; they load meanwhile. Raises ModelFileError when a model is missing."""
    check_tiers(config)
    store = ModelStore(config.models.folder)
    check_roles(config, store)
    ears = ears_spec(config, store)
    brain = brain_spec(config, store, config.brain)
    voices = known_voices(store)
    standard = standard_voice(voices, store, config.voice.model)
    phrases = _own_phrases(config, voices, standard.id)
    phrases += tuple((voices.reading(t, standard.id), t) for t in template_phrases(config))
    voice = voice_spec(config, store, voices, standard.id, phrases)
    async with AsyncExitStack() as stack:
        known = stack.enter_context(known_answers(config, store))
        documents = stack.enter_context(open_documents(config, store))

        async def start(name: str, spec: EngineSpec, error: type[StageError]) -> Worker:
            worker = Worker(name, spec, error=error, config=config.workers)
            return await stack.enter_async_context(worker)

        workers = [
            await start("ears", ears, RecognizerError),
            await start("brain", brain, BrainError),
            await start("voice", voice, VoiceError),
        ]
        eyes: Eyes = NoEyes()
        if config.eyes.mode != "off":
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
        strong: Brain | None = None
        if config.tiers.strong == "local":
            larger = replace(
                config.brain, model=config.tiers.strong_model, draft_model="", projector=Path("")
            )
            workers.append(
                await start("strong brain", brain_spec(config, store, larger), BrainError)
            )
            strong = WorkerBrain(workers[-1])
        is_hard = await asyncio.to_thread(hard_questions, config, store)
        local, sees = WorkerBrain(workers[1]), _brain_sees(config, store)
        routed = await stack.enter_async_context(
            routed_brain(
                config, local, strong, local_sees=sees, encode=encode_picture, is_hard=is_hard
            )
        )

        @cache
        def brain_for(thrift: Thrift) -> Brain:
            brain: Brain = replace(local, use_draft=thrift.use_draft)
            if isinstance(routed, RoutedBrain):
                brain = routed.thrifty(thrift, brain)
            return _with_knowledge(brain, documents, known, config, thrift)

        prepared = PreparedVoice(
            WorkerVoice(workers[2]),
            phrases,
            speed=config.voice.speed,
            remembers_s=_REMEMBERED_SPEECH_S if known else 0,
        )
        yield Engines(
            recognizer=WorkerRecognizer(workers[0]),
            brain_for=brain_for,
            read_ahead=local.read_ahead,
            voice=prepared,
            eyes=eyes,
            brain_sees=sees or _is_shown_elsewhere(config),
            voices=voices,
            standard_voice=standard.id,
            recalls_similar=known is not None and config.cache.similarity < 1,
            new_detector=new_detector_factory(),
            workers=tuple(workers),
            documents=documents,
            tools=await stack.enter_async_context(server_tools(config.tools)),
            prepare=prepared.prepare,
        )


def _with_knowledge(
    brain: Brain,
    documents: DocumentIndex | None,
    known: KnownAnswers | None,
    config: Config,
    thrift: Thrift,
) -> Brain:
    """First what is known is looked for, then the documents, and then the brain is asked."""
    wanted, answers_of = config.documents, config.brain.model
    if documents is not None and wanted.passages:
        answers_of += documents.fingerprint
        brain = InformedBrain(brain, documents, wanted.passages, wanted.budget_ms)
    if known is None:
        return brain
    return CachedBrain(brain, known, answers_of, recall_surely=thrift.recall_surely)


def brain_spec(config: Config, store: ModelStore, brain: BrainConfig) -> EngineSpec:
    draft = brain.draft_model
    return EngineSpec(
        "assistant.llm.engine:Engine",
        (
            brain,
            store.folder(brain.model),
            store.folder(draft) if draft else None,
            _prefix_folder(config),
        ),
    )


def ears_spec(config: Config, store: ModelStore) -> EngineSpec:
    """The recognizer and the turn-end model."""
    return EngineSpec(
        "assistant.asr.whisper:Ears",
        (
            config.ears,
            store.folder(config.ears.model),
            store.folder(config.ears.turn_end_model),
        ),
    )


def _own_phrases(config: Config, voices: Voices, standard: str) -> tuple[tuple[str, str], ...]:
    """What the program says by itself, each with the voice that says it."""
    phrases = [phrase for each in config.ears.languages for phrase in fixed_phrases(each)]
    return tuple((voices.reading(phrase, standard), phrase) for phrase in dict.fromkeys(phrases))


def voice_spec(
    config: Config,
    store: ModelStore,
    voices: Voices,
    standard: str,
    phrases: tuple[tuple[str, str], ...] = (),
) -> EngineSpec:
    """The engine of every voice that is here; `standard` is ready from the start."""
    return EngineSpec(
        "assistant.tts.engine:VoiceEngine",
        (
            replace(config.voice, model=standard),
            {voice.id: store.folder(voice.id) for voice in voices.piper if voice.is_here},
            frozenset(phrase for _, phrase in phrases),
            config.models.folder / "cache" / "phrases",
        ),
    )


def _brain_sees(config: Config, store: ModelStore) -> bool:
    own = store.folder(config.brain.model) / "mmproj.gguf"
    sees = config.brain.projector != Path("") or own.is_file()
    if not sees and not _is_shown_elsewhere(config) and config.eyes.mode in ("image", "both"):
        logger.warning(
            "%s has no projector, so it is told facts: set brain.projector, or a brain that sees",
            config.brain.model,
        )
    return sees


def _is_shown_elsewhere(config: Config) -> bool:
    return remote_tier(config) is not None and config.remote.send_images


def _prefix_folder(config: Config) -> Path:
    if config.brain.prefix_folder != Path(""):
        return config.brain.prefix_folder
    return config.models.folder / "cache" / "prefixes"
