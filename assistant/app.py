"""The composition root: settings to engines to sessions to the server."""

from __future__ import annotations

import asyncio
import logging
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from assistant import lan, service
from assistant.agent.agent_brain import AgentBrain
from assistant.agent.built_in import built_in_tools
from assistant.agent.desk import ToolDesk
from assistant.agent.timers import Timers
from assistant.audit_file import AuditLog
from assistant.books import Books
from assistant.config import Config
from assistant.conversation import Conversation
from assistant.engines import Engines, start_engines
from assistant.fallback import FallbackPolicy, Plan
from assistant.gaze import StillCamera
from assistant.hearing import Listener
from assistant.loop_lag import LoopLag
from assistant.memory.memory import Memory
from assistant.monitoring.live import LiveSession
from assistant.monitoring.monitor import monitoring
from assistant.recording.recorder import recorded
from assistant.records import TurnRecord
from assistant.session import Session
from assistant.shipped import shipped
from assistant.speaker import Playout
from assistant.stages import Brain, Peer
from assistant.thrift import ThriftyBrain
from assistant.transport import server
from assistant.transport.memory import MemoryDesk
from assistant.transport.monitoring import monitoring_routes
from assistant.transport.peer import WebRtcPeer
from assistant.transport.settings import SessionUpdate
from assistant.transport.translator import Translator
from assistant.transport.websocket_peer import Socket, WebSocketPeer
from assistant.turn import Turn
from assistant.types import ImageFrame
from assistant.vision.camera import NewestFrame

logger = logging.getLogger(__name__)

_SWITCH_INTERVAL_S = 0.0005
"""Between Python threads: at the default of 5 ms, decoding video makes the sound stutter."""


def new_session(
    engines: Engines, config: Config, peer: Peer, books: Books, live: LiveSession | None = None
) -> Session:
    """What one person gets: a conversation of their own, on the engines that all share.

    `live`: where its turns can be seen while they are taken.
    """
    live = live or LiveSession()
    conversation = Conversation(
        system_prompt=config.brain.system_prompt, max_tokens=config.brain.conversation_tokens
    )
    languages = config.ears.languages
    best = Plan(
        use_vision=config.eyes.mode != "off",
        use_draft=bool(config.brain.draft_model) or config.brain.draft_from_conversation,
        use_strong=config.tiers.strong != "none",
        recall_surely=engines.recalls_similar,
        max_reply_tokens=config.brain.max_reply_tokens,
        voice=engines.standard_voice,
        natural_voice=engines.voices.plain(engines.standard_voice) != engines.standard_voice,
        speed=config.voice.speed,
    )
    if not (engines.brain_sees and config.eyes.mode in ("image", "both")):
        best = replace(best, image_side_px=0)
    fallback = FallbackPolicy(
        best=best,
        voices=engines.voices,
        language=languages[0],
        languages=languages,
    )
    timers = Timers(lambda: fallback.language)
    built_in = built_in_tools(
        config.tools.built_in,
        camera=peer.camera,
        eyes=engines.eyes,
        timers=timers,
        documents=engines.documents,
    )
    desk = ToolDesk((*built_in, *engines.tools), AuditLog(config.audit.file))
    conversation.own_tools = desk.tools
    thrifty: Brain = ThriftyBrain(engines.brain_for, lambda: fallback.plan.thrift)
    numbers = count(1)

    def record(turn: TurnRecord) -> None:
        books.record(replace(turn, is_repeat=conversation.is_repeating))

    def new_turn(images: tuple[ImageFrame, ...] = ()) -> Turn:
        turn_id = f"turn_{next(numbers)}"
        confirmed, brain = asyncio.Event(), thrifty
        if desk.tools:
            brain = AgentBrain(
                brain, desk, lambda: conversation.tools, confirmed, languages=languages
            )
        return Turn(
            turn_id=turn_id,
            peer=peer,
            brain=brain,
            voice=engines.voice,
            eyes=engines.eyes,
            conversation=conversation,
            fallback=fallback,
            phrasing=config.voice,
            budget=config.budget,
            session_id=live.session_id,
            session_started_at_s=live.began_at_s,
            record=record,
            timeline=live.new_timeline(turn_id),
            images=images,
            confirmed=confirmed,
        )

    listener = Listener(
        detector=engines.new_detector(),
        recognizer=engines.recognizer,
        ears=config.ears,
        endpointing=config.endpointing,
        final_wait_ms=lambda: fallback.plan.final_wait_ms,
    )
    return Session(
        peer=peer,
        listener=listener,
        conversation=conversation,
        fallback=fallback,
        new_turn=new_turn,
        read_ahead=engines.read_ahead,
        barge_in=config.barge_in,
        prompt_after_s=config.voice.prompt_after_s,
        notices=timers.notices() if desk.tools else None,
    )


