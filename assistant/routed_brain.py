"""A brain that asks the one that fits the question, and the next one if that fails."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from assistant.camera_line import without_camera_line
from assistant.documents.told import without_passages
from assistant.errors import BrainError
from assistant.router import Reason, Route, Tier, route
from assistant.shortfalls import Shortfall
from assistant.stages import Brain, Stream
from assistant.thrift import Thrift
from assistant.types import Answerer, Message, Prompt, ReplyPiece, Role
from assistant.words import spliced

_REMEMBERED = 5
"""Answers of a tier from which its next one is expected."""

PHRASE_CHARACTERS = 24
"""About a first phrase."""

_GO_ON = "[Your answer broke off here. Go on from there without repeating any of it.]"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TierBrain:
    """One brain that may be asked."""

    tier: Tier
    brain: Brain
    model: str
    is_remote: bool
    sees: bool = False
    """Whether it can be given a picture itself."""

    first_token_ms: float | None = None
    """After this long without a word the next one is asked; None for one that knows by itself."""

    waits_ms: deque[float] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    """How long its last answers took to a first phrase."""

    @property
    def expected_ms(self) -> float | None:
        return statistics.median(self.waits_ms) if self.waits_ms else None


def ways(tier: Tier, brains: Sequence[TierBrain]) -> list[TierBrain]:
    """Who is asked, in order: those of the chosen tier, then whoever is left.

    What was too much for the fast tier does not fall to a slower brain on the same machine.
    `brains`: the last resort comes last.
    """
    first = [brain for brain in brains if brain.tier is tier] or list(brains)
    rest = (brain for brain in brains if brain not in first)
    return [*first, *(brain for brain in rest if brain.is_remote or tier is Tier.STRONG)]


class RoutedBrain:
    """Asks one of `brains`, of which the last is the last resort."""

    def __init__(
        self,
        brains: Sequence[TierBrain],
        *,
        is_hard: Callable[[str], bool] = lambda _: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`is_hard`: what the router asks about questions; may block for some milliseconds."""
        self._brains = tuple(brains)
        self._is_hard = is_hard
        self._clock = clock

    def thrifty(self, thrift: Thrift, last_resort: Brain) -> RoutedBrain:
        """The same with less. `last_resort`: in place of the last brain."""
        *others, last = self._brains
        asked = [each for each in others if thrift.use_strong or each.tier is not Tier.STRONG]
        brains = [*asked, replace(last, brain=last_resort)]
        return RoutedBrain(brains, is_hard=self._is_hard, clock=self._clock)

    async def prefill(self, prompt: Prompt) -> None:
        """The last resort reads along always, since anything may fall to it; another local one
        while it is the one that would be asked."""
        asked_first = ways((await self._route(prompt)).tier, self._brains)[0]
        for each in self._brains:
            if each is self._brains[-1] or (each is asked_first and not each.is_remote):
                await each.brain.prefill(_for(each, prompt))

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        return aclosing(self._pieces(prompt, max_tokens))

    async def _pieces(self, prompt: Prompt, max_tokens: int) -> AsyncGenerator[ReplyPiece]:
        chosen = await self._route(prompt)
        said, reason, still_to_ask = "", chosen.reason, ways(chosen.tier, self._brains)
        while still_to_ask:
            asked = still_to_ask.pop(0)
            by = Answerer(
                tier=asked.tier.value,
                model=asked.model,
                is_remote=asked.is_remote,
                reason=reason,
                expected_ms=asked.expected_ms,
            )
            yield ReplyPiece(text="", by=by)
            try:
                async with aclosing(
                    self._from(asked, _going_on(prompt, said), max_tokens, bool(still_to_ask))
                ) as pieces:
                    broken_off = said
                    async for piece in pieces:
                        text = piece.text
                        if broken_off and said == broken_off and text:
                            text = _joined(said, text.lstrip())
                        said += text
                        stats = piece.stats and replace(piece.stats, by=by)
                        yield replace(piece, text=text, stats=stats)
                return
            except BrainError as error:
                if not still_to_ask:
                    raise
                reason = Reason.INSTEAD
                yield ReplyPiece(
                    text="", shortcoming=f"{error}; {still_to_ask[0].model} answers instead"
                )

    async def _from(
        self, asked: TierBrain, prompt: Prompt, max_tokens: int, may_fall: bool
    ) -> AsyncGenerator[ReplyPiece]:
        """The answer of one. Raises BrainError when it is late to begin and another is there."""
        limit_s = asked.first_token_ms / 1_000 if asked.first_token_ms and may_fall else None
        asked_at_s, n_characters, is_noted = self._clock(), 0, False
        async with asked.brain.reply(_for(asked, prompt), max_tokens=max_tokens) as pieces:
            while True:
                try:
                    async with asyncio.timeout(None if n_characters else limit_s):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise BrainError(
                        f"{asked.model} has not begun to answer in time", code=Shortfall.SILENT
                    ) from None
                n_characters += len(piece.text)
                if not is_noted and (n_characters >= PHRASE_CHARACTERS or piece.stats):
                    is_noted = True
                    asked.waits_ms.append(1_000 * (self._clock() - asked_at_s))
                yield piece

    async def _route(self, prompt: Prompt) -> Route:
        last = prompt[-1]
        only_strong_sees = all(brain.sees == (brain.tier is Tier.STRONG) for brain in self._brains)
        words = without_camera_line(without_passages(last.text))
        has_picture = last.image is not None and only_strong_sees
        return await asyncio.to_thread(route, words, has_picture=has_picture, is_hard=self._is_hard)


def _joined(said: str, more: str) -> str:
    """What is added to `said`; who begins anew where it broke off begins another sentence."""
    added = spliced(said, more)[len(said) :]
    is_new = more[:1].isupper() and more.split()[0] != "I"
    return f".{added}" if is_new and said.rstrip()[-1:].isalpha() else added


def _for(asked: TierBrain, prompt: Prompt) -> Prompt:
    """Without what it cannot see."""
    if asked.sees or not any(message.image for message in prompt):
        return prompt
    return tuple(replace(message, image=None) for message in prompt)


def _going_on(prompt: Prompt, said: str) -> Prompt:
    """What the next one is asked where another has said some of the answer already."""
    if not said.strip():
        return prompt
    broken_off = Message(role=Role.ASSISTANT, text=said)
    return (*prompt, broken_off, Message(role=Role.USER, text=_GO_ON))
