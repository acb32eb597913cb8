from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator

import pytest

from assistant.config import VoiceConfig
from assistant.phrases import PhraseCutter, phrases

TABLE = [
    ["Yes.", " That is a laptop,", " and the screen shows some code."],
    [
        "I can see a person sitting",
        " at a desk, holding a red coffee mug in their left hand.",
        " Behind them there is a window with some plants.",
    ],
    ["Sure!", " It looks like the cable", " is plugged into the wrong port.", " Try the other."],
    [
        "The text on the sign says",
        " no parking between 8 a.m. and 6 p.m. on weekdays,",
        " so you can leave the car here this evening.",
    ],
    ["The capital of France is Paris."],
    ["Dr. Wu owes", " $3.50 at 9 a.m. in the U.S. today.", " Pi is 3.14."],
    ["On March 3, 2025,", " we met at 10:30 in St. Louis."],
    ["The train leaves", " at 10:45 from platform 3,", " and it takes about two hours."],
    ["今天是2025年3月1日，", "温度是-3.5℃，请打开GPS。", "好吗？"],
    ["他说：“好的。”", "然后他走了。", "你想要苹果、香蕉还是橙子？", "我都有！"],
    ["Hello 世界。", "This is mixed,", " 对吧？"],
    ["Here is code:", "\n```python\nprint('a. b')  # No. Yes.\n```", "\nThat prints it."],
    ["1. Apples", "\n2. Pears, and", "\n3. Plums"],
    ["**Bold.**", " Next one is *here*,", " ok?"],
    ["😀 Hello there."],
]
TEXTS = ["".join(expected) for expected in TABLE]


def cut(text: str, config: VoiceConfig | None = None) -> list[str]:
    cutter = PhraseCutter(config or VoiceConfig())
    return [*cutter.push(text), *cutter.finish()]


@pytest.mark.parametrize("expected", TABLE)
def test_text_is_cut_where_a_voice_would_pause(expected: list[str]) -> None:
    assert cut("".join(expected)) == expected


@pytest.mark.parametrize(
    "text", [*TEXTS, "x" * 5_000, "word " * 1_000, "今" * 5_000, "``` never closed"]
)
def test_nothing_is_lost(text: str) -> None:
    assert "".join(cut(text)) == text.rstrip()


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_no_text_is_no_phrase(text: str) -> None:
    assert cut(text) == []


@pytest.mark.parametrize("text", TEXTS)
def test_phrases_are_the_same_however_the_text_arrives(text: str) -> None:
    rng = random.Random(text)
    for _ in range(5):
        cutter = PhraseCutter(VoiceConfig())
        arrived: list[str] = []
        rest = text
        while rest:
            n = rng.randint(1, 8)
            arrived += cutter.push(rest[:n])
            rest = rest[n:]
        assert arrived + cutter.finish() == cut(text)


@pytest.mark.parametrize(
    ("written", "phrase"),
    [
        ("Yes. ", "Yes."),
        ("Sure, it looks good to ", "Sure, it looks good"),
        ("The capital of France,", "The capital of France,"),
        ("I can see people in ", "I can see people"),
        (
            "A photosynthesis process converts light energy i",
            "A photosynthesis process converts light energy",
        ),
        ("这是一个红色的，", "这是一个红色的，"),
    ],
)
def test_the_first_phrase_comes_as_soon_as_it_may(written: str, phrase: str) -> None:
    cutter = PhraseCutter(VoiceConfig())
    assert cutter.push(written[:-1]) == []
    assert cutter.push(written[-1:]) == [phrase]


@pytest.mark.parametrize(
    "unfinished", ["Well, yes, I", "The cat is on the", "Between 8 a.m.", "It costs 3.", "今天天"]
)
def test_the_first_phrase_waits_for_a_place_to_pause(unfinished: str) -> None:
    assert PhraseCutter(VoiceConfig()).push(unfinished) == []


def test_a_long_clause_is_cut_before_it_starves_the_voice() -> None:
    sizes = [len(phrase.split()) for phrase in cut("alpha bravo charlie " * 40)]
    assert sizes[:3] == [6, 12, 18]
    assert max(sizes) <= 18


def test_limits_are_the_configs() -> None:
    config = VoiceConfig(first_phrase_min_words=1, first_phrase_max_words=2, phrase_max_words=4)
    assert cut("Sure, it looks all right to me now", config)[0] == "Sure,"
    assert max(len(phrase.split()) for phrase in cut("alpha bravo " * 20, config)[:-1]) == 4


async def test_a_stream_is_cut_while_it_is_written() -> None:
    taken = 0

    async def pieces() -> AsyncIterator[str]:
        nonlocal taken
        for piece in ["Yes", ".", " That", " is", " right", "."]:
            taken += 1
            yield piece

    cut_after = [(phrase, taken) async for phrase in phrases(pieces(), VoiceConfig())]
    assert cut_after == [("Yes.", 3), (" That is right.", 6)]


@pytest.mark.parametrize("tokens_per_s", [12, 28])
@pytest.mark.parametrize("text", [text for text in TEXTS if text.isascii() and "```" not in text])
def test_speech_hardly_runs_dry_between_phrases(text: str, tokens_per_s: float) -> None:
    """A model of brain and voice: 15 characters a second, 150 ms of pause, 100 ms to start."""
    cutter = PhraseCutter(VoiceConfig())
    now_s = playing_until_s = 0.0
    tokens = re.findall(r"\s?\S{1,5}", text)
    for number, token in enumerate(tokens, start=1):
        now_s = number / tokens_per_s
        ready = cutter.push(token) + (cutter.finish() if number == len(tokens) else [])
        for phrase in ready:
            starts_s = now_s + 0.1
            assert playing_until_s == 0 or starts_s <= playing_until_s + 0.05
            playing_until_s = max(playing_until_s, starts_s) + len(phrase) / 15 + 0.15
