from __future__ import annotations

import pytest

from assistant.asr.deloop import deloop


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        (" What is the time? ", "What is the time?"),
        ("What is the time? What is the time?", "What is the time?"),
        ("What is the time, what is the time, what is", "What is the time"),
        ("Go on. You have been removed. You have been removed.", "Go on. You have been removed."),
        (
            "Good morning, how are you today? Good morning",
            "Good morning, how are you today? Good morning",
        ),
        ("no, no, no", "no, no, no"),
        ("you you you you you", "you"),
        ("5 5 5 5 5", "5 5 5 5 5"),
        ("very very very very good", "very very very very good"),
        ("砸自己的脚砸自己的脚", "砸自己的脚"),
        ("yes yes", "yes yes"),
    ],
)
def test_first_copy_of_what_is_repeated_stays(text: str, said: str) -> None:
    assert deloop(text) == said
