"""What a brain is asked, and what is left of it afterwards."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.conversation import ROOT, Conversation, Item, answer_id, question_id
from assistant.tools import Tool, ToolCall
from assistant.types import ImageFrame, Message, Prompt, Role, Scene, Spoken, ToolStep

ANSWER = Spoken("It is Paris, of course.", ((100, 2), (200, 5), (400, 12), (900, 23)))
RED = ImageFrame(pixels=np.zeros((2, 2, 3), np.uint8), captured_at_s=0.0)


@pytest.fixture
def conversation() -> Conversation:
    return Conversation(system_prompt="Be brief.", max_tokens=1_000)


def take(
    conversation: Conversation,
    n: int,
    text: str,
    heard: str | Spoken,
    *,
    scene: Scene | None = None,
    calls: tuple[ToolCall, ...] = (),
) -> Prompt:
    """A whole turn; what was asked."""
    asked = conversation.asking(text, turn_id=f"turn_{n}", scene=scene)
    conversation.answering()
    spoken = Spoken(heard) if isinstance(heard, str) else heard
    conversation.remember(asked, f"turn_{n}", spoken, calls=calls, scene=scene)
    return asked.prompt


def ask(conversation: Conversation, text: str = "", scene: Scene | None = None) -> Prompt:
    return conversation.asking(text, turn_id="turn_9", scene=scene).prompt


def said(prompt: Prompt) -> list[tuple[str, str]]:
    return [(message.role.value, message.text) for message in prompt]


def item(item_id: str, role: Role, text: str) -> Item:
    return Item(item_id=item_id, role=role, text=text)


def test_turns_follow_one_another(conversation: Conversation) -> None:
    take(conversation, 1, "one", "two")
    assert said(ask(conversation, "three")) == [
        ("system", "Be brief."),
        ("user", "one"),
        ("assistant", "two"),
        ("user", "three"),
    ]


def test_what_was_asked_is_never_told_differently_later(conversation: Conversation) -> None:
    """Or the brain would have to read it again."""
    scene = Scene(facts=("a cat",), image=RED)
    take(conversation, 1, "I want to", "")
    before = take(conversation, 2, "see this", "A cat.", scene=scene)
    assert before[-1].text == "[Camera: a cat]\nI want to see this"
    after = ask(conversation, "and this?")
    assert after[: len(before)] == before


def rest(conversation: Conversation, history_share: float = 1.0) -> None:
    """Nobody speaks for long: the brain reads all that it is told to."""
    shorter = conversation.shortened(history_share)
    if shorter is not None:
        conversation.adopt(shorter)


def test_oldest_turns_are_left_out_for_good_when_they_do_not_fit() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=120)
    prompts = [take(conversation, n, f"question {n}", f"answer {n}") for n in range(12)]
    first = [prompt[1].text for prompt in prompts]
    assert len(set(first)) < 6
    assert all(prompt[1].role is Role.USER for prompt in prompts)
    assert prompts[-1][-2].text == "answer 10"
    assert len(conversation.messages) < 14


def test_old_pictures_go_before_anything_that_was_said() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=1_400)
    for n in range(8):
        take(conversation, n, f"question {n}", f"answer {n}", scene=Scene(image=RED))
        rest(conversation)
    messages = conversation.messages
    assert [message.text for message in messages][::2] == [f"question {n}" for n in range(8)]
    seen = [n for n, message in enumerate(messages[::2]) if message.image]
    assert 0 < len(seen) < 8
    assert seen[-1] == 7


def test_there_is_room_when_a_turn_begins() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=200)
    for n in range(40):
        take(conversation, n, f"question {n}", f"answer {n}")
        rest(conversation)
        standing = ask(conversation)[:-1]
        assert ask(conversation, "Well, " * 8)[: len(standing)] == standing


def test_a_conversation_is_short_only_once_it_has_been_read_that_way() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=200)
    while (shorter := conversation.shortened()) is None:
        take(conversation, len(conversation.messages), "question", "answer")
    as_it_was = conversation.messages
    take(conversation, 100, "one more", "indeed")  # before the shorter one was read
    assert conversation.messages[: len(as_it_was)] == as_it_was
    later = conversation.shortened()
    assert later is not None
    assert later.prompt[: len(shorter.prompt) - 1] == shorter.prompt[:-1]
    conversation.adopt(later)
    assert conversation.messages == later.prompt[1:-1]
    assert conversation.shortened() is None


def test_what_was_read_beforehand_is_what_is_kept_where_it_no_longer_fits() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=200)
    while (shorter := conversation.shortened()) is None:
        take(conversation, len(conversation.messages), "question", "answer")
    kept = shorter.prompt[1:-1]
    for n in range(100, 104):
        first = take(conversation, n, f"question {n}", f"answer {n}")[1:]
        if first[: len(kept)] == kept:
            return
    pytest.fail("it began somewhere else")


def test_a_shorter_conversation_is_not_adopted_once_something_of_it_has_changed() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=200)
    while (shorter := conversation.shortened()) is None:
        take(conversation, len(conversation.messages), "question", ANSWER)
    n_before = len(conversation.messages)
    conversation.truncate(answer_id(f"turn_{n_before - 2}"), 200)
    conversation.adopt(shorter)
    assert len(conversation.messages) == n_before


def test_less_may_be_kept_in_mind(conversation: Conversation) -> None:
    for n in range(10):
        take(conversation, n, f"question {n}", f"answer {n}")
        rest(conversation, 0.2)
    assert 2 <= len(conversation.messages) < 16


def test_a_brain_that_counts_more_tokens_is_asked_less() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=400)
    for n in range(30):
        asked = conversation.asking(f"question {n}", turn_id=f"turn_{n}")
        length = 3 * sum(len(message.text) for message in asked.prompt)
        assert length < 1_000
        conversation.remember(asked, f"turn_{n}", Spoken("answer"), prompt_tokens=length)
    before = len(ask(conversation))
    conversation.shorten()
    assert len(ask(conversation)) < before


def test_what_tools_brought_is_not_taken_for_a_longer_way_of_counting() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=400)
    for n in range(4):
        take(conversation, n, f"question {n}", f"answer {n}")
    standing = len(ask(conversation))
    asked = conversation.asking("what time is it", turn_id="turn_4")
    step = ToolStep(call_id="call_1", call='{"name": "time"}', result="noon")
    conversation.remember(asked, "turn_4", Spoken("Noon."), steps=[step], prompt_tokens=10_000)
    assert len(ask(conversation)) > standing


def test_something_that_is_longer_than_all_the_room_is_asked_alone() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=50)
    take(conversation, 1, "one", "two")
    assert len(take(conversation, 2, "long " * 100, "three")) == 2
    assert said(conversation.messages)[-1] == ("assistant", "three")


def test_something_that_can_never_be_answered_is_given_up() -> None:
    conversation = Conversation(system_prompt="Be brief.", max_tokens=100)
    conversation.add(item("a", Role.USER, "endless " * 1_000))
    conversation.add(item("b", Role.USER, "but this:"))
    assert take(conversation, 1, "hello", "Hi.")[-1].text == "but this: hello"
    assert conversation.messages[0].text == "but this: hello"


def test_items_without_words_do_not_pile_up(conversation: Conversation) -> None:
    for n in range(3_000):
        conversation.add(item(f"picture_{n}", Role.USER, ""))
    assert len(conversation._items) == 1_000


def test_typed_items_wait_for_an_answer(conversation: Conversation) -> None:
    conversation.add(item("a", Role.USER, "What is"))
    conversation.add(item("b", Role.USER, "the capital?"))
    prompt = take(conversation, 1, "", "Paris.")
    assert said(prompt)[1:] == [("user", "What is the capital?")]
    conversation.remove("a")
    assert said(conversation.messages) == [("user", "the capital?"), ("assistant", "Paris.")]


def test_with_nothing_to_answer_the_brain_begins(conversation: Conversation) -> None:
    assert said(take(conversation, 1, "", "Hello.")) == [("system", "Be brief."), ("user", "")]
    assert said(conversation.messages) == [("assistant", "Hello.")]


def test_notes_of_the_system_stand_where_they_were_made(conversation: Conversation) -> None:
    take(conversation, 1, "one", "two")
    conversation.add(item("a", Role.SYSTEM, "Her name is Anna."))
    assert said(ask(conversation, "three"))[-1] == ("user", "[Note: Her name is Anna.] three")


def test_what_is_added_during_an_answer_stands_behind_it(conversation: Conversation) -> None:
    asked = conversation.asking("one", turn_id="turn_1")
    conversation.add(item("early", Role.USER, "zero"))
    conversation.answering()
    conversation.add(item("late", Role.USER, "three"))
    conversation.remember(asked, "turn_1", Spoken("two"))
    assert said(conversation.messages) == [
        ("user", "zero one"),
        ("assistant", "two"),
        ("user", "three"),
    ]


@pytest.mark.parametrize(
    ("after_id", "expected"),
    [
        (ROOT, "new one two"),
        (question_id("turn_1"), "one new two"),
        (answer_id("turn_1"), "one two new"),
        (None, "one two new"),
        ("long forgotten", "new one two"),
    ],
)
def test_an_item_is_put_in_its_place(
    conversation: Conversation, after_id: str | None, expected: str
) -> None:
    take(conversation, 1, "one", "two")
    conversation.add(item("a", Role.USER, "new"), after_id=after_id)
    assert " ".join(message.text for message in conversation.messages) == expected


@pytest.mark.parametrize(
    ("heard_ms", "left"),
    [(0, ""), (99, ""), (100, "It"), (399, "It is"), (400, "It is Paris,"), (5_000, ANSWER.text)],
)
def test_an_answer_is_cut_back_to_what_was_heard(
    conversation: Conversation, heard_ms: int, left: str
) -> None:
    take(conversation, 1, "one", ANSWER)
    assert conversation.truncate(answer_id("turn_1"), heard_ms) == left
    assert conversation.truncate(answer_id("turn_1"), 9_000) == left
    told = [message for message in conversation.messages if message.role is Role.ASSISTANT]
    assert [message.text for message in told] == ([left] if left else [])


def test_only_an_answer_that_is_there_can_be_cut(conversation: Conversation) -> None:
    take(conversation, 1, "one", ANSWER)
    for item_id in (question_id("turn_1"), "nothing"):
        assert conversation.truncate(item_id, 5_000) == ""
    assert said(conversation.messages) == [("user", "one"), ("assistant", ANSWER.text)]


def test_a_picture_that_was_handed_over_is_looked_at_once(conversation: Conversation) -> None:
    conversation.shown = RED
    take(conversation, 1, "what is this?", "Red.", scene=Scene(facts=("red",)))
    assert conversation.shown is None
    assert conversation.messages[0] == Message(role=Role.USER, text="[Camera: red]\nwhat is this?")


def test_calls_and_their_results_are_part_of_it(conversation: Conversation) -> None:
    conversation.tools = (Tool(name="light", description="Turns it on.", parameters="{}"),)
    call = ToolCall(call_id="call_1", name="light", arguments='{"on": true}')
    prompt = take(conversation, 1, "light, please", "Gladly.", calls=(call,))
    assert prompt[0].text.startswith("Be brief.\n\n# Tools\n")
    assert '{"name": "light", "description": "Turns it on.", "parameters": {}}' in prompt[0].text
    assert said(conversation.messages)[-1] == (
        "assistant",
        'Gladly. {"name": "light", "arguments": {"on": true}}',
    )


def test_words_before_a_call_of_our_own_stay(conversation: Conversation) -> None:
    step = ToolStep(call_id="call_1", call='{"name": "look", "arguments": {}}', result="5")
    asked = conversation.asking("how many?", turn_id="turn_1")
    spoken = Spoken(text="Let me see. Five.")
    conversation.remember(asked, "turn_1", spoken, steps=(step,))
    told = said(conversation.messages)
    assert told[-1] == ("assistant", "Let me see. Five.")
    assert any("5" in text for _, text in told[:-1])
    assert any('"look"' in text for _, text in told)


def test_one_answer_may_have_instructions_of_its_own(conversation: Conversation) -> None:
    asked = conversation.asking("", turn_id="turn_1", instructions="Greet.")
    assert asked.prompt[0].text == "Greet."
    assert ask(conversation)[0].text == "Be brief."


def test_words_said_over_again_are_noticed(conversation: Conversation) -> None:
    assert not conversation.is_repeating
    take(conversation, 1, "What is this thing?", "")
    assert not conversation.is_repeating
    take(conversation, 2, "I said, what is this thing?", "A cup.")
    assert conversation.is_repeating
    take(conversation, 3, "And that thing there?", "A plate.")
    assert not conversation.is_repeating


def earlier(n: int, words: str = "words") -> list[Item]:
    """`n` questions and their answers, as they were kept."""
    return [
        Item(item_id=f"earlier_{m}", role=role, text=f"{m} {words}")
        for m, role in enumerate([Role.USER, Role.ASSISTANT] * n)
    ]


def test_earlier_conversations_stand_before_this_one(conversation: Conversation) -> None:
    take(conversation, 1, "Who are you?", "Parley.")
    conversation.restore(earlier(1))
    texts = [message.text for message in ask(conversation, "And you?")]
    assert texts == ["Be brief.", "0 words", "1 words", "Who are you?", "Parley.", "And you?"]


def test_of_earlier_conversations_the_newest_part_is_told(conversation: Conversation) -> None:
    conversation.restore(earlier(100))
    first, *kept, question = ask(conversation, "And now?")
    assert kept[-1].text == "199 words"
    assert 2 < len(kept) < 60
    assert kept[0].role is Role.USER
    assert (first.text, question.text) == ("Be brief.", "And now?")


def test_an_earlier_question_without_an_answer_is_not_answered_now(
    conversation: Conversation,
) -> None:
    conversation.restore(earlier(2)[:3])
    assert [m.text for m in ask(conversation, "Hello?")][1:] == ["0 words", "1 words", "Hello?"]


@pytest.mark.parametrize("items", [[], earlier(1)[1:], earlier(1)[:1], earlier(1, "x" * 9_000)])
def test_nothing_worth_telling_is_told(conversation: Conversation, items: list[Item]) -> None:
    conversation.restore(items)
    assert [message.text for message in ask(conversation, "Hello?")] == ["Be brief.", "Hello?"]
