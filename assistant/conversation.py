"""Pure: what was said and heard, and the prompt that it makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile
from operator import is_

from assistant import tools
from assistant.camera_line import blind_answer, camera_line
from assistant.repeats import is_repeat
from assistant.tools import Tool, ToolCall
from assistant.types import ImageFrame, Message, Prompt, Role, Scene, Spoken, ToolStep

_BYTES_PER_TOKEN = 3
"""On the safe side: about 4 in English, 3 in Chinese."""

_TOKENS_PER_MESSAGE = 8
"""Role markers of a chat template."""

_TOKENS_PER_IMAGE = 256

_ROOMY = 0.75
"""Of the room for earlier turns, how much they may take before they are shortened. What is left
then is read anew while nobody waits; until it is, the rest of the room lets them stay as they are.
"""

_RESTORED = 0.25
"""Of the same room, how much former conversations may take: who comes back may ask at once,
before they have been read."""

_MAX_ITEMS = 1_000
"""What is added and never answered, and has no words that would fill a prompt, must end too."""

ROOT = "root"
"""Stands for the item before the first."""


def question_id(turn_id: str) -> str:
    """Of the item that holds what the person said in a turn."""
    return f"{turn_id}_question"


def answer_id(turn_id: str) -> str:
    """Of the item that holds what the person heard in a turn."""
    return f"{turn_id}_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something that stands in the conversation."""

    item_id: str
    role: Role
    text: str
    facts: str = ""
    """What was seen meanwhile."""

    aside: str = ""
    """For the brain alone, behind the words."""

    image: ImageFrame | None = None
    spoken: Spoken | None = None
    """When each word of an answer was heard."""

    @property
    def teller(self) -> Role:
        """Chat templates know a system message at the beginning only."""
        return Role.USER if self.role is Role.SYSTEM else self.role

    @property
    def is_told(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.text or self.facts or self.image)

    @property
    def told(self) -> str:
        text = f"[Note: {self.text}]" if self.role is Role.SYSTEM and self.text else self.text
        return text + self.aside


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a brain is asked, and what of it is new."""

    prompt: Prompt
    question: Item
    left_out: frozenset[str]
    """Ids of items that did not fit, and never will again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """What a conversation will be once the brain has read it that way."""

    prompt: Prompt
    before: tuple[Item, ...]
    kept: tuple[Item, ...]