async def serve(config: Config) -> None:
    """Serve the page until stopped. Raises ServerError, ModelFileError or StageError."""
    config = replace(config, server=lan.prepared(config.server))
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    lag = LoopLag()
    memory = Memory(config)
    with server.listen(config.server) as listener, monitoring(config, lag) as monitor:
        async with memory, start_engines(config) as engines, asyncio.TaskGroup() as tasks:
            monitor.vitals.workers = engines.workers

            def health() -> dict[str, Any]:
                return {
                    "ready": engines.are_ready,
                    "engines": {worker.name: worker.is_ready for worker in engines.workers},
                    "sessions": len(monitor.live.sessions),
                    "loop_lag_p99_ms": round(lag.p99_ms(), 1),
                }

            async def serve_call(peer: Peer) -> None:
                with (
                    monitor.live.one_more(peer) as live,
                    memory.minding(peer, live.began_at_s) as minded,
                ):
                    async with recorded(minded, config, session_id=live.session_id) as kept:
                        await new_session(engines, config, kept, monitor.books, live).run()

            app = server.build_app(
                new_caller=lambda: _new_caller(engines, config),
                new_socket_peer=lambda socket: _new_socket_peer(socket, engines, config),
                describe_session=lambda wanted: _describe_session(wanted, engines, config),
                serve_call=serve_call,
                health=health,
                page_folder=shipped("client_web"),
                config=config.server,
                memory=MemoryDesk(memory),
                extra_routes=monitoring_routes(
                    metrics=monitor.metrics.expose,
                    report=monitor.dashboard.report,
                    now=monitor.dashboard.now,
                ),
            )
            background = [
                tasks.create_task(lag.watch(), name="loop lag"),
                tasks.create_task(memory.tidy(), name="forgetting"),
                tasks.create_task(service.show_life(), name="signs of life"),
                tasks.create_task(_announce(engines, listener.getsockname()[1], config)),
            ]
            await server.serve(app, listener, config.server)
            for task in background:
                task.cancel()


async def _announce(engines: Engines, port: int, config: Config) -> None:
    """One line when the first person may come. An engine that cannot start ends the server."""
    await engines.wait_ready()
    first, *_ = lan.addresses(config.server, port)
    logger.info("ready: %s", first)
    if config.server.api_key_file != Path():
        sys.stdout.write(lan.invitation(config.server, port) + "\n")
        sys.stdout.flush()
    service.notify("READY=1")


def _new_caller(engines: Engines, config: Config) -> WebRtcPeer:
    return WebRtcPeer(
        playout=Playout(buffer_ms=config.voice.buffer_ms),
        camera=NewestFrame(newest_within_ms=config.eyes.newest_within_ms),
        translator=_new_translator(engines, config),
        config=config.server,
    )


def _new_socket_peer(socket: Socket, engines: Engines, config: Config) -> WebSocketPeer:
    return WebSocketPeer(
        socket,
        playout=Playout(buffer_ms=config.voice.buffer_ms),
        camera=StillCamera(None),
        translator=_new_translator(engines, config, by_message=True),
    )


def _describe_session(
    wanted: SessionUpdate | None, engines: Engines, config: Config
) -> dict[str, Any]:
    """What a session is like that begins with these settings. Raises ProtocolError."""
    translator = _new_translator(engines, config, by_message=True)
    if wanted is not None:
        translator.from_wire(wanted)
    return translator.book.session


def _new_translator(engines: Engines, config: Config, *, by_message: bool = False) -> Translator:
    return Translator(
        model=config.brain.model,
        voice=engines.standard_voice,
        speed=config.voice.speed,
        voices=engines.voices.offered(config.ears.languages, engines.standard_voice),
        instructions=config.brain.system_prompt,
        max_reply_tokens=config.brain.max_reply_tokens,
        by_message=by_message,
    )
