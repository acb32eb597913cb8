import pytest

from assistant.llm.prefix import (
    Cell,
    Memory,
    Picture,
    can_roll_back,
    common_cells,
    is_revision,
    n_positions,
    n_tokens,
)

CAT = Picture(key="cat", n_positions=4, n_tokens=16)
DOG = Picture(key="dog", n_positions=4, n_tokens=16)


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ([], [], 0),
        ([1, 2], [], 0),
        ([1, 2, 3], [1, 2, 3], 3),
        ([1, 2, 3], [1, 2, 4, 5], 2),
        ([1, 2], [1, 2, 3], 2),
        ([1, CAT, 2], [1, CAT, 3], 2),
        ([1, CAT, 2], [1, DOG, 2], 1),
        ([1, CAT], [1, 7], 1),
    ],
)
def test_prompts_share_their_longest_common_prefix(
    one: list[Cell], other: list[Cell], common: int
) -> None:
    assert common_cells(one, other) == common
    assert common_cells(other, one) == common


def test_a_picture_is_one_cell_of_many_tokens() -> None:
    cells: list[Cell] = [1, CAT, 2]
    assert n_positions(cells) == 6
    assert n_tokens(cells) == 18


def roll_back(memory: Memory, to: int, *, first: int = 0) -> bool:
    return can_roll_back(
        memory, to_position=to, end_position=1_000, first_position=first, window=100
    )


@pytest.mark.parametrize(
    ("memory", "to", "first", "allowed"),
    [
        (Memory.FULL, 0, 0, True),
        (Memory.FULL, 500, 0, True),
        # the whole window before the cut must still be there
        (Memory.SLIDING, 950, 0, True),
        (Memory.SLIDING, 950, 850, True),
        (Memory.SLIDING, 950, 851, False),
        (Memory.SLIDING, 50, 0, True),
        (Memory.SLIDING, 50, 1, False),
        (Memory.RECURRENT, 999, 0, False),
        # nothing to take back
        (Memory.SLIDING, 1_000, 999, True),
        (Memory.RECURRENT, 1_000, 0, True),
    ],
)
def test_a_cache_is_cut_only_where_it_stays_valid(
    memory: Memory, to: int, first: int, allowed: bool
) -> None:
    assert roll_back(memory, to, first=first) is allowed


@pytest.mark.parametrize(
    ("shared", "discarded", "expected"),
    [
        (100, 0, True),  # a new conversation finds only the system prompt
        (130, 20, True),  # the last words were heard differently
        (103, 400, False),  # somebody else began with the same word
        (110, 10, True),
    ],
)
def test_a_conversation_is_the_same_when_it_keeps_more_than_it_drops(
    shared: int, discarded: int, expected: bool
) -> None:
    assert is_revision(shared=shared, discarded=discarded, prefix=100) is expected
