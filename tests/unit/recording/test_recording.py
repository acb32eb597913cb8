"""What is recorded can be read again; what is left out is nowhere; a bad disk costs no word."""

from __future__ import annotations

import asyncio
import errno
import json
import shutil
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.config import Config, RecordingConfig
from assistant.errors import RecordingError
from assistant.events import (
    AddItem,
    Command,
    Configure,
    Event,
    Mute,
    RecordingChanged,
    SayText,
    SceneSeen,
    TurnDetection,
    UserSaid,
)
from assistant.gaze import StillCamera
from assistant.recording import tape
from assistant.recording.recorder import recorded
from assistant.recording.trace import Trace, read_trace
from assistant.stages import Speaker
from assistant.types import AudioFrame, ImageFrame, Role

FRAME = 320
PICTURE = ImageFrame(
    pixels=np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3), captured_at_s=2.0
)
COMMANDS: list[Command] = [
    SayText(text="My name is Ada.", images=(PICTURE,)),
    Mute(muted=True),
    Configure(system_prompt="Be short.", turn_detection=TurnDetection(patience=2.0), tools=()),
    AddItem(item_id="i1", role=Role.USER, sound=np.arange(500, dtype=np.int16)),
]


class Person:
    """Speaks ten frames, then does what there is to do."""

    def __init__(self, began_at_s: float, *, gap_s: float = 0.0) -> None:
        self.camera = StillCamera(PICTURE)
        self.events = list[Event]()
        self.began_at_s = began_at_s
        self.gap_s = gap_s

    async def microphone(self) -> AsyncIterator[AudioFrame]:
        for n in range(10):
            at_s = self.began_at_s + n * 0.02 + (self.gap_s if n >= 5 else 0)
            samples = np.full(FRAME, n + 1, np.int16)
            yield AudioFrame(samples=samples, sample_rate_hz=16_000, captured_at_s=at_s)

    async def commands(self) -> AsyncIterator[Command]:
        for command in COMMANDS:
            yield command

    def new_speaker(self, on_phrase: Callable[[str], None]) -> Speaker:
        raise NotImplementedError

    def send(self, event: Event) -> None:
        self.events.append(event)


def settings(folder: Path, **recording: object) -> Config:
    config = Config()
    return replace(config, recording=replace(RecordingConfig(folder=folder), **recording))  # type: ignore[arg-type]


def converse(config: Config, *, gap_s: float = 0.0) -> Person:
    return asyncio.run(_converse(config, gap_s))


async def _converse(config: Config, gap_s: float) -> Person:
    person = Person(time.monotonic(), gap_s=gap_s)
    async with recorded(person, config, session_id="abcd") as peer:
        async for _ in peer.microphone():
            pass
        async for _ in peer.commands():
            pass
        assert peer.camera.pick() is PICTURE
        peer.send(UserSaid(turn_id="turn_1", text="My name is Ada."))
        peer.send(SceneSeen(facts=("a cat",), preview=b"jpeg"))
    await asyncio.sleep(0)
    return person


def only_trace(folder: Path) -> Trace:
    (one,) = folder.iterdir()
    return read_trace(one)


def test_what_was_said_done_and_shown_can_be_read_again(tmp_path: Path) -> None:
    person = converse(settings(tmp_path))
    assert person.events[0] == RecordingChanged(is_on=True)
    trace = only_trace(tmp_path)
    assert trace.microphone[::FRAME].tolist() == list(range(1, 11))
    values = [note.value for note in trace.notes]
    assert values[1:4] == COMMANDS[1:]
    assert isinstance(values[0], SayText)
    assert values[0].text == "My name is Ada."
    assert np.array_equal(values[0].images[0].pixels, PICTURE.pixels)
    added = values[3]
    assert isinstance(added, AddItem)
    assert added.sound is not None
    assert np.array_equal(added.sound, np.arange(500))
    assert isinstance(values[4], ImageFrame)
    assert np.array_equal(values[4].pixels, PICTURE.pixels)
    assert values[5:] == [
        UserSaid(turn_id="turn_1", text="My name is Ada."),
        SceneSeen(facts=("a cat",)),
    ]
    assert trace.header["models"]
    assert trace.header["settings"]["brain"]["model"]


def test_any_player_can_play_the_microphone(tmp_path: Path) -> None:
    converse(settings(tmp_path))
    (folder,) = tmp_path.iterdir()
    samples, rate_hz = soundfile.read(folder / "microphone.wav", dtype="int16")
    assert (len(samples), rate_hz) == (10 * FRAME, 16_000)


