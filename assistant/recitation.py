"""A brain that has one thing to say, for what the program says of its own accord."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from assistant.stages import Stream
from assistant.types import Prompt, ReplyPiece


@dataclass(frozen=True, slots=True)
class Recitation:
    text: str

    async def prefill(self, prompt: Prompt) -> None:
        """It knows what it will say."""

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        return self._reply()

    @asynccontextmanager
    async def _reply(self) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        async def pieces() -> AsyncIterator[ReplyPiece]:
            yield ReplyPiece(text=self.text)

        yield pieces()
