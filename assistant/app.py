"""The composition root: settings to engines to sessions to the server."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from assistant.config import Config
from assistant.conversation import Conversation
from assistant.engines import Engines, start_engines
from assistant.fallback import FallbackPolicy, Plan
from assistant.hearing import Listener
from assistant.loop_lag import LoopLag
from assistant.session import Session
from assistant.speaker import Playout
from assistant.stages import Peer
from assistant.transport import server
from assistant.transport.peer import WebRtcPeer
from assistant.transport.translator import Translator
from assistant.turn import Turn
from assistant.types import ImageFrame
from assistant.vision.camera import NewestFrame

logger = logging.getLogger(__name__)

_PAGE_FOLDER = Path(__file__).parents[1] / "client_web"

_SWITCH_INTERVAL_S = 0.0005
"""Between Python threads: at the default of 5 ms, decoding video makes the sound stutter."""


def new_session(engines: Engines, config: Config, peer: Peer) -> Session:
    """What one person gets: a conversation of their own, on the engines that all share."""
    conversation = Conversation(
        system_prompt=config.brain.system_prompt, max_tokens=config.brain.conversation_tokens
    )
    fallback = FallbackPolicy(best=Plan(max_reply_tokens=config.brain.max_reply_tokens))
    numbers = count(1)
    started_at_s = time.monotonic()

    def new_turn(images: tuple[ImageFrame, ...] = ()) -> Turn:
        return Turn(
            turn_id=f"turn_{next(numbers)}",
            peer=peer,
            brain=engines.brain,
            voice=engines.voice,
            eyes=engines.eyes,
            conversation=conversation,
            fallback=fallback,
            phrasing=config.voice,
            session_started_at_s=started_at_s,
            images=images,
        )

    listener = Listener(
        detector=engines.new_detector(),
        recognizer=engines.recognizer,
        ears=config.ears,
        endpointing=config.endpointing,
    )
    return Session(
        peer=peer,
        listener=listener,
        conversation=conversation,
        fallback=fallback,
        new_turn=new_turn,
        barge_in=config.barge_in,
    )


async def serve(config: Config) -> None:
    """Serve the page until stopped. Raises ServerError, ModelFileError or StageError."""
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    lag = LoopLag()
    sessions = Sessions()
    with server.listen(config.server) as listener:
        async with start_engines(config) as engines, asyncio.TaskGroup() as tasks:

            def health() -> dict[str, Any]:
                return {
                    "ready": engines.are_ready,
                    "engines": {worker.name: worker.is_ready for worker in engines.workers},
                    "sessions": sessions.n,
                    "loop_lag_p99_ms": round(lag.p99_ms(), 1),
                }

            async def serve_call(peer: Peer) -> None:
                with sessions.one_more():
                    await new_session(engines, config, peer).run()

            app = server.build_app(
                new_caller=lambda: _new_caller(config),
                serve_call=serve_call,
                health=health,
                page_folder=_PAGE_FOLDER,
                config=config.server,
            )
            background = [
                tasks.create_task(lag.watch(), name="loop lag"),
                tasks.create_task(_announce(engines, listener.getsockname()[1], config)),
            ]
            await server.serve(app, listener, config.server)
            for task in background:
                task.cancel()


class Sessions:
    """How many people are talking."""

    def __init__(self) -> None:
        self.n = 0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        self.n += 1
        try:
            yield
        finally:
            self.n -= 1


async def _announce(engines: Engines, port: int, config: Config) -> None:
    """One line when the first person may come. An engine that cannot start ends the server."""
    await engines.wait_ready()
    scheme = "http" if config.server.tls_certificate == Path() else "https"
    host = "localhost" if config.server.host == "127.0.0.1" else config.server.host
    logger.info("ready: %s://%s:%d", scheme, host, port)


def _new_caller(config: Config) -> WebRtcPeer:
    return WebRtcPeer(
        playout=Playout(buffer_ms=config.voice.buffer_ms),
        camera=NewestFrame(newest_within_ms=config.eyes.newest_within_ms),
        translator=Translator(
            model=config.brain.model,
            voice=config.voice.model,
            instructions=config.brain.system_prompt,
            max_reply_tokens=config.brain.max_reply_tokens,
        ),
        ice_servers=config.server.ice_servers,
    )
