from __future__ import annotations

import pytest

from assistant.recall.wording import Difference, difference, normalised


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("When was Mozart born?", "Where was Mozart born?"),
        ("How do I get from London to Paris?", "How do I get from Paris to London?"),
        ("Convert 10 miles to kilometres.", "Convert 10 kilometres to miles."),
        ("Is tea healthier than coffee?", "Is coffee healthier than tea?"),
        ("What is 12 times 12?", "What is 12 times 13?"),
        ("Is there a gym?", "Is there no gym?"),
        ("Which foods contain gluten?", "Which foods don't contain gluten?"),
        ("Do you deliver on Sundays?", "Do you deliver on Mondays?"),
        ("How do I turn the heating on?", "How do I turn the heating off?"),
        ("What are your opening hours?", "What are your opening hours on Sunday?"),
        ("What do frogs eat?", "What eats frogs?"),
        ("Who hired the manager?", "Who did the manager hire?"),
        ("Does rain cause floods?", "Do floods cause rain?"),
        ("Is there a bus to the city?", "Is there a bus from the city?"),
        ("How many euros is one dollar?", "How many dollars is one euro?"),
        ("Is the offer valid?", "Is the offer invalid?"),
        ("What is an import tax?", "What is an export tax?"),
        ("Is there a school for boys?", "Is there a school for girls?"),
    ],
)
def test_some_differences_are_never_forgiven(first: str, second: str) -> None:
    assert difference(first, second) is None
    assert difference(second, first) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What is the capital of France?", "Tell me the capital of France."),
        ("How do I boil an egg?", "How should an egg be boiled?"),
        ("Which building is the tallest?", "What is the tallest building?"),
        ("Can the booking date be changed?", "Can I change the date of a booking?"),
        ("How tall is Mount Everest?", "What is the height of Mount Everest?"),
        ("What does a ticket cost?", "What is the price of a ticket?"),
        ("Why is the sky blue?", "What makes the sky blue?"),
        ("Do you have wifi?", "Do you have Wi-Fi?"),
        ("When is checkout?", "What time is check-out?"),
        ("When did it begin?", "In which year did it start?"),
        ("Who invented the radio?", "Who is the inventor of the radio?"),
        ("Where is the post office?", "Could you tell me where the post office is?"),
        ("How do bees make honey?", "How is honey made by bees?"),
    ],
)
def test_empty_words_forms_and_order_are_no_difference(first: str, second: str) -> None:
    found = difference(first, second)
    assert found is not None
    assert found.is_nothing


def test_other_words_are_told() -> None:
    assert difference("Who penned Hamlet?", "Who is the author of Hamlet?") == Difference(
        ("penned",), ("author",)
    )


def test_case_punctuation_and_spacing_do_not_count() -> None:
    assert (
        normalised("  What's NEW,  here?! ") == normalised("what’s new here") == "what's new here"
    )
    assert normalised("你们几点开门？") == normalised("你们几点开门")
