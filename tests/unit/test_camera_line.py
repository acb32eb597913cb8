from __future__ import annotations

import pytest

from assistant.camera_line import blind_answer, camera_line, without_camera_line
from assistant.types import Scene

SIGN = 'a white sign with this text: "OPEN"'
SHIRT = 'text that reads "TEAM 7"'
NO_TEXT = ". Question: can you read it? Answer: I see no text."


@pytest.mark.parametrize(
    ("facts", "question", "told"),
    [
        (("a cat", "a cup"), "what is it", "[Camera: a cat; a cup]\n"),
        ((), "what do you see", ""),
        ((SIGN,), "what is it", "[Camera: a white sign{} OPEN]\n"),
        ((SIGN,), "can you read it", "[Camera: a white sign{} OPEN]\n"),
        (("a person", SHIRT), "what is it", "[Camera: a person; text{} TEAM 7]\n"),
        (("a cat",), "can you read this", f"[Camera: a cat{NO_TEXT}]\n"),
        (("a cat",), "这上面写了什么", f"[Camera: a cat{NO_TEXT}]\n"),
        (
            ("a cat",),
            "did it move",
            "[Camera: a cat; nothing is known to have changed since the last look]\n",
        ),
        (
            ("a cat", "since the last look a cup has come"),
            "what has changed",
            "[Camera: a cat; since the last look a cup has come]\n",
        ),
    ],
)
def test_a_scene_is_told_with_an_answer_for_whoever_asks_to_read(
    facts: tuple[str, ...], question: str, told: str
) -> None:
    answer = ". Question: can you read it? Answer: It says:"
    assert camera_line(Scene(facts=facts), question) == told.format(answer)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("", ""),
        ("what is two plus two", ""),
        ("did the price change", ""),
        ("What color is the sky?", "[Camera: no picture]\n"),
        ("Do people read books?", "[Camera: no picture]\n"),
    ],
)
def test_without_a_picture_only_questions_about_seeing_are_told_so(
    question: str, told: str
) -> None:
    assert camera_line(None, question) == told


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What do you see?", "I can't see"),
        ("What colour is this?", "I can't see"),
        ("What colors does the thing I am holding have?", "I can't see"),
        ("What am I wearing?", "I can't see"),
        ("Can you read the text on this page to me?", "I can't see"),
        ("Can you see me?", "I can't see"),
        ("How many people are here?", "I can't see"),
        ("Is anybody behind me?", "I can't see"),
        ("你看到什么", "我现在看不到"),
        ("我手里拿着什么", "我现在看不到"),
    ],
)
def test_what_only_a_picture_tells_has_its_answer_put_where_there_is_none(
    question: str, answer: str
) -> None:
    assert camera_line(None, question) == ""
    aside = blind_answer(None, question)
    assert aside.startswith(f"\n[Camera: no picture. Answer: {answer}")
    assert without_camera_line(question + aside) == question
    assert blind_answer(Scene(facts=("a cat",)), question) == ""
