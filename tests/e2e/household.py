"""A real server with real conversations, whose brain says what is written down for it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
from numpy.typing import NDArray

from assistant.agent.own_tool import OwnTool
from assistant.app import new_session
from assistant.books import Books
from assistant.config import Config
from assistant.engines import Engines, NoEyes
from assistant.memory.memory import Memory
from assistant.monitoring.live import LiveSession
from assistant.speaker import Playout
from assistant.stages import Peer
from assistant.transport.memory import MemoryDesk
from assistant.transport.peer import WebRtcPeer
from assistant.transport.translator import Translator
from assistant.types import Hypothesis, Pcm, Prompt, ReplyPiece
from assistant.voices import KnownVoice, Voices
from tests.e2e.conftest import PAGE
from tests.fakes import ScriptedBrain, ScriptedVoice
from tests.integration.test_serving import Site
from tests.unit.transport.webrtc_client import Sight

VOICE = KnownVoice(id="stand-in", summary="Nobody", languages=("en",))


class WrittenBrain(ScriptedBrain):
    """`answers`: by a part of what was said last."""

    def __init__(self, answers: dict[str, str]) -> None:
        super().__init__()
        self._answers = answers

    @asynccontextmanager
    async def _reply(
        self, prompt: Prompt, max_tokens: int
    ) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        last = prompt[-1].text
        self.pieces = [next((a for part, a in self._answers.items() if part in last), "Hm.")]
        async with super()._reply(prompt, max_tokens) as pieces:
            yield pieces


class DeafEars:
    """Whoever wants something types it."""

    def speech_probability(self, window: NDArray[np.float32]) -> float:
        return 0.0

    def reset(self) -> None:
        pass

    async def transcribe(self, samples: Pcm, *, is_final: bool) -> Hypothesis:
        raise AssertionError("nobody spoke")

    async def turn_end_probability(self, samples: Pcm) -> float:
        raise AssertionError("nobody spoke")


class Household(Site):
    def __init__(
        self,
        config: Config,
        memory: Memory,
        answers: dict[str, str],
        tools: tuple[OwnTool, ...] = (),
    ) -> None:
        super().__init__(PAGE, config.server, memory=MemoryDesk(memory))
        self.brain = WrittenBrain(answers)
        self._settings = config
        self._memory = memory
        self._engines = Engines(
            recognizer=DeafEars(),
            brain_for=lambda _: self.brain,
            voice=ScriptedVoice(),
            eyes=NoEyes(),
            read_ahead=self.brain.prefill,
            brain_sees=False,
            voices=Voices(piper=(VOICE,)),
            standard_voice=VOICE.id,
            recalls_similar=False,
            new_detector=DeafEars,
            workers=(),
            tools=tools,
            documents=None,
            prepare=self._prepare,
        )

    def _new_caller(self) -> WebRtcPeer:
        return WebRtcPeer(
            playout=Playout(buffer_ms=1_000),
            camera=Sight(),
            translator=Translator(
                model="m", voice=VOICE.id, instructions="i", max_reply_tokens=10, voices=(VOICE,)
            ),
            config=self.config,
        )

    async def _prepare(self) -> None:
        pass

    async def _serve_call(self, peer: Peer) -> None:
        live = LiveSession()
        with self._memory.minding(peer, live.began_at_s) as minded:
            await new_session(self._engines, self._settings, minded, Books(), live).run()
