"""Messages in order, only once, over however many lines it takes; words in handfuls."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from assistant.transport import outbox as outbox_module
from assistant.transport.outbox import KEPT_MESSAGES, Outbox

Message = dict[str, Any]


def word(n: int, item_id: str = "item_1") -> Message:
    kind = "response.output_text.delta"
    return {"type": kind, "event_id": f"word_{n}", "item_id": item_id, "delta": f" {n}"}


def other(n: int) -> Message:
    return {"type": "assistant.state", "event_id": f"other_{n}"}


def texts(messages: list[Message]) -> list[str]:
    return [str(message.get("delta") or message["event_id"]) for message in messages]


@pytest.fixture
def sent() -> list[Message]:
    return []


@pytest.fixture
def outbox(sent: list[Message]) -> Outbox:
    outbox = Outbox()
    outbox.open(sent.append)
    return outbox


async def test_the_first_word_goes_at_once_and_those_that_follow_together(
    outbox: Outbox, sent: list[Message]
) -> None:
    for n in range(5):
        outbox.put(word(n))
    assert texts(sent) == [" 0"]
    await asyncio.sleep(2 * outbox_module.JOINED_FOR_S)
    assert texts(sent) == [" 0", " 1 2 3 4"]


async def test_words_are_never_more_than_one_message_in_30_ms(
    outbox: Outbox, sent: list[Message]
) -> None:
    began_at_s = asyncio.get_running_loop().time()
    for n in range(30):
        outbox.put(word(n))
        await asyncio.sleep(0.005)
    took_s = asyncio.get_running_loop().time() - began_at_s
    outbox.close()
    assert len(sent) <= took_s / outbox_module.JOINED_FOR_S + 2
    assert "".join(texts(sent)) == "".join(f" {n}" for n in range(30))


async def test_nothing_overtakes_a_word(outbox: Outbox, sent: list[Message]) -> None:
    outbox.put(word(0))
    outbox.put(word(1))
    outbox.put(word(2, "item_2"))
    outbox.put(word(3, "item_2"))
    outbox.put(other(0))
    assert texts(sent) == [" 0", " 1", " 2 3", "other_0"]
    outbox.close()


async def test_what_is_put_while_there_is_no_line_waits_for_one(sent: list[Message]) -> None:
    outbox = Outbox()
    outbox.put(other(0))
    outbox.put(other(1))
    outbox.open(sent.append)
    outbox.put(other(2))
    outbox.close()
    outbox.put(other(3))
    outbox.open(sent.append)
    assert texts(sent) == [f"other_{n}" for n in range(4)]


async def test_a_new_line_brings_what_did_not_come_through_on_the_last(
    outbox: Outbox, sent: list[Message]
) -> None:
    for n in range(5):
        outbox.put(other(n))
    outbox.close()
    outbox.put(other(5))
    sent.clear()
    outbox.open(sent.append, last_event_id="other_2")
    assert texts(sent) == ["other_3", "other_4", "other_5"]


async def test_whoever_is_greeted_on_a_new_line_may_lose_that_too(
    outbox: Outbox, sent: list[Message]
) -> None:
    for n in range(3):
        outbox.put(other(n))
    outbox.close()
    outbox.open(lambda message: None, greeting=[other(90)], last_event_id="other_0")
    outbox.close()
    sent.clear()
    outbox.open(sent.append, greeting=[other(91)], last_event_id="other_90")
    assert texts(sent) == ["other_91", "other_1", "other_2"]


async def test_a_client_that_says_what_we_no_longer_know_gets_what_waited(
    outbox: Outbox, sent: list[Message]
) -> None:
    outbox.put(other(0))
    outbox.close()
    outbox.put(other(1))
    sent.clear()
    outbox.open(sent.append, last_event_id="other_99")
    assert texts(sent) == ["other_1"]


async def test_no_more_is_kept_than_may(sent: list[Message]) -> None:
    outbox = Outbox()
    for n in range(KEPT_MESSAGES + 50):
        outbox.put(other(n))
    outbox.open(sent.append)
    assert texts(sent) == [f"other_{n}" for n in range(50, KEPT_MESSAGES + 50)]
