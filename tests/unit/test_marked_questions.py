"""What is hard, learned from marked questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from assistant.marked_questions import Marked, MarkedQuestions, marked_questions, read_marked
from assistant.recall.encoder import Vectors
from assistant.router import Tier

EXAMPLES = (
    ("fast", "what is the capital of France"),
    ("fast", "what is the capital of Spain"),
    ("fast", "what is the height of the tower"),
    ("fast", "法国的首都是哪里"),
    ("strong", "how come the tower leans"),
    ("strong", "how come the sea is salty"),
    ("strong", "how come people dream"),
    ("strong", "塔是怎么歪的"),
)


def no_meaning(texts: Sequence[str]) -> Vectors:
    """All alike, so that words alone decide."""
    return np.ones((len(texts), 1), np.float32)


@pytest.fixture(scope="module")
def learned() -> MarkedQuestions:
    return MarkedQuestions(
        [Marked(Tier(tier), "", question) for tier, question in EXAMPLES], no_meaning
    )


@pytest.mark.parametrize(
    ("question", "is_hard"),
    [
        ("What is the capital of Peru?", False),
        ("How come the river is warm?", True),
        ("意大利的首都是哪里", False),
        ("桥是怎么歪的", True),
    ],
)
def test_words_and_their_pairs_are_learned(
    question: str, is_hard: bool, learned: MarkedQuestions
) -> None:
    assert learned.is_hard(question) is is_hard


def test_each_is_told_by_the_others(learned: MarkedQuestions) -> None:
    for n, told in enumerate(learned.left_out()):
        others = [Marked(Tier(tier), "", asked) for tier, asked in EXAMPLES]
        question = others.pop(n).question
        assert MarkedQuestions(others, no_meaning).is_hard(question) is told


def test_questions_that_come_with_the_program() -> None:
    marked = marked_questions()
    assert len({each.question for each in marked}) == len(marked) >= 500
    for language in ("en", "zh"):
        for tier in Tier:
            assert sum(each[:2] == (tier, language) for each in map(_key, marked)) > 100


def _key(marked: Marked) -> tuple[Tier, str, str]:
    return marked.tier, marked.language, marked.question


def test_table_is_read() -> None:
    read = read_marked("tier\tlanguage\tquestion\nfast\ten\tWho?\n")
    assert read == (Marked(Tier.FAST, "en", "Who?"),)
