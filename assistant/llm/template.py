"""A prompt as cells, by the chat template that the model's own metadata holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from assistant.errors import ModelFileError
from assistant.llm.prefix import Cell, Picture
from assistant.llm.text import THINK_TAGS
from assistant.types import ImageFrame, Message, Prompt, Role

_CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""For a model that brings no template."""

_MARK = "\ue000"
"""Stands for a message's content while the template is rendered: a private-use character."""


class Vocabulary(Protocol):
    """What a template needs of a model."""

    path: Path

    @property
    def chat_template(self) -> str | None: ...

    @property
    def bos(self) -> int | None: ...

    @property
    def special_texts(self) -> dict[str, str]: ...

    def tokenize(self, text: str, *, parse_special: bool) -> list[int]: ...


class ChatTemplate:
    """Renders prompts for one model.

    The template sees marks in place of what people said: their words are tokenised apart from the
    markup, so that nobody ends a turn by saying "<|im_end|>", and an open-ended prompt can be cut
    right behind the last word.
    """

    def __init__(self, model: Vocabulary) -> None:
        self._model = model
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
        )
        environment.globals["raise_exception"] = _refuse
        try:
            self._template = environment.from_string(model.chat_template or _CHATML)
        except jinja2.TemplateError as error:
            raise ModelFileError(f"{model.path}: its chat template is broken: {error}") from error
        self._takes_parts, self._takes_system = self._find_out()
        rendered = self._render((Message(role=Role.USER, text=""),))
        self.begins_thinking = rendered.rstrip().endswith(THINK_TAGS[0])
        """Whether every reply is the rest of a reasoning block that the prompt has begun."""

    def cells(
        self,
        prompt: Prompt,
        *,
        is_open: bool = False,
        see: Callable[[ImageFrame], Picture] | None = None,
    ) -> list[Cell]:
        """The whole prompt up to where the reply begins; `is_open`: only up to its last word.

        `see` gives the cell of an image; without it images are left out.
        """
        messages = prompt if self._takes_system else _without_system(prompt)
        markup = self._render(messages).split(_MARK)
        if len(markup) != len(messages) + 1:
            raise ModelFileError(f"{self._model.path}: its chat template leaves out messages")
        cells: list[Cell] = []
        for before, message in zip(markup, messages, strict=False):
            cells += self._model.tokenize(before, parse_special=True)
            if message.image is not None and see is not None:
                cells.append(see(message.image))
            cells += self._model.tokenize(message.text.strip(), parse_special=False)
        if not is_open:
            cells += self._model.tokenize(markup[-1], parse_special=True)
        bos = self._model.bos
        return cells if bos is None or cells[:1] == [bos] else [bos, *cells]

    def _render(self, messages: Prompt) -> str:
        content: Any = [{"type": "text", "text": _MARK}] if self._takes_parts else _MARK
        return self._template.render(
            messages=[{"role": message.role.value, "content": content} for message in messages],
            add_generation_prompt=True,
            enable_thinking=False,
            **self._model.special_texts,
        )

    def _find_out(self) -> tuple[bool, bool]:
        """Whether contents are lists of parts, and whether there may be a system message."""
        user = Message(role=Role.USER, text="")
        system = Message(role=Role.SYSTEM, text="")
        for takes_parts in (False, True):
            for messages in ((system, user), (user,)):
                self._takes_parts = takes_parts
                try:
                    rendered = self._render(messages)
                except jinja2.TemplateError:
                    continue
                if rendered.count(_MARK) == len(messages):
                    return takes_parts, len(messages) == 2
        raise ModelFileError(f"{self._model.path}: its chat template takes no user message")


def _without_system(prompt: Prompt) -> Prompt:
    """The system's words before the first user's, for templates without a system role."""
    system = [message.text for message in prompt if message.role is Role.SYSTEM]
    others = [message for message in prompt if message.role is not Role.SYSTEM]
    if not system or not others:
        return tuple(others)
    first = others[0]
    text = "\n\n".join([*system, first.text])
    return (Message(role=first.role, text=text, image=first.image), *others[1:])


def _refuse(message: str) -> None:
    raise jinja2.TemplateError(message)