def test_frames_that_never_came_leave_silence(tmp_path: Path) -> None:
    converse(settings(tmp_path), gap_s=1.0)
    sound = only_trace(tmp_path).microphone
    assert len(sound) == pytest.approx(10 * FRAME + 16_000, abs=FRAME)
    assert np.count_nonzero(sound) == 10 * FRAME


@pytest.mark.parametrize("left_out", ["audio", "text", "pictures"])
def test_what_is_left_out_is_nowhere(tmp_path: Path, left_out: str) -> None:
    converse(settings(tmp_path, leave_out=(left_out,)))
    (folder,) = tmp_path.iterdir()
    names = {path.name for path in folder.iterdir()}
    text = (folder / "events.jsonl").read_text()
    assert any(name.endswith(".wav") for name in names) is (left_out != "audio")
    assert any(name.endswith(".png") for name in names) is (left_out != "pictures")
    for said in ("Ada", "Be short", "a cat"):
        assert (said in text) is (left_out != "text")
    assert read_trace(folder).notes


async def test_off_means_that_the_peer_is_itself(tmp_path: Path) -> None:
    person = Person(0.0)
    async with recorded(person, Config(), session_id="abcd") as peer:
        assert peer is person
    assert person.events == []


async def test_a_folder_that_cannot_be_written_costs_the_recording_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    person = Person(0.0)
    async with recorded(person, settings(tmp_path / "file"), session_id="abcd") as peer:
        assert peer is person
    assert "not recorded" in caplog.text


def test_a_disk_that_fills_up_ends_the_recording_and_the_person_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tape.Tape, "_write_event", write)
    person = converse(settings(tmp_path))
    assert person.events[-1] == RecordingChanged(is_on=False)
    assert len(only_trace(tmp_path).microphone) == 10 * FRAME


def cut_off(folder: Path, how: Callable[[Path], None]) -> Path:
    converse(settings(folder))
    (one,) = folder.iterdir()
    how(one)
    return one


def shorten(name: str, n_bytes: int) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:-n_bytes])

    return change


@pytest.mark.parametrize(
    ("how", "n_notes", "n_samples"),
    [
        (shorten("events.jsonl", 15), 6, 3_200),
        (shorten("microphone.wav", 301), 7, 3_049),
        (lambda folder: (folder / "microphone.wav").unlink(), 7, 0),
        (lambda folder: (folder / "events.jsonl").unlink(), 0, 3_200),
        (lambda folder: (folder / "picture-0001.png").write_bytes(b"no"), 6, 3_200),
    ],
)
def test_of_a_damaged_recording_the_rest_can_be_read(
    tmp_path: Path,
    how: Callable[[Path], None],
    n_notes: int,
    n_samples: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    trace = read_trace(cut_off(tmp_path, how))
    assert (len(trace.notes), len(trace.microphone)) == (n_notes, n_samples)


def test_a_clock_that_jumps_lets_nothing_wait_and_nothing_come_early(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text(json.dumps({"format": tape.FORMAT, "version": 1}))
    times = [10, 5, 20, 9e12, 30]
    lines = [{"at_ms": at, "kind": "StopTalking", "value": {}} for at in times]
    (tmp_path / "events.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert [note.at_ms for note in read_trace(tmp_path).notes] == [10, 10, 20, 20, 30]


def test_a_name_leads_out_of_no_folder(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text(json.dumps({"format": tape.FORMAT, "version": 1}))
    shutil.copy(Path(__file__), tmp_path.parent / "secret.png")
    value = {"pixels": {"file": "../secret.png"}, "captured_at_s": 0}
    line = {"at_ms": 1, "kind": "ImageFrame", "value": value}
    (tmp_path / "events.jsonl").write_text(json.dumps(line))
    with pytest.raises(RecordingError, match="empty"):
        read_trace(tmp_path)


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (None, "cannot be read"),
        ("[]", "no recording of ours"),
        ('{"format": "other"}', "no recording of ours"),
        ('{"format": "parley-recording", "version": 0}', "version 0"),
        ('{"format": "parley-recording", "version": 1}', "empty"),
    ],
)
def test_what_is_no_recording_is_a_sentence(
    tmp_path: Path, header: str | None, sentence: str
) -> None:
    if header is not None:
        (tmp_path / "session.json").write_text(header)
    with pytest.raises(RecordingError, match=sentence):
        read_trace(tmp_path)
