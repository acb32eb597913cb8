"""Clients of the protocol that somebody else wrote, as a test wants to use them."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import soxr
from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection

from assistant.types import Pcm
from tests.e2e.conftest import question

AGENTS = Path(__file__).parent / "agents"
RATE_HZ = 24_000
CHUNK_S = 0.04
SILENCE_S = 2.0

SET_LIGHT = {
    "type": "function",
    "name": "set_light",
    "description": "Turn the light in a room on or off.",
    "parameters": {
        "type": "object",
        "properties": {"room": {"type": "string"}, "on": {"type": "boolean"}},
        "required": ["room", "on"],
    },
}
INSTRUCTIONS = "You are a friendly voice assistant. Answer in one short spoken sentence."


def speech(name: str) -> Pcm:
    """A spoken question at 24 kHz."""
    wide = soxr.resample(question(name).astype(np.float32), 16_000, RATE_HZ)
    return np.asarray(wide, np.int16)


def red_picture() -> str:
    """A data URL."""
    red = np.zeros((240, 320, 3), np.uint8)
    red[:, :, 2] = 220  # OpenCV's order is blue, green, red
    _, png = cv2.imencode(".png", red)
    return "data:image/png;base64," + base64.b64encode(png.tobytes()).decode()


class Events:
    """All that the server said, in order."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self._news = asyncio.Event()

    def add(self, event: dict[str, Any]) -> None:
        self.told.append(event)
        self._news.set()

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.told if event["type"] == kind]

    async def wait_for(self, kind: str, n: int = 1) -> dict[str, Any]:
        """The `n`th event of a kind, once it has come."""
        async with asyncio.timeout(90):
            while len(self.of(kind)) < n:
                self._news.clear()
                await self._news.wait()
        return self.of(kind)[n - 1]

    async def answer(self, n: int = 1) -> str:
        """The words of the `n`th response."""
        response = (await self.wait_for("response.done", n))["response"]
        parts = [part for item in response["output"] for part in item.get("content", ())]
        return " ".join(part.get("transcript") or part.get("text") or "" for part in parts)


class OpenAiClient(Events):
    """The `openai` package over a WebSocket."""

    def __init__(self, connection: AsyncRealtimeConnection) -> None:
        super().__init__()
        self.connection = connection
        self.sound = bytearray()

    async def say(self, samples: Pcm) -> None:
        """In real time, as a microphone would, and silence after it."""
        padded = np.concatenate([samples, np.zeros(int(SILENCE_S * RATE_HZ), np.int16)])
        size = int(CHUNK_S * RATE_HZ)
        started_at_s = time.monotonic()
        for at in range(0, len(padded), size):
            await self.append(padded[at : at + size].tobytes())
            await asyncio.sleep(started_at_s + (at + size) / RATE_HZ - time.monotonic())

    async def append(self, encoded: bytes) -> None:
        audio = base64.b64encode(encoded).decode()
        await self.connection.input_audio_buffer.append(audio=audio)

    async def update(self, **settings: Any) -> None:
        session: Any = {"type": "realtime", **settings}
        await self.connection.session.update(session=session)

    async def add(self, *content: dict[str, Any], **fields: Any) -> None:  # type: ignore[override]
        item: Any = {"type": "message", "role": "user", "content": list(content), **fields}
        await self.connection.conversation.item.create(item=item)

    async def ask(self, text: str) -> None:
        await self.add({"type": "input_text", "text": text})
        await self.connection.response.create()

    async def read(self) -> None:
        async for event in self.connection:
            told = event.to_dict()
            if event.type == "response.output_audio.delta":
                self.sound += base64.b64decode(event.delta)
            super().add(told)


@asynccontextmanager
async def openai_client(url: str, key: str = "any") -> AsyncIterator[OpenAiClient]:
    async with (
        AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as openai,
        openai.realtime.connect(model="gpt-realtime") as connection,
    ):
        client = OpenAiClient(connection)
        reading = asyncio.create_task(client.read())
        await client.wait_for("session.created")
        yield client
        reading.cancel()
        await asyncio.wait([reading])
        assert reading.cancelled(), "the line was lost"


class Agent(Events):
    """`@openai/agents` in node, over a WebSocket."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        super().__init__()
        self._process = process
        self.n_sound_bytes = 0
        self.n_interruptions = 0
        self.history: list[dict[str, Any]] = []
        self.results: list[str] = []
        """Of the functions that it carried out."""

        self.mistakes: list[Any] = []

    def order(self, what: str, **fields: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": what, **fields}).encode() + b"\n")

    def say(self, samples: Pcm, file: Path) -> None:
        file.write_bytes(samples.astype("<i2").tobytes())
        self.order("say", file=str(file))

    async def read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            told = json.loads(line)
            match told["kind"]:
                case "event":
                    self.add(told["event"])
                case "audio":
                    self.n_sound_bytes += told["bytes"]
                case "audio_interrupted":
                    self.n_interruptions += 1
                case "history":
                    self.history = told["history"]
                case "tool":
                    self.results.append(told["result"])
                case "mistake":
                    self.mistakes.append(told["error"])


@asynccontextmanager
async def agent(url: str, *, has_tools: bool = False) -> AsyncIterator[Agent]:
    process = await asyncio.create_subprocess_exec(
        "node",
        str(AGENTS / "bridge.mjs"),
        url.replace("http", "ws", 1) + "/v1/realtime",
        "any",
        "tools" if has_tools else "",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    client = Agent(process)
    reading = asyncio.create_task(client.read())
    await client.wait_for("session.updated")
    yield client
    assert process.stdin is not None
    process.stdin.close()
    await asyncio.wait_for(process.wait(), 10)
    await reading
    assert client.mistakes == []


async def install_agents() -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("node is not here")
    process = await asyncio.create_subprocess_exec(
        npm, "ci", "--silent", "--no-audit", "--no-fund", cwd=AGENTS
    )
    assert await process.wait() == 0
