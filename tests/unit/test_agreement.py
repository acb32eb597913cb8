from __future__ import annotations

import pytest

from assistant.agreement import Agreement


@pytest.mark.parametrize(
    ("hypotheses", "committed", "tentative"),
    [
        ([], "", ""),
        (["What is"], "", "What is"),
        (["What is", "What is the"], "What is", "the"),
        (["What is", "What is"], "What", "is"),  # the last word may be cut off
        (["What is the", "what is, the capital"], "what is, the", "capital"),
        (["What his the", "What is the", "What is the capital"], "What is the", "capital"),
        (["I want two", "I want two go", "I want to go"], "I want two", "go"),
        (["I want two", "I want two go", "Hello"], "I want two", ""),
        (["I want two", "I want two go", ""], "I want two", ""),
        (["砸自", "砸自己的脚"], "砸自", "己的脚"),
    ],
)
def test_two_hypotheses_in_a_row_commit(
    hypotheses: list[str], committed: str, tentative: str
) -> None:
    agreement = Agreement()
    for hypothesis in hypotheses:
        agreement.add(hypothesis)
    transcript = agreement.transcript
    assert (transcript.committed, transcript.tentative) == (committed, tentative)
    assert not transcript.is_final


def test_committed_only_grows() -> None:
    agreement = Agreement()
    before = ""
    for hypothesis in [
        "the",
        "the passwords",
        "The password you",
        "the password you entered and",
        "a password you entered and reentered",
        "the passwords you entered, and re-entered did",
        "The passwords you entered and re-entered did not match.",
    ]:
        after = agreement.add(hypothesis).committed
        assert after.startswith(before)
        before = after
    assert before


@pytest.mark.parametrize(
    ("final", "text"),
    [
        ("What is the capital of France?", "what is the capital of France?"),
        ("What was the capital of France?", "What was the capital of France?"),
        ("What", "What"),
        ("", ""),
    ],
)
def test_final_keeps_the_spelling_of_what_it_confirms(final: str, text: str) -> None:
    agreement = Agreement()
    agreement.add("what is the")
    agreement.add("what is the capital")
    transcript = agreement.finish(final)
    assert (transcript.committed, transcript.tentative) == (text, "")
    assert transcript.is_final
