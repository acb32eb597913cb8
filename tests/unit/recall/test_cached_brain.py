from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BrainError, TooLongError
from assistant.recall import cached_brain
from assistant.recall.answer_store import AnswerStore
from assistant.recall.answers import Found, KnownAnswers
from assistant.recall.cached_brain import CachedBrain
from assistant.types import Message, Prompt, Recalled, ReplyStats, Role
from tests.fakes import ScriptedBrain, picture

SYSTEM = Message(role=Role.SYSTEM, text="Be brief.")
CAPITAL = Message(role=Role.USER, text="What is the capital of France?")
SEEN = replace(CAPITAL, text=f"[Camera: a cat]\n{CAPITAL.text}")
HELLO = (
    Message(role=Role.USER, text="I am Ada."),
    Message(role=Role.ASSISTANT, text="Hello, Ada."),
)


@pytest.fixture
def known(tmp_path: Path) -> Iterator[KnownAnswers]:
    store = AnswerStore(tmp_path / "answers.sqlite3", max_entries=10, expires_after_s=60)
    yield KnownAnswers((), store, None, similarity=1)
    store.close()


def cached(known: KnownAnswers, *pieces: str) -> tuple[CachedBrain, ScriptedBrain]:
    brain = ScriptedBrain(pieces)
    return CachedBrain(brain, known, "model"), brain


async def ask(
    brain: CachedBrain, prompt: Prompt, max_tokens: int = 100
) -> tuple[str, ReplyStats | None]:
    async with brain.reply(prompt, max_tokens=max_tokens) as pieces:
        taken = [piece async for piece in pieces]
    return "".join(piece.text for piece in taken), taken[-1].stats


async def test_a_question_is_answered_by_the_brain_once(known: KnownAnswers) -> None:
    brain, asked = cached(known, "Paris", " it is.")
    assert await ask(brain, (SYSTEM, CAPITAL)) == ("Paris it is.", await _stats(asked))
    text, stats = await ask(brain, (SYSTEM, *HELLO, CAPITAL))
    assert text == "Paris it is."
    assert stats is not None
    assert stats.recalled is Recalled.EXACT
    assert len(asked.replied) == 2  # one of them to compare with
    await brain.prefill((SYSTEM, CAPITAL))
    assert not asked.prefilled
    await brain.prefill((SYSTEM, replace(CAPITAL, text="What is the")))
    assert len(asked.prefilled) == 1


async def _stats(brain: ScriptedBrain) -> ReplyStats | None:
    async with brain.reply((SYSTEM,), max_tokens=9) as pieces:
        return [piece async for piece in pieces][-1].stats


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ((SYSTEM, *HELLO, CAPITAL), "Paris, Ada."),
        ((SYSTEM, SEEN), "Paris, and a nice cat."),
        ((SYSTEM, replace(CAPITAL, image=picture())), "Paris."),
        ((SYSTEM, replace(CAPITAL, text="[Note: Ada is here.] Where is Paris?")), "Here."),
        ((SYSTEM, CAPITAL), '{"name": "look_up", "arguments": {}}'),
    ],
)
async def test_an_answer_into_which_more_could_have_gone_is_not_kept(
    prompt: Prompt, answer: str, known: KnownAnswers
) -> None:
    brain, asked = cached(known, answer)
    await ask(brain, prompt)
    await ask(brain, prompt)
    await ask(brain, (SYSTEM, CAPITAL))
    assert len(asked.replied) == 3


async def test_an_answer_that_was_cut_short_or_left_is_not_kept(known: KnownAnswers) -> None:
    brain, asked = cached(known, "Paris", " it is.")
    await ask(brain, (SYSTEM, CAPITAL), max_tokens=4)
    async with brain.reply((SYSTEM, CAPITAL), max_tokens=100) as pieces:
        async for _ in pieces:
            break
    assert asked.busy == 0
    await ask(brain, (SYSTEM, CAPITAL))
    assert len(asked.replied) == 3


async def test_what_the_camera_shows_does_not_keep_a_known_answer_back(
    known: KnownAnswers,
) -> None:
    brain, asked = cached(known, "Paris.")
    await ask(brain, (SYSTEM, CAPITAL))
    assert (await ask(brain, (SYSTEM, SEEN)))[0] == "Paris."
    assert len(asked.replied) == 1


async def test_other_instructions_and_another_brain_answer_for_themselves(
    known: KnownAnswers,
) -> None:
    brain, asked = cached(known, "Paris.")
    await ask(brain, (SYSTEM, CAPITAL))
    await ask(brain, (replace(SYSTEM, text="Speak like a pirate."), CAPITAL))
    await ask(CachedBrain(asked, known, "another"), (SYSTEM, CAPITAL))
    assert len(asked.replied) == 3


@pytest.fixture
def desk() -> KnownAnswers:
    """Knows much the same question as CAPITAL, and nothing surely."""

    class Desk(KnownAnswers):
        def find(self, asked_of: str, question: str, *, surely: bool = True) -> Found | None:
            is_near = not surely and question == CAPITAL.text
            return Found("Paris.", Recalled.SIMILAR) if is_near else None

    return Desk((), None, None, similarity=1)


async def test_a_kept_answer_stands_in_for_a_brain_that_cannot_answer(desk: KnownAnswers) -> None:
    brain, asked = cached(desk, "It is Rome.")
    assert (await ask(brain, (SYSTEM, CAPITAL)))[0] == "It is Rome."
    asked.fails_with = BrainError("out of memory")
    async with brain.reply((SYSTEM, CAPITAL), max_tokens=9) as pieces:
        told, answer = [piece async for piece in pieces]
    assert (told.text, told.is_kept) == ("", True)
    assert told.shortcoming == "out of memory; an answer that was kept stands in"
    assert answer.text == "Paris."
    assert answer.stats is not None
    assert answer.stats.recalled is Recalled.SIMILAR


async def test_a_brain_that_says_nothing_cannot_answer(
    desk: KnownAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_brain, "_SILENCE_MS", 20)
    brain, asked = cached(desk, "It is Rome.")
    asked.token_s = 60
    assert (await ask(brain, (SYSTEM, CAPITAL)))[0] == "Paris."
    assert asked.busy == 0


@pytest.mark.parametrize(
    ("prompt", "fails_after", "error"),
    [
        ((SYSTEM, HELLO[0]), 0, BrainError("out of memory")),  # nothing is known
        ((SYSTEM, CAPITAL), 1, None),  # it has begun to answer
        ((SYSTEM, CAPITAL), 0, TooLongError("too long")),  # it will be asked less
    ],
)
async def test_otherwise_the_failure_is_told(
    desk: KnownAnswers, prompt: Prompt, fails_after: int, error: BrainError | None
) -> None:
    brain, asked = cached(desk, "It", "is", "Rome.")
    asked.fails_after, asked.fails_with = fails_after, error
    with pytest.raises(type(error or BrainError("")), match=r"out of memory|too long"):
        await ask(brain, prompt)


async def test_much_the_same_question_will_do_where_answers_must_be_quick(
    desk: KnownAnswers,
) -> None:
    asked = ScriptedBrain(["It is Rome."])
    brain = CachedBrain(asked, desk, "model", recall_surely=False)
    assert (await ask(brain, (SYSTEM, CAPITAL)))[0] == "Paris."
    assert not asked.replied
