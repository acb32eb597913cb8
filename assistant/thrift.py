"""What answers do without so that they come sooner, and a brain that keeps to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assistant.stages import Brain, Stream
from assistant.types import Prompt, ReplyPiece


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrift:
    use_draft: bool = True
    use_strong: bool = True
    """Or else the fast tier answers what would be the strong one's."""

    recall_surely: bool = True
    """Or else the answer to a question that is only much the same will do."""


@dataclass(frozen=True, slots=True)
class ThriftyBrain:
    """Asks whichever brain is as thrifty as it has to be now."""

    brain_for: Callable[[Thrift], Brain]
    thrift: Callable[[], Thrift]

    async def prefill(self, prompt: Prompt) -> None:
        await self.brain_for(self.thrift()).prefill(prompt)

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        return self.brain_for(self.thrift()).reply(prompt, max_tokens=max_tokens)
