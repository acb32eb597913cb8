from __future__ import annotations

import pytest

from assistant.recall.cacheable import depends_on


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "What time is breakfast?",
        "How do I get to the station?",
        "Can I bring a dog?",
        "Tell me about photosynthesis.",
        "Is there a swimming pool?",
        "Is it possible to park a car here?",
        "法国的首都是哪里？",
        "怎么煮鸡蛋？",
    ],
)
def test_knowledge_depends_on_nothing(question: str) -> None:
    assert depends_on(question) is None


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("What time is it?", "the time"),
        ("What is the weather in Berlin?", "the time"),
        ("Are you open today?", "the time"),
        ("What is the date?", "the time"),
        ("现在几点了？", "the time"),
        ("今天天气怎么样？", "the time"),
        ("What is my name?", "the person"),
        ("Where did I put the keys?", "the person"),
        ("I am allergic to nuts, what can I eat?", "the person"),
        ("How much do I owe for lunch?", "the person"),
        ("Am I too late for breakfast?", "the person"),
        ("我的名字是什么？", "the person"),
        ("What colour is the car?", "the picture"),
        ("What do you see?", "the picture"),
        ("你看到了什么？", "the picture"),
        ("Why?", "earlier turns"),
        ("And the one in Germany?", "earlier turns"),
        ("How old is he?", "earlier turns"),
        ("What is the capital of that country?", "earlier turns"),
        ("How do I get there?", "earlier turns"),
        ("Tell the joke again please.", "earlier turns"),
        ("What about the capital of Spain?", "earlier turns"),
        ("那德国的首都呢？", "earlier turns"),
    ],
)
def test_what_needs_more_than_its_words_is_told(question: str, what: str) -> None:
    assert depends_on(question) == what
