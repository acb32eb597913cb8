from __future__ import annotations

from assistant.documents.passages import FoundPassage
from assistant.documents.query import fused, kept_or_new, match_expression, searchable
from assistant.documents.told import with_passages, without_passages


def test_only_meaningful_words_are_looked_for() -> None:
    assert match_expression("What is the opening of the gate?") == '"opening" OR "gate"'
    assert match_expression("what is it") == ""


def test_nothing_that_is_said_is_syntax() -> None:
    assert match_expression('gate" OR "x* NEAR(y) -z') == '"gate" OR "x" OR "near" OR "y" OR "z"'


def test_chinese_is_looked_for_by_two_characters() -> None:
    assert searchable("首都abc") == " 首 都 abc"
    assert match_expression("首都是") == '"首 都" OR "都 是"'


def test_what_both_ways_find_comes_first() -> None:
    assert fused([1, 2, 3], [4, 2]) == [2, 1, 4, 3]
    assert fused() == []


def test_the_choice_stays_while_it_holds_the_best() -> None:
    assert kept_or_new([1, 2], [2, 5, 6], 2) == (1, 2)
    assert kept_or_new([1, 2], [5, 1, 6], 2) == (5, 1)
    assert kept_or_new([1, 2], [], 2) == ()


def test_passages_can_be_taken_away_again() -> None:
    passage = FoundPassage(id=1, source="a.md:3", heading="Gate", text="It opens [late].\n]")
    told = with_passages([passage], "When?")
    assert "a.md:3 (Gate): It opens" in told
    assert without_passages(told) == "When?"
    assert without_passages("[Camera: a cat]\nWhen?") == "[Camera: a cat]\nWhen?"
