from __future__ import annotations

import numpy as np
import pytest

from assistant.tts.timing import WordClock


def clock(phrase: str, *, n_ids: int | None = None) -> WordClock:
    """One id for each letter, 100 samples long."""
    letters = len("".join(phrase.split()))
    made = WordClock(phrase, n_ids=n_ids or letters, weigh=len)
    made.add_sentence(np.arange(1, letters + 1) * 100.0, begins_at=0)
    return made


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        (0, ""),
        (299, ""),
        (300, " The"),
        (599, " The"),
        (600, " The cat"),
        (10_000, " The cat sat."),
    ],
)
def test_a_word_is_said_when_its_last_phoneme_has_ended(sample: int, said: str) -> None:
    phrase = " The cat sat."
    assert phrase[: clock(phrase).said_characters(sample)] == said


def test_words_share_the_time_by_their_phonemes_and_not_their_letters() -> None:
    weights = {"in": 2, "1999": 18}
    made = WordClock("in 1999", n_ids=20, weigh=weights.__getitem__)
    made.add_sentence(np.arange(1, 21) * 10.0, begins_at=0)
    assert made.said_characters(20) == 2
    assert made.said_characters(199) == 2
    assert made.said_characters(200) == 7


def test_sentences_follow_one_another() -> None:
    made = WordClock("One. Two.", n_ids=8, weigh=len)
    made.add_sentence(np.array([10.0, 20, 30, 40]), begins_at=0)
    assert made.said_characters(1_000) == 4
    made.add_sentence(np.array([10.0, 20, 30, 40]), begins_at=40)
    assert made.said_characters(79) == 4
    assert made.said_characters(80) == 9


def test_a_chinese_character_is_a_word() -> None:
    made = clock("你好吗")
    assert [made.said_characters(sample) for sample in (99, 100, 200, 300)] == [0, 1, 2, 3]


def test_words_that_make_no_sound_go_with_the_one_before() -> None:
    made = WordClock("Well — yes", n_ids=8, weigh={"Well": 4, "—": 0, "yes": 4}.__getitem__)
    made.add_sentence(np.arange(1, 9) * 10.0, begins_at=0)
    assert made.said_characters(40) == len("Well —")
