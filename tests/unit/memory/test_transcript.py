"""Which lines are made of what is told."""

from __future__ import annotations

import pytest

from assistant.events import (
    AddItem,
    Command,
    Event,
    ItemTranscribed,
    ItemTruncated,
    QuestionReopened,
    RemoveItem,
    ReplyEnded,
    ReplyStarted,
    ReplyStatus,
    ReplyWords,
    SceneSeen,
    SpeechStarted,
    SpeechStopped,
    UserSaid,
)
from assistant.memory.line import Line
from assistant.memory.transcript import Dropped, Transcript
from assistant.types import Role

DONE, BROKEN_OFF = ReplyStatus.COMPLETED, ReplyStatus.CANCELLED

SPOKEN: list[tuple[int, Event | Command]] = [
    (900, SpeechStarted(turn_id="t", audio_start_ms=500)),
    (2_300, SpeechStopped(turn_id="t", audio_end_ms=2_000)),
    (2_300, UserSaid(turn_id="t", text="Hello?")),
    (2_300, ReplyStarted(turn_id="t")),
]

YOU = ("t_question", Role.USER, "Hello?", 500, 1_500)


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        pytest.param(
            [
                *SPOKEN,
                (3_000, ReplyWords(turn_id="t", text="Hi, ")),
                (4_000, ReplyWords(turn_id="t", text="you.")),
                (5_000, ReplyEnded(turn_id="t", status=DONE, heard="Hi, you.")),
            ],
            [YOU, ("t_answer", Role.ASSISTANT, "Hi, you.", 3_000, 2_000)],
            id="spoken",
        ),
        pytest.param(
            [
                *SPOKEN,
                (3_000, ReplyWords(turn_id="t", text="Hi, you.")),
                (3_600, ReplyEnded(turn_id="t", status=BROKEN_OFF, heard="Hi,")),
            ],
            [YOU, ("t_answer", Role.ASSISTANT, "Hi,", 3_000, 600)],
            id="broken off",
        ),
        pytest.param(
            [*SPOKEN, (2_400, ReplyEnded(turn_id="t", status=BROKEN_OFF, heard=""))],
            [YOU],
            id="never heard",
        ),
        pytest.param(
            [*SPOKEN, (2_500, QuestionReopened(turn_id="t"))],
            [],
            id="went on",
        ),
        pytest.param(
            [
                (100, AddItem(item_id="x", role=Role.USER, text="Hello?")),
                (110, UserSaid(turn_id="t", text="", was_typed=True)),
                (110, ReplyStarted(turn_id="t", speaks=False)),
                (900, ReplyWords(turn_id="t", text="Hi.")),
                (950, ReplyEnded(turn_id="t", status=DONE, heard="Hi.")),
            ],
            [
                ("x", Role.USER, "Hello?", 100, None),
                ("t_answer", Role.ASSISTANT, "Hi.", 900, None),
            ],
            id="typed, and answered in words alone",
        ),
        pytest.param(
            [
                (100, AddItem(item_id="x", role=Role.USER)),
                (900, ItemTranscribed(item_id="x", text="Hello?", speech_ms=700)),
            ],
            [("x", Role.USER, "Hello?", 200, 700)],
            id="a recording",
        ),
        pytest.param(
            [
                *SPOKEN,
                (3_000, ReplyWords(turn_id="t", text="Hi, you.")),
                (5_000, ReplyEnded(turn_id="t", status=DONE, heard="Hi, you.")),
                (5_100, ItemTruncated(item_id="t_answer", heard_ms=400, heard="Hi,")),
            ],
            [YOU, ("t_answer", Role.ASSISTANT, "Hi,", 3_000, 400)],
            id="less was heard",
        ),
        pytest.param(
            [
                *SPOKEN,
                (3_000, ReplyWords(turn_id="t", text="Hi.")),
                (5_000, ReplyEnded(turn_id="t", status=DONE, heard="Hi.")),
                (5_100, ItemTruncated(item_id="t_answer", heard_ms=0, heard="")),
            ],
            [YOU],
            id="nothing was heard",
        ),
        pytest.param(
            [
                (100, AddItem(item_id="x", role=Role.USER, text="Hello?")),
                (200, RemoveItem(item_id="x")),
            ],
            [],
            id="taken back",
        ),
        pytest.param(
            [
                (100, AddItem(item_id="x", role=Role.SYSTEM, text="Rhyme.")),
                (200, SceneSeen(facts=("a cat",), preview=b"jpeg")),
            ],
            [],
            id="instructions, and what was seen",
        ),
        pytest.param(
            [
                (100, SpeechStarted(turn_id="s", audio_start_ms=50)),
                (5_000, UserSaid(turn_id="t", text="Typed.", was_typed=True)),
            ],
            [("t_question", Role.USER, "Typed.", 5_000, None)],
            id="speech that never ended",
        ),
    ],
)
def test_lines(
    told: list[tuple[int, Event | Command]],
    lines: list[tuple[str, Role, str, int, int | None]],
) -> None:
    transcript, kept = Transcript(), dict[str, Line]()
    for at_ms, each in told:
        for change in transcript.changes(each, at_ms):
            if isinstance(change, Dropped):
                kept.pop(change.item_id, None)
            else:
                kept[change.item_id] = change
    assert lines == [
        (each.item_id, each.role, each.text, each.at_ms, each.spoken_ms) for each in kept.values()
    ]


def test_a_long_conversation_takes_no_more_room() -> None:
    transcript = Transcript()
    for n in range(1_000):
        add = AddItem(item_id=f"i{n}", role=Role.USER, text="Hello?")
        assert len(list(transcript.changes(add, n))) == 1
    assert len(transcript._lines) < 100
