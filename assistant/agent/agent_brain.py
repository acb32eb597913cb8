"""A brain whose calls of the assistant's own functions are carried out before it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace

from assistant.agent.desk import ToolDesk, is_yes, question_about
from assistant.camera_line import without_camera_line
from assistant.stages import Brain
from assistant.tools import CallReader, Tool, ToolCall, response
from assistant.types import Message, Prompt, ReplyPiece, ReplyStats, Role, ToolStep
from assistant.voices import likely_language
from assistant.words import bare

MAX_ROUNDS = 3
"""Of calls in one turn; then it has to answer with what it has."""

_SAY_AFTER_S = 0.4
"""A call that takes longer is spoken of."""

_SIGN_OF_LIFE_S = 1.0

_WAITING = {"en": "I am {doing}. ", "zh": "我正在查。"}
_EMPTY = {"en": "I could not find that out.", "zh": "我没有查到。"}


@dataclass(slots=True)
class AgentBrain:
    """For one turn."""

    brain: Brain
    desk: ToolDesk
    clients_tools: Callable[[], tuple[Tool, ...]]
    """What the client carries out: passed on, not carried out here."""

    confirmed: asyncio.Event
    """Set when it is certain that the person has finished."""

    languages: tuple[str, ...] = ("en",)

    async def prefill(self, prompt: Prompt) -> None:
        await self.brain.prefill(prompt)

    @asynccontextmanager
    async def reply(
        self, prompt: Prompt, *, max_tokens: int
    ) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        waiting = self.desk.waiting
        try:
            async with aclosing(self._pieces(prompt, max_tokens)) as pieces:
                yield pieces
        finally:
            if self.desk.waiting is waiting and self.confirmed.is_set():
                self.desk.waiting = ()  # something else was said

    async def _pieces(self, prompt: Prompt, max_tokens: int) -> AsyncGenerator[ReplyPiece]:
        question = without_camera_line(prompt[-1].text)
        language = likely_language(question, self.languages)
        waiting, results, said = self.desk.waiting, list[ToolStep](), ""
        about = question_about(waiting, language) if waiting else ""
        if waiting and is_yes(question, about) and _was_heard(about, prompt):
            await self.confirmed.wait()
            self.desk.waiting = ()
            async for piece in self._carry_out(waiting, results, "", language):
                yield piece
            prompt = _with_results(prompt, "", results)
            async for sign in self._read(prompt):
                yield sign
        for n_rounds in range(MAX_ROUNDS + 1):
            reader = CallReader((*self.desk.tools, *self.clients_tools()))
            stats: ReplyStats | None = None
            before = said
            async with self.brain.reply(prompt, max_tokens=max_tokens) as pieces:
                async for piece in pieces:
                    stats = piece.stats or stats
                    text = reader.take(piece.text)
                    said += text
                    # Without words too: a call takes its time to be written, and is no silence.
                    yield replace(piece, text=text, stats=None)
            rest = reader.finish()
            said += rest
            own = [call for call in reader.calls if self.desk.is_own(call)]
            theirs = [call for call in reader.calls if not self.desk.is_own(call)]
            rest += "".join(map(str, theirs))
            if rest:
                yield ReplyPiece(text=rest)
            asked = [call for call in own if self.desk.asks_first(call)]
            if asked:
                if others := [call for call in own if call not in asked]:
                    async for piece in self._carry_out(others, [], said, language):
                        yield piece
                await self.confirmed.wait()
                self.desk.waiting = tuple(asked)
                yield ReplyPiece(text=question_about(asked, language), stats=stats)
                return
            if theirs or not own or n_rounds == MAX_ROUNDS:
                if not said.strip() and not theirs:
                    yield ReplyPiece(text=_last_words(results, language))
                yield ReplyPiece(text="", stats=stats and _cited(stats, results))
                return
            new = list[ToolStep]()
            async for piece in self._carry_out(own, new, said, language):
                said += piece.text
                yield piece
            results += new
            prompt = _with_results(prompt, said[len(before) :], new)
            async for sign in self._read(prompt):
                yield sign

    async def _read(self, prompt: Prompt) -> AsyncGenerator[ReplyPiece]:
        """Have what the calls brought read, with a sign of life now and then."""
        reading = asyncio.create_task(self.brain.prefill(prompt), name="reading results")
        try:
            while not reading.done():
                await asyncio.wait([reading], timeout=_SIGN_OF_LIFE_S)
                yield ReplyPiece(text="")
            await reading
        finally:
            reading.cancel()
            await asyncio.wait([reading])

    async def _carry_out(
        self, calls: Sequence[ToolCall], steps: list[ToolStep], said: str, language: str
    ) -> AsyncGenerator[ReplyPiece]:
        """All at once. `steps`: where the results go; `said`: nothing is spoken of where something
        has been said already."""
        doing = self.desk.doing(calls)
        yield ReplyPiece(text="", doing=doing)
        if any(self.desk.has_effect(call) for call in calls):
            await self.confirmed.wait()
        tasks = [asyncio.create_task(self.desk.run(call), name=call.name) for call in calls]
        try:
            is_due = any(map(self.desk.is_announced, calls))
            if not is_due:
                _, late = await asyncio.wait(tasks, timeout=_SAY_AFTER_S)
                is_due = bool(late)
            if is_due and not said.strip():
                waiting = _WAITING.get(language, _WAITING["en"])
                yield ReplyPiece(text=waiting.format(doing=doing))
            await asyncio.wait(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for call, task in zip(calls, tasks, strict=True):
            brought = task.result()
            step = ToolStep(
                call_id=call.call_id,
                call=str(call),
                result=brought.text,
                sources=brought.sources,
            )
            steps.append(step)
            yield ReplyPiece(text="", step=step)


def _cited(stats: ReplyStats, steps: Sequence[ToolStep]) -> ReplyStats:
    sources = (*stats.sources, *(source for step in steps for source in step.sources))
    return replace(stats, sources=tuple(dict.fromkeys(sources)))


def _was_heard(question: str, prompt: Prompt) -> bool:
    """Whether the last that the person heard is this: a prompt holds nothing else."""
    heard = [message.text for message in prompt if message.role is Role.ASSISTANT]
    return bool(heard) and bare(question) in bare(heard[-1])


def _with_results(prompt: Prompt, said: str, steps: Sequence[ToolStep]) -> Prompt:
    """As the conversation remembers it."""
    calls = " ".join(filter(None, (said.strip(), *(step.call for step in steps))))
    results = " ".join(response(step.result) for step in steps)
    return (
        *prompt,
        Message(role=Role.ASSISTANT, text=calls),
        Message(role=Role.USER, text=results),
    )


def _last_words(steps: Sequence[ToolStep], language: str) -> str:
    """Where the brain has nothing to say: what was found, or that nothing was."""
    found = [step.result for step in steps if not step.result.startswith("error:")]
    return " ".join(found) or _EMPTY.get(language, _EMPTY["en"])
