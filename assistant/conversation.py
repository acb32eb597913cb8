"""Pure: what was said and heard, and the prompt that it makes."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.types import ImageFrame, Message, Prompt, Role, Scene

_BYTES_PER_TOKEN = 3
"""On the safe side: about 4 in English, 3 in Chinese."""

_TOKENS_PER_MESSAGE = 8
"""Role markers of a chat template."""

_TOKENS_PER_IMAGE = 256


@dataclass(slots=True)
class Conversation:
    """One person's conversation. Keeps what was heard of each reply, not what was written."""

    system_prompt: str
    max_tokens: int
    """Of a prompt, as estimated from its length."""

    _messages: Prompt = ()

    @property
    def messages(self) -> Prompt:
        return self._messages

    def asking(
        self, text: str, *, scene: Scene | None = None, images: tuple[ImageFrame, ...] = ()
    ) -> Prompt:
        """The prompt of a turn in which the person says `text`.

        Nothing that was said is lost: words whose reply was never heard are joined with these.
        """
        history, unanswered = self._messages, ""
        if history and history[-1].role is Role.USER:
            unanswered, history = history[-1].text, history[:-1]
        said = " ".join(part for part in (unanswered, text) if part)
        facts = f"[Camera: {'; '.join(scene.facts)}]\n" if scene and scene.facts else ""
        asked = Message(
            role=Role.USER,
            text=said if unanswered.startswith("[Camera: ") else facts + said,
            image=images[0] if images else None,
        )
        system = Message(role=Role.SYSTEM, text=self.system_prompt)
        return (system, *self._fitting(history, asked), asked)

    def remember(self, prompt: Prompt, heard: str) -> None:
        """A turn is over: the person asked `prompt` and heard this much of the answer."""
        self._messages = prompt[1:]
        if heard:
            self._messages += (Message(role=Role.ASSISTANT, text=heard),)

    def _fitting(self, history: Prompt, asked: Message) -> Prompt:
        """The newest part of `history` that fits.

        Half goes at once when it is too long, so that the part in the cache is read again rarely.
        """
        room = self.max_tokens - _tokens(
            (Message(role=Role.SYSTEM, text=self.system_prompt), asked)
        )
        while history and _tokens(history) > room:
            history = history[len(history) // 2 or 1 :]
            while history and history[0].role is not Role.USER:
                history = history[1:]
        return history


def _tokens(messages: Prompt) -> int:
    """An estimate that errs on the long side."""
    return sum(
        _TOKENS_PER_MESSAGE
        + len(message.text.encode()) // _BYTES_PER_TOKEN
        + (_TOKENS_PER_IMAGE if message.image else 0)
        for message in messages
    )
