"""A brain that is asked only what has not been answered before."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sqlite3
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

from assistant.camera_line import without_camera_line
from assistant.errors import BrainError, TooLongError
from assistant.patience import impatient
from assistant.recall.answers import Found, KnownAnswers
from assistant.shortfalls import Shortfall
from assistant.stages import Brain
from assistant.types import Prompt, ReplyPiece, ReplyStats, Role

logger = logging.getLogger(__name__)

_LONGEST_ANSWER = 600
"""Characters; longer ones are stories, and nobody asks for the same one again."""

_SILENCE_MS = 5_000
"""A brain that says nothing for so long has failed: a little sooner than a turn would find."""

_NOT_WORDS = "{<`["
"""Calls, code and notes: an answer with one of these belongs to its moment."""


@dataclass(frozen=True, slots=True)
class CachedBrain:
    """Answers at once what is known; what it has the brain answer becomes known."""

    brain: Brain
    known: KnownAnswers
    model: str
    """Answers of another brain are not taken for this one's."""

    recall_surely: bool = True
    """Or else the answer to a question that is only much the same will do."""

    async def prefill(self, prompt: Prompt) -> None:
        """A prompt whose answer is known is not read."""
        if await self._find(prompt) is None:
            await self.brain.prefill(prompt)

    @asynccontextmanager
    async def reply(
        self, prompt: Prompt, *, max_tokens: int
    ) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        asked_at_s = time.monotonic()
        found = await self._find(prompt)
        if found is not None:
            yield _recall(found, 1_000 * (time.monotonic() - asked_at_s))
            return
        async with aclosing(self._or_kept(prompt, max_tokens)) as pieces:
            yield self._learning(prompt, pieces, max_tokens) if _is_first(prompt) else pieces

    async def _or_kept(self, prompt: Prompt, max_tokens: int) -> AsyncGenerator[ReplyPiece]:
        """What the brain answers; where it cannot, whatever is known that may serve."""
        n_characters = 0
        silent = BrainError("the brain has not said anything for too long", code=Shortfall.SILENT)
        try:
            async with self.brain.reply(prompt, max_tokens=max_tokens) as pieces:
                async for piece in impatient(pieces, limit_ms=_SILENCE_MS, error=silent):
                    n_characters += len(piece.text)
                    yield piece
            return
        except TooLongError:
            raise
        except BrainError as error:
            asked_at_s = time.monotonic()
            found = None if n_characters else await self._find(prompt, surely=False)
            if found is None:
                raise
            shortcoming = f"{error}; an answer that was kept stands in"
        yield ReplyPiece(text="", shortcoming=shortcoming, is_kept=True)
        async for piece in _recall(found, 1_000 * (time.monotonic() - asked_at_s)):
            yield piece

    async def _find(self, prompt: Prompt, *, surely: bool | None = None) -> Found | None:
        """`surely`: None for as it is now."""
        question = _question(prompt)
        if question is None:
            return None
        try:
            return await asyncio.to_thread(
                self.known.find,
                self._asked_of(prompt),
                question,
                surely=self.recall_surely if surely is None else surely,
            )
        except sqlite3.Error as error:
            logger.warning("kept answers cannot be read: %s", error)
            return None

    async def _learning(
        self, prompt: Prompt, pieces: AsyncIterator[ReplyPiece], max_tokens: int
    ) -> AsyncIterator[ReplyPiece]:
        """Keep the answer once the last of it has been taken."""
        answer, stats, is_lesser = "", None, False
        async for piece in pieces:
            is_lesser = is_lesser or bool(piece.shortcoming)
            answer += piece.text
            stats = piece.stats or stats
            yield piece
        question = _question(prompt)
        is_whole = stats is not None and not is_lesser and stats.reply_tokens < max_tokens
        if question is None or not is_whole or not _is_worth_keeping(answer):
            return
        try:
            await asyncio.to_thread(
                self.known.keep, self._asked_of(prompt), question, answer.strip()
            )
        except sqlite3.Error as error:
            logger.warning("an answer cannot be kept: %s", error)

    def _asked_of(self, prompt: Prompt) -> str:
        instructions = "\n".join(each.text for each in prompt if each.role is Role.SYSTEM)
        return hashlib.sha256(f"{self.model}\n{instructions}".encode()).hexdigest()


def _question(prompt: Prompt) -> str | None:
    """The person's own words; None where there is more to them."""
    last = prompt[-1]
    words = without_camera_line(last.text)
    if last.role is not Role.USER or last.image is not None or not words or words[0] in _NOT_WORDS:
        return None
    return words


def _is_first(prompt: Prompt) -> bool:
    """Whether nothing was said or seen before that could have gone into the answer."""
    return sum(message.role is not Role.SYSTEM for message in prompt) == 1 and prompt[
        -1
    ].text == _question(prompt)


def _is_worth_keeping(answer: str) -> bool:
    return 0 < len(answer.strip()) <= _LONGEST_ANSWER and not any(
        mark in answer for mark in _NOT_WORDS
    )


async def _recall(found: Found, took_ms: float) -> AsyncIterator[ReplyPiece]:
    stats = ReplyStats(
        prompt_tokens=0,
        cached_tokens=0,
        reply_tokens=0,
        queue_ms=0.0,
        prefill_ms=0.0,
        ttft_ms=took_ms,
        tpot_ms=None,
        recalled=found.how,
    )
    yield ReplyPiece(text=found.answer, stats=stats)
