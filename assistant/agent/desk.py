"""Where one person's calls are carried out: deadlines, questions before a change, and the audit."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Sequence
from dataclasses import replace

from assistant.agent.own_tool import Brought, OwnTool
from assistant.audit_file import AuditLog
from assistant.tools import Tool, ToolCall

logger = logging.getLogger(__name__)

_LONGEST_RESULT = 1_500
"""Characters that a brain is given to read."""

_YES = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|sure|ok|okay|right|please|certainly|of course|go ahead|do it"
    r"|do that|please do|correct)\b[\s,.!]*)+$"
    r"|^\W*(?:(?:是的?|对|好的?|可以|行|当然|没错|去吧|做吧)[吧，。！\s]*)+$",
    re.IGNORECASE,
)


_WORD = re.compile(r"[^\W_]+")
_SAID_WITH_IT = ("it", "that", "the", "a", "now")


class ToolDesk:
    """`tools`: what is offered to one person's brain."""

    def __init__(self, tools: Sequence[OwnTool], audit: AuditLog) -> None:
        self._by_name = {each.tool.name: each for each in tools}
        self._audit = audit
        self.waiting: tuple[ToolCall, ...] = ()
        """Calls that the person has been asked about."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(each.tool for each in self._by_name.values())

    def is_own(self, call: ToolCall) -> bool:
        return call.name in self._by_name

    def asks_first(self, call: ToolCall) -> bool:
        return self._by_name[call.name].asks_first

    def has_effect(self, call: ToolCall) -> bool:
        return self._by_name[call.name].has_effect

    def is_announced(self, call: ToolCall) -> bool:
        return self._by_name[call.name].is_announced

    def doing(self, calls: Sequence[ToolCall]) -> str:
        """What is going on, such as "looking in your notes"."""
        return ", ".join(dict.fromkeys(self._by_name[call.name].doing for call in calls))

    async def run(self, call: ToolCall) -> Brought:
        """What the call brought, in words for the brain: a failure too is an answer."""
        tool = self._by_name[call.name]
        began_at_s = time.monotonic()
        outcome = "left"
        brought = Brought("")
        try:
            async with asyncio.timeout(tool.deadline_s):
                brought = await tool.run(json.loads(call.arguments))
            brought = replace(brought, text=brought.text[:_LONGEST_RESULT])
            outcome = "done"
        except TimeoutError:
            outcome, brought = "late", Brought("error: it took too long, so there is no result")
        except ValueError as error:
            outcome, brought = "refused", Brought(f"error: {error}")
        except Exception as error:  # whatever a tool does wrong costs its own result only
            logger.warning("the tool %s failed: %s", call.name, type(error).__name__)
            outcome, brought = "failed", Brought("error: it failed, so there is no result")
        finally:
            self._audit.note(
                "tool call",
                name=call.name,
                arguments=json.loads(call.arguments),
                outcome=outcome,
                result=brought.text,
                ms=round(1_000 * (time.monotonic() - began_at_s)),
            )
        return brought


def question_about(calls: Sequence[ToolCall], language: str) -> str:
    """What the person is asked before the world is changed."""
    wanted = "; ".join(_described(call) for call in calls)
    if language == "zh":
        return f"要我这样做吗：{wanted}？"
    return f"Shall I do this: {wanted}?"


def is_yes(text: str, question: str = "") -> bool:
    """Whether that and nothing else was said; what the question says may be said with it."""
    asked = {*_WORD.findall(question.lower()), *_SAID_WITH_IT}
    spoken = _WORD.findall(text.lower())
    rest = " ".join(word for n, word in enumerate(spoken) if n == 0 or word not in asked)
    return bool(_YES.match(text.strip()) or _YES.match(rest))


def _described(call: ToolCall) -> str:
    arguments = ", ".join(f"{name} {value}" for name, value in json.loads(call.arguments).items())
    return f"{call.name.replace('_', ' ')} {arguments}".strip()
