import pytest

from assistant.llm.text import SpokenText, is_looping


def spoken(*pieces: bytes) -> list[str]:
    text = SpokenText()
    return [*(text.add(piece) for piece in pieces), text.end()]


def test_a_character_is_held_back_until_it_is_whole() -> None:
    first, second = "é".encode()
    assert spoken(b"caf", bytes([first]), bytes([second]), b"!") == ["caf", "", "é", "!", ""]


def test_a_character_that_never_becomes_whole_is_replaced() -> None:
    assert spoken(b"a", b"\xe2\x82") == ["a", "", "\ufffd"]


@pytest.mark.parametrize(
    "pieces",
    [
        (b"<think>let me see</think>\n\nParis.",),
        (b"<th", b"ink>", b"let me", b" see</", b"think", b">\n\n", b"Par", b"is."),
        (b"\n", b" <think>", b"a < b", b"</think>", b"Paris."),
    ],
)
def test_reasoning_is_never_spoken(pieces: tuple[bytes, ...]) -> None:
    assert "".join(spoken(*pieces)) == "Paris."


def test_reasoning_that_never_ends_is_not_spoken_either() -> None:
    assert "".join(spoken(b"<think>hmm, ", b"let me see </thi")) == ""


def test_reasoning_that_the_prompt_began_is_not_spoken() -> None:
    text = SpokenText(is_thinking=True)
    pieces = [text.add(piece) for piece in (b"Let me", b" see.</th", b"ink>\n\n", b"It is", b" 4.")]
    assert "".join([*pieces, text.end()]) == "It is 4."


@pytest.mark.parametrize(
    "pieces",
    [
        (b"Yes.", b"User: and now?"),
        (b"Yes", b".U", b"ser", b":", b" and", b" now?"),
        (b"<think>User: no</think>Yes.User:",),
    ],
)
def test_what_follows_a_stop_sequence_is_not_spoken(pieces: tuple[bytes, ...]) -> None:
    text = SpokenText(stop_sequences=["<end>", "User:", ""])
    spoken = "".join([*(text.add(piece) for piece in pieces), text.end()])
    assert spoken == "Yes."
    assert text.has_stopped


def test_what_only_begins_a_stop_sequence_is_spoken() -> None:
    text = SpokenText(stop_sequences=["User:"])
    assert text.add(b"A good Us") == "A good "
    assert text.add(b"e") == ""
    assert text.end() == "Use"
    assert not text.has_stopped


def test_what_only_looks_like_a_tag_is_spoken() -> None:
    assert spoken(b"1 <", b" 2 and 2 <th", b"ree") == ["1 ", "< 2 and 2 ", "<three", ""]
    assert spoken(b"a <thin") == ["a ", "<thin"]


def test_leading_white_space_is_dropped() -> None:
    assert spoken(b"\n", b" ", b" Yes", b" indeed") == ["", "", "Yes", " indeed", ""]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([], False),
        (list(range(100)), False),
        ([5] * 10, False),  # "ha ha ha"
        ([1, 2, 3] + [5] * 24, True),
        (list(range(9)) + [1, 2, 3, 4, 5, 6, 7] * 4, True),
        (list(range(9)) + [1, 2, 3, 4, 5, 6, 7] * 3, False),
        ([1, 2, 3, 4] * 6 + [9], False),
    ],
)
def test_a_loop_is_the_same_words_many_times(tokens: list[int], expected: bool) -> None:
    assert is_looping(tokens) is expected