@dataclass(slots=True)
class Conversation:
    """One person's conversation. Keeps what was heard of each reply, not what was written."""

    system_prompt: str
    max_tokens: int
    """Of a prompt, as estimated from its length."""

    scene: Scene | None = None
    """What was seen last."""

    tools: tuple[Tool, ...] = ()
    """What the client carries out."""

    own_tools: tuple[Tool, ...] = ()
    shown: ImageFrame | None = None
    """A picture that was handed over, until a turn has looked at it."""

    _brain_tokens: float = 1.0
    """What the brain counts where we estimate one token: at least 1, and at worst so far."""

    _items: list[Item] = field(default_factory=list)
    _cut_at: str = ""
    """Id of the first item that a shorter conversation keeps, while the brain may be reading it."""

    _later: list[Item] | None = None
    """While a turn is answered: what is added meanwhile, which stands behind the answer."""

    @property
    def messages(self) -> Prompt:
        return _told(self._items)

    @property
    def is_repeating(self) -> bool:
        """Whether the person's last words are the ones before over again."""
        said = [item.text for item in self._items if item.role is Role.USER and item.text]
        return len(said) > 1 and is_repeat(said[-1], said[-2])

    def asking(
        self,
        text: str,
        *,
        turn_id: str,
        scene: Scene | None = None,
        instructions: str | None = None,
        is_open: bool = False,
    ) -> Asked:
        """What the brain is asked in a turn in which the person says `text`.

        `instructions`: in place of the system prompt. `is_open`: more words may follow.

        Nothing that was said is lost: words whose reply was never heard are joined with these.
        """
        system = self.system_prompt if instructions is None else instructions
        first = Message(role=Role.SYSTEM, text=system + tools.offer((*self.own_tools, *self.tools)))
        question = Item(
            item_id=question_id(turn_id),
            role=Role.USER,
            text=text,
            facts=camera_line(scene, text),
            aside="" if is_open else blind_answer(scene, text),
            image=scene.image if scene else None,
        )
        unanswered = self._unanswered()
        history = self._items[: len(self._items) - len(unanswered)]
        while unanswered and self._room((first, *_told([*unanswered, question]))) < 0:
            del unanswered[0]  # or nothing would ever be answered again
        last = _told([*unanswered, question]) or (Message(role=Role.USER, text=""),)
        kept = _fitting(history, self._room((first, *last)), cut_at=self._cut_at)
        told = {item.item_id for item in (*kept, *unanswered)}
        return Asked(
            prompt=(first, *_told(kept), *last),
            question=question,
            left_out=frozenset({item.item_id for item in self._items} - told),
        )

    def answering(self) -> None:
        """What is added from now on stands behind the turn that is being taken."""
        self._later = []

    def remember(
        self,
        asked: Asked,
        turn_id: str,
        spoken: Spoken,
        *,
        calls: Iterable[ToolCall] = (),
        steps: Iterable[ToolStep] = (),
        scene: Scene | None = None,
        prompt_tokens: int = 0,
    ) -> None:
        """A turn is over: this was asked, and this was heard of the answer.

        `prompt_tokens`: how long the brain found what it was asked; 0 where it did not say.
        """
        done = [item for step in steps for item in _items_of(step)]
        if not done:  # or else the brain has read more than was asked
            told = prompt_tokens / estimated_tokens(asked.prompt)
            self._brain_tokens = max(self._brain_tokens, told)
        self.scene = scene or self.scene
        self.shown = None
        kept = [item for item in self._items if item.item_id not in asked.left_out]
        answer = Item(
            item_id=answer_id(turn_id), role=Role.ASSISTANT, text=spoken.text, spoken=spoken
        )
        called = [Item(item_id=call.item_id, role=Role.ASSISTANT, text=str(call)) for call in calls]
        new = [item for item in (asked.question, *done, answer, *called) if item.is_told]
        self._items = [*kept, *new, *(self._later or ())]
        self._later = None

    def shortened(self, history_share: float = 1.0) -> Shortened | None:
        """A shorter conversation, for the brain to read while nobody waits; None where it is short.

        `history_share`: of the room for earlier turns, how much they may take. As long as it is not
        adopted, the next one begins at the same item, so that what was read of it is not lost.
        """
        room = min(_ROOMY, history_share) * self._room(self.asking("", turn_id="").prompt[:1])
        if estimated_tokens(self.messages) <= room:
            return None
        kept = _fitting(self._items, room, cut_at=self._cut_at)
        self._cut_at = kept[0].item_id if kept else ""
        shorter = replace(self, _items=kept).asking("", turn_id="")
        return Shortened(prompt=shorter.prompt, before=tuple(self._items), kept=tuple(kept))

    def adopt(self, shortened: Shortened) -> None:
        """From now on it is short, unless something of it has changed meanwhile."""
        n_before = len(shortened.before)
        now = self._items[:n_before]
        if len(now) == n_before and all(map(is_, now, shortened.before)):
            self._items[:n_before] = shortened.kept

    def shorten(self) -> None:
        """The brain found what it was asked too long."""
        self._brain_tokens *= 2

    def add(self, item: Item, *, after_id: str | None = None) -> None:
        """Something that was not said in a turn. `after_id`: the item that it follows, or ROOT;
        None for the end."""
        if after_id is not None:
            self._items.insert(self._place(after_id), item)
        elif self._later is not None:
            self._later.append(item)
        else:
            self._items.append(item)
        del self._items[:-_MAX_ITEMS]

    def restore(self, earlier: Iterable[Item]) -> None:
        """What was said in former conversations stands before all else, its newest part alone."""
        kept = list(earlier)
        while kept and kept[-1].teller is Role.USER:
            del kept[-1]  # or it would be answered now
        room = _RESTORED * self._room((Message(role=Role.SYSTEM, text=self.system_prompt),))
        while kept and (kept[0].teller is not Role.USER or estimated_tokens(_told(kept)) > room):
            del kept[0]
        self._items[:0] = kept

    def remove(self, item_id: str) -> None:
        self._items = [item for item in self._items if item.item_id != item_id]

    def truncate(self, item_id: str, heard_ms: float) -> str:
        """Of this answer only the first `heard_ms` were heard. What is left of its words."""
        for place, item in enumerate(self._items):
            if item.item_id == item_id and item.spoken is not None:
                spoken = item.spoken.until(heard_ms)
                self._items[place] = replace(item, text=spoken.text, spoken=spoken)
                return spoken.text
        return ""

    def _place(self, after_id: str) -> int:
        """Behind `after_id`; what follows something long forgotten comes first."""
        places = [place for place, item in enumerate(self._items) if item.item_id == after_id]
        return places[0] + 1 if places else 0

    def _room(self, messages: Prompt) -> float:
        """Tokens, as estimated, that fit beside `messages`."""
        return self.max_tokens / self._brain_tokens - estimated_tokens(messages)

    def _unanswered(self) -> list[Item]:
        """The last items, as far as nobody has answered them."""
        behind = takewhile(lambda item: item.teller is Role.USER, reversed(self._items))
        return list(behind)[::-1]


