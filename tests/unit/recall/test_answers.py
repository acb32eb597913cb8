from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from assistant.errors import RecallError
from assistant.recall.answer_store import AnswerStore, KnownAnswer
from assistant.recall.answers import Found, KnownAnswers
from assistant.recall.encoder import SentenceEncoder, Vectors
from assistant.recall.templates import read_templates
from assistant.types import Recalled
from tests.unit.recall.fake_encoder import FakeEncoder
from tests.virtual_time import Clock

CAPITAL = "What is the capital of France?"
PARIS = "Paris is the capital of France."


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[AnswerStore]:
    store = AnswerStore(
        tmp_path / "a" / "b.sqlite3", max_entries=3, expires_after_s=60, clock=clock
    )
    yield store
    store.close()


def known_answers(
    store: AnswerStore | None = None,
    templates: tuple[KnownAnswer, ...] = (),
    alike: dict[str, str] | None = None,
) -> KnownAnswers:
    encoder = cast(SentenceEncoder, FakeEncoder(alike or {}))
    return KnownAnswers(templates, store, encoder, similarity=0.7)


def test_the_same_words_are_found_and_other_instructions_have_other_answers(
    store: AnswerStore,
) -> None:
    known = known_answers(store)
    known.keep("a", CAPITAL, PARIS)
    assert known.find("a", "what is the capital of France") == Found(PARIS, Recalled.EXACT)
    assert known.find("b", CAPITAL) is None


def test_the_same_meaning_is_found(store: AnswerStore) -> None:
    other = "Tell me the capital of France."
    known = known_answers(store, alike={other: CAPITAL})
    known.keep("a", CAPITAL, PARIS)
    assert known.find("a", other) == Found(PARIS, Recalled.SIMILAR)


class NearEncoder:
    """Every question is at 0.9 of the one before; all words mean the same."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        angle = np.arccos(0.9)
        places = [angle * ("author" in text) for text in texts]
        return np.array([[np.cos(a), np.sin(a)] for a in places], np.float32)


def test_much_the_same_will_do_where_nothing_better_is_to_be_had(store: AnswerStore) -> None:
    encoder = cast(SentenceEncoder, NearEncoder())
    known = KnownAnswers((), store, encoder, similarity=0.7)
    known.keep("a", "Who penned Hamlet the play?", "Shakespeare.")
    other = "Who is the author of Hamlet the play?"
    assert known.find("a", other) is None
    assert known.find("a", other, surely=False) == Found("Shakespeare.", Recalled.SIMILAR)


def test_a_near_miss_is_not_however_close_it_lies(store: AnswerStore) -> None:
    miss = "What is not the capital of France?"
    known = known_answers(store, alike={miss: CAPITAL})
    known.keep("a", CAPITAL, PARIS)
    assert known.find("a", miss) is None


def test_what_depends_on_more_is_neither_kept_nor_answered(store: AnswerStore) -> None:
    known = known_answers(store)
    known.keep("a", "What is my name?", "Ada.")
    store.keep("a", KnownAnswer("What time is it?", "Noon."), None)
    assert known.find("a", "What is my name?") is None
    assert known.find("a", "What time is it?") is None


def test_an_answer_expires(store: AnswerStore, clock: Clock) -> None:
    known = known_answers(store)
    known.keep("a", CAPITAL, PARIS)
    clock.now_s += 59
    assert known.find("a", CAPITAL) is not None
    clock.now_s += 2
    assert known.find("a", CAPITAL) is None


def test_the_oldest_make_way(store: AnswerStore, clock: Clock) -> None:
    known = known_answers(store)
    for n in range(4):
        clock.now_s += 1
        known.keep("a", f"What is the meaning of word {n}?", f"It is {n}.")
    found = [known.find("a", f"What is the meaning of word {n}?") for n in range(4)]
    assert [each is not None for each in found] == [False, True, True, True]


def test_a_cleared_store_knows_nothing_and_its_file_holds_no_words(
    store: AnswerStore, tmp_path: Path
) -> None:
    known = known_answers(store)
    known.keep("a", CAPITAL, PARIS)
    file = tmp_path / "a" / "b.sqlite3"
    assert PARIS.encode() in file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    assert store.clear() == 1
    assert known.find("a", CAPITAL) is None
    assert PARIS.encode() not in file.read_bytes()


def test_a_file_that_is_no_store_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite3"
    file.write_text("this is no database, " * 100)
    with pytest.raises(RecallError, match="remove it"):
        AnswerStore(file, max_entries=1, expires_after_s=1)


def test_templates_go_before_what_was_learned(store: AnswerStore, tmp_path: Path) -> None:
    file = tmp_path / "desk.txt"
    file.write_text(
        "# the desk\nQ: When are you open?\nQ: What are your hours?\nA: From nine\n  to five.\n"
        "\n\nQ: 你们几点开门？\nA: 九点。\n"
    )
    templates = read_templates(file)
    assert [known.question for known in templates] == [
        "When are you open?",
        "What are your hours?",
        "你们几点开门？",
    ]
    known = known_answers(store, templates, {"When do you open?": "When are you open?"})
    known.keep("a", "When are you open?", "Always.")
    for question in ("when are you open", "What are your hours?", "When do you open?"):
        assert known.find("a", question) == Found("From nine to five.", Recalled.TEMPLATE)
    assert known.find("a", "你们几点开门") == Found("九点。", Recalled.TEMPLATE)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A: no question\n", 1),
        ("Q: no answer\n\nQ: x\nA: y\n", 2),
        ("Q: a\nA: b\nQ: no empty line\nA: c\n", 3),
        ("just words\n", 1),
        ("Q: at the end\n", 2),
    ],
)
def test_a_bad_line_of_templates_is_named(text: str, line: int, tmp_path: Path) -> None:
    file = tmp_path / "desk.txt"
    file.write_text(text)
    with pytest.raises(RecallError, match=rf"desk\.txt, line {line}:"):
        read_templates(file)
