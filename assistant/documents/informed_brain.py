"""A brain that is told what the person's documents say about the question."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from assistant.camera_line import without_camera_line
from assistant.documents.index import DocumentIndex
from assistant.documents.passages import FoundPassage
from assistant.documents.query import kept_or_new
from assistant.documents.told import with_passages
from assistant.recall.cacheable import leans_on_earlier
from assistant.recall.wording import meaningful_words
from assistant.sentences import count_words
from assistant.stages import Brain
from assistant.tools import RESPONSE_BEGINS
from assistant.types import Prompt, ReplyPiece, Role

logger = logging.getLogger(__name__)

_LEAST_WORDS = 3
"""A meaningful one among them, before there is anything to look for."""

_CONVERSATIONS = 32
"""For which the choice is kept while words come in; the one that was asked first is dropped."""

_READING_ALONG = 10
"""As many times the budget may be taken while nobody waits for an answer."""

_Key = tuple[str, ...]


@dataclass(slots=True)
class InformedBrain:
    """Puts the best passages before the person's words: into this prompt, never into the history.

    It looks while the person still speaks, so that the brain reads the passages meanwhile.
    """

    brain: Brain
    index: DocumentIndex
    passages: int
    """How many."""

    budget_ms: float
    """Looking takes no longer: without a result, what was found for fewer words is used."""

    _chosen: OrderedDict[_Key, tuple[str, tuple[FoundPassage, ...]]] = field(
        default_factory=OrderedDict
    )
    """For the words that were asked last: what the brain has read is not chosen anew for them."""

    async def prefill(self, prompt: Prompt) -> None:
        informed, _ = await self._informed(prompt, _READING_ALONG * self.budget_ms)
        await self.brain.prefill(informed)

    @asynccontextmanager
    async def reply(
        self, prompt: Prompt, *, max_tokens: int
    ) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        informed, sources = await self._informed(prompt, self.budget_ms)
        if sources:
            # They may be new, and to read them takes its time: that is no falling silent.
            await self.brain.prefill(informed)
        async with self.brain.reply(informed, max_tokens=max_tokens) as pieces:
            yield _cited(pieces, sources)

    async def _informed(self, prompt: Prompt, budget_ms: float) -> tuple[Prompt, tuple[str, ...]]:
        """The prompt with passages, and where they stand."""
        last = prompt[-1]
        if last.role is not Role.USER or last.text.startswith(RESPONSE_BEGINS):
            return prompt, ()
        before = tuple(message.text for message in prompt[:-1])
        asked = [each.text for each in prompt[:-1] if each.role is Role.USER]
        chosen = await self._choose(
            before,
            without_camera_line(last.text),
            earlier=without_camera_line(asked[-1]) if asked else "",
            budget_ms=budget_ms,
        )
        if not chosen:
            return prompt, ()
        informed = replace(last, text=with_passages(chosen, last.text))
        return (*prompt[:-1], informed), tuple(each.source for each in chosen)

    async def _choose(
        self, key: _Key, words: str, *, earlier: str, budget_ms: float
    ) -> tuple[FoundPassage, ...]:
        """`earlier`: what the person said before, on which these words may lean."""
        chosen_for, before = self._chosen.get(key, ("", ()))
        if words == chosen_for:
            return before
        if not meaningful_words(words) or count_words(words) < _LEAST_WORDS:
            return ()
        try:
            question = f"{earlier} {words}" if leans_on_earlier(words) else words
            async with asyncio.timeout(budget_ms / 1_000):
                found = await asyncio.to_thread(self.index.search, question, 2 * self.passages)
        except TimeoutError:
            logger.warning("the documents were not searched within %.0f ms", budget_ms)
            return before
        except sqlite3.Error as error:
            logger.warning("the documents cannot be searched: %s", error)
            return before
        known = {each.id: each for each in (*before, *found)}
        ids = kept_or_new([each.id for each in before], [each.id for each in found], self.passages)
        chosen = tuple(known[number] for number in ids)
        self._chosen[key] = words, chosen
        while len(self._chosen) > _CONVERSATIONS:
            self._chosen.popitem(last=False)
        return chosen


async def _cited(
    pieces: AsyncIterator[ReplyPiece], sources: tuple[str, ...]
) -> AsyncIterator[ReplyPiece]:
    async for piece in pieces:
        if piece.stats is not None:
            piece = replace(piece, stats=replace(piece.stats, sources=sources))
        yield piece
