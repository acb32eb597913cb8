"""An OpenAI-compatible endpoint of our own, over real HTTP, that answers or fails as it is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Conduct(StrEnum):
    """What the endpoint does with a request."""

    ANSWER = "answers"
    STALL = "stalls after the headers"
    STALL_LATER = "stalls in the middle"
    BREAK = "breaks in the middle"
    CLOSE = "closes the line in the middle"
    RATE_LIMIT = "429"
    UNAUTHORIZED = "401"
    SERVER_FAULT = "500"
    NONSENSE = "malformed JSON"
    NONSENSE_LATER = "malformed JSON in the middle"
    NO_CHUNK = "JSON that is no answer"


_REFUSALS = {
    Conduct.RATE_LIMIT: "429 Too Many Requests",
    Conduct.UNAUTHORIZED: "401 Unauthorized",
    Conduct.SERVER_FAULT: "500 Internal Server Error",
}
_CUT_SHORT = (
    Conduct.STALL_LATER,
    Conduct.BREAK,
    Conduct.CLOSE,
    Conduct.NONSENSE_LATER,
)


@dataclass(slots=True)
class FakeEndpoint:
    """Serves on localhost. May be told to behave otherwise between requests."""

    words: Sequence[str] = ("The", " sky", " scatters", " blue", " light", " the", " most", ".")
    conduct: Conduct = Conduct.ANSWER
    then: Sequence[Conduct] = ()
    """For the requests after the first one."""

    first_token_s: float = 0.0
    token_s: float = 0.0
    retry_after: str | None = None
    counts_tokens: bool = True
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """The JSON of each, newest last."""

    headers: list[str] = field(default_factory=list)
    n_open: int = 0
    """Requests that are being answered."""

    n_connections: int = 0

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, with one request after another."""
        self.n_connections += 1
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._take_request(reader, writer):
                    pass
        finally:
            writer.close()

    async def _take_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Return whether the connection may be used again."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next(
            int(line.partition(":")[2])
            for line in head.splitlines()
            if line.lower().startswith("content-length:")
        )
        self.headers.append(head)
        self.requests.append(json.loads(await reader.readexactly(length)))
        self.n_open += 1
        try:
            return await self._answer(reader, writer)
        finally:
            self.n_open -= 1

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        conduct = self.conduct
        if self.then:
            self.conduct, *self.then = self.then
        if conduct in _REFUSALS:
            return await self._refuse(writer, _REFUSALS[conduct])
        is_chunked = conduct is not Conduct.CLOSE
        coding = "Transfer-Encoding: chunked" if is_chunked else "Connection: close"
        writer.write(
            f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{coding}\r\n\r\n".encode()
        )
        await writer.drain()
        if conduct is Conduct.STALL:
            await reader.read()  # until the other end gives up
        await asyncio.sleep(self.first_token_s)
        for n, word in enumerate(self.words):
            if conduct is Conduct.NONSENSE or (conduct is Conduct.NONSENSE_LATER and n == 4):
                await self._send(writer, '{"choices": [', is_chunked)
                return False
            if conduct is Conduct.NO_CHUNK:
                await self._send(writer, '["no", "answer"]', is_chunked)
                return False
            if conduct in _CUT_SHORT and n == 4:
                if conduct is Conduct.STALL_LATER:
                    await reader.read()  # until the other end gives up
                return False
            await self._send(writer, json.dumps(_chunk({"content": word})), is_chunked)
            await asyncio.sleep(self.token_s)
        await self._send(writer, json.dumps(_chunk({}, finish="stop")), is_chunked)
        if self.counts_tokens:
            usage = {"prompt_tokens": 40, "completion_tokens": 8, "total_tokens": 48}
            await self._send(
                writer, json.dumps({**_chunk({}), "choices": [], "usage": usage}), True
            )
        await self._send(writer, "[DONE]", is_chunked)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _refuse(self, writer: asyncio.StreamWriter, status: str) -> bool:
        """As servers do, which repeat part of the key."""
        bearer = next(line for line in self.headers[-1].splitlines() if "Bearer" in line)
        message = f"refused: {bearer.rpartition(' ')[2]}"
        body = json.dumps({"error": {"message": message, "type": "error"}})
        later = f"Retry-After: {self.retry_after}\r\n" if self.retry_after else ""
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{later}"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        await writer.drain()
        return True

    async def _send(self, writer: asyncio.StreamWriter, data: str, is_chunked: bool) -> None:
        event = f"data: {data}\n\n".encode()
        writer.write(b"%x\r\n%b\r\n" % (len(event), event) if is_chunked else event)
        await writer.drain()


def _chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "fake",
        "choices": [choice],
    }


@asynccontextmanager
async def fake_endpoint(endpoint: FakeEndpoint) -> AsyncGenerator[FakeEndpoint]:
    """Serve it on a free port; `endpoint.url` is what `remote.endpoint` may be."""
    tasks = set[asyncio.Task[None]]()

    def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(endpoint.take(reader, writer)))

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield endpoint
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