def _items_of(step: ToolStep) -> tuple[Item, Item]:
    """A call that was carried out, and what it brought, as the brain has read them."""
    call_id = f"item_{step.call_id}"
    return (
        Item(item_id=call_id, role=Role.ASSISTANT, text=step.call),
        Item(item_id=f"{call_id}_output", role=Role.USER, text=tools.response(step.result)),
    )


def _told(items: Iterable[Item]) -> Prompt:
    """Items as messages: one where several of one side follow each other, as templates want it."""
    messages = list[Message]()
    told = (item for item in items if item.is_told)
    for teller, group in groupby(told, key=lambda item: item.teller):
        together = list(group)
        facts = next((item.facts for item in reversed(together) if item.facts), "")
        images = [item.image for item in together if item.image]
        text = " ".join(item.told for item in together if item.told)
        image = images[-1] if images else None
        messages.append(Message(role=teller, text=facts + text, image=image))
    return tuple(messages)


def _fitting(history: Sequence[Item], room: float, *, cut_at: str = "") -> list[Item]:
    """The newest part of `history` that fits.

    Old pictures go first, whatever was said about them stays. Then what is before the item `cut_at`
    goes, and then half at once, so that the part in the cache is read again rarely.
    """
    kept = list(history)
    if estimated_tokens(_told(kept)) > room:
        seen = [item for item in kept if item.image]
        kept = [replace(item, image=None) if item in seen[:-1] else item for item in kept]
    if estimated_tokens(_told(kept)) > room:
        places = [place for place, item in enumerate(kept) if item.item_id == cut_at]
        kept = kept[places[0] if places else 0 :]
    while kept and estimated_tokens(_told(kept)) > room:
        kept = kept[len(kept) // 2 or 1 :]
        while kept and kept[0].teller is not Role.USER:
            del kept[0]
    return kept


def estimated_tokens(messages: Prompt) -> int:
    """An estimate that errs on the long side."""
    return sum(
        _TOKENS_PER_MESSAGE
        + len(message.text.encode()) // _BYTES_PER_TOKEN
        + (_TOKENS_PER_IMAGE if message.image else 0)
        for message in messages
    )
