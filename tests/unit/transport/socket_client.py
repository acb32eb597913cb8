"""The other end of a WebSocket, without a network between."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import Message
from starlette.websockets import WebSocket

from assistant.gaze import StillCamera
from assistant.speaker import Playout
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.translator import Translator
from assistant.transport.websocket_peer import WebSocketPeer
from assistant.types import Pcm


def new_socket_peer(socket: WebSocket, playout: Playout | None = None) -> WebSocketPeer:
    return WebSocketPeer(
        socket,
        playout=playout or Playout(buffer_ms=12_000),
        camera=StillCamera(None),
        translator=Translator(
            model="m", voice="v", instructions="i", max_reply_tokens=10, by_message=True
        ),
    )


class SocketClient:
    """Sends what the test says and keeps what it is sent."""

    def __init__(self, playout: Playout | None = None) -> None:
        self.events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.greeting: dict[str, Any] = {}
        self.closed_with: int | None = None
        self.reads = asyncio.Event()
        """Cleared, nothing is read any more."""

        self.reads.set()
        self._sent: asyncio.Queue[Message] = asyncio.Queue()
        scope = {"type": "websocket", "headers": [], "path": "/v1/realtime"}
        self._socket = WebSocket(scope, self._sent.get, self._take)
        self.peer = new_socket_peer(self._socket, playout)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[WebSocketPeer]:
        """Greeted by the peer, whose `run` has come to its end when the block is left."""
        self._sent.put_nowait({"type": "websocket.connect"})
        await self._socket.accept()
        async with asyncio.timeout(20):
            running = asyncio.create_task(self.peer.run())
            self.greeting = await self.events.get()
            assert self.greeting["type"] == "session.created"
            yield self.peer
            self.leave()
            await running

    def leave(self) -> None:
        self._sent.put_nowait({"type": "websocket.disconnect", "code": 1001})

    def send(self, event: dict[str, Any]) -> None:
        self.send_text(json.dumps(event))

    def send_text(self, text: str) -> None:
        self._sent.put_nowait({"type": "websocket.receive", "text": text})

    def send_bytes(self, content: bytes) -> None:
        self._sent.put_nowait({"type": "websocket.receive", "bytes": content})

    def say(self, samples: Pcm, audio_format: AudioFormat = AudioFormat.PCM) -> None:
        audio = base64.b64encode(audio_format.encode(samples)).decode()
        self.send({"type": "input_audio_buffer.append", "audio": audio})

    def update(self, **settings: Any) -> None:
        self.send({"type": "session.update", "session": {"type": "realtime", **settings}})

    async def next_event(self, kind: str) -> dict[str, Any]:
        """The next event of this type; those before it are thrown away."""
        while True:
            event = await self.events.get()
            if event["type"] == kind:
                return event

    async def _take(self, message: Message) -> None:
        if message["type"] == "websocket.close":
            self.closed_with = message["code"]
        await self.reads.wait()
        if message["type"] == "websocket.send":
            self.events.put_nowait(json.loads(message["text"]))
