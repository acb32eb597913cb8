"""What goes out, when, and what counts as heard."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from assistant.speaker import Playout, ReplySpeaker
from tests.fakes import FRAME_SAMPLES, settle, sound


@pytest.fixture
def seen() -> list[str]:
    return []


@pytest.fixture
def playout() -> Playout:
    return Playout(buffer_ms=1_000)


@pytest.fixture
def speaker(playout: Playout, seen: list[str]) -> ReplySpeaker:
    return playout.new_speaker(seen.append)


async def test_nothing_goes_out_before_the_gate_opens(
    playout: Playout, speaker: ReplySpeaker, seen: list[str]
) -> None:
    speaker.begin("Hello there.")
    await speaker.play(sound(40))
    assert not playout.pull(FRAME_SAMPLES).any()
    assert seen == []
    speaker.open()
    assert playout.pull(FRAME_SAMPLES).all()
    assert seen == ["Hello there."]
    assert speaker.first_sent_at_s is not None


async def test_words_are_heard_as_they_go_out(playout: Playout, speaker: ReplySpeaker) -> None:
    speaker.open()
    speaker.begin("One two three four. ")
    await speaker.play(sound(400))
    speaker.begin("Five.")
    await speaker.play(sound(100))
    heard = list[str]()
    for _ in range(25):
        playout.pull(FRAME_SAMPLES)
        heard.append(speaker.heard)
    assert heard[0] == ""
    assert heard[9] == "One two"
    assert heard[19] == "One two three four."
    await asyncio.wait_for(speaker.drained(), 1)
    assert speaker.heard == "One two three four. Five."


async def test_how_long_a_reply_still_sounds_is_known_once_it_is_whole(
    playout: Playout, speaker: ReplySpeaker
) -> None:
    speaker.open()
    speaker.begin("One two.")
    await speaker.play(sound(100))
    playout.pull(FRAME_SAMPLES)
    assert speaker.ends_in_ms is None
    draining = asyncio.create_task(speaker.drained())
    await settle()
    assert speaker.ends_in_ms == 80
    playout.pull(4 * FRAME_SAMPLES)
    await draining
    assert speaker.ends_in_ms == 0


async def test_an_unfinished_phrase_does_not_count_as_heard(
    playout: Playout, speaker: ReplySpeaker
) -> None:
    speaker.open()
    speaker.begin("A long phrase of which only the first slice has been made so far.")
    await speaker.play(sound(200))
    for _ in range(20):
        playout.pull(FRAME_SAMPLES)
    assert speaker.heard == "A"


async def test_stopping_fades_within_5_ms_and_drops_the_rest(
    playout: Playout, speaker: ReplySpeaker
) -> None:
    speaker.open()
    speaker.begin("One two three.")
    await speaker.play(sound(500))
    playout.pull(FRAME_SAMPLES)
    speaker.stop()
    speaker.stop()
    fading = playout.pull(FRAME_SAMPLES)
    assert fading[0] == 1_000
    assert not fading[240:].any()
    assert np.all(np.diff(fading[:240].astype(int)) <= 0)
    assert not playout.pull(FRAME_SAMPLES).any()


async def test_a_pause_keeps_the_place(playout: Playout, speaker: ReplySpeaker) -> None:
    speaker.open()
    speaker.begin("One two three.")
    await speaker.play(sound(100))
    playout.pull(FRAME_SAMPLES)
    speaker.pause()
    for _ in range(10):
        silent = playout.pull(FRAME_SAMPLES)
    assert not silent.any()
    speaker.resume()
    rest = [playout.pull(FRAME_SAMPLES).all() for _ in range(5)]
    assert rest == [True, True, True, True, False]


async def test_a_full_buffer_holds_the_voice_back(playout: Playout, speaker: ReplySpeaker) -> None:
    speaker.open()
    speaker.begin("Long.")
    playing = asyncio.create_task(speaker.play(sound(1_100)))
    await settle()
    assert not playing.done()
    for _ in range(6):
        playout.pull(FRAME_SAMPLES)
    await settle()
    assert playing.done()


async def test_shown_words_come_in_their_turn(
    playout: Playout, speaker: ReplySpeaker, seen: list[str]
) -> None:
    speaker.open()
    speaker.begin("Spoken.")
    await speaker.play(sound(40))
    speaker.begin(" Shown.")
    speaker.begin(" Shown.")
    draining = asyncio.create_task(speaker.drained())
    await settle()
    for _ in range(3):
        playout.pull(FRAME_SAMPLES)
        await settle()
    assert seen == ["Spoken.", " Shown.", " Shown."]
    assert draining.done()
    assert speaker.heard == "Spoken. Shown. Shown."


async def test_a_new_speaker_silences_the_one_before(
    playout: Playout, speaker: ReplySpeaker
) -> None:
    speaker.open()
    speaker.begin("One two three.")
    await speaker.play(sound(500))
    playout.pull(FRAME_SAMPLES)
    playout.new_speaker(lambda _: None)
    assert not playout.pull(FRAME_SAMPLES).any()
    assert not speaker.is_audible


async def test_a_filler_is_cut_off_when_the_reply_begins(
    playout: Playout, speaker: ReplySpeaker, seen: list[str]
) -> None:
    speaker.fill(sound(500, level=3_000))
    assert not playout.pull(FRAME_SAMPLES).any()
    speaker.open()
    assert (playout.pull(FRAME_SAMPLES) == 3_000).all()
    assert (seen, speaker.heard, speaker.is_audible) == ([], "", False)
    speaker.begin("Hello.")
    await speaker.play(sound(100))
    changing = playout.pull(FRAME_SAMPLES)
    assert np.all(np.diff(changing[:240].astype(int)) <= 0)
    assert (changing[240:] == 1_000).all()
    assert seen == ["Hello."]


async def test_a_filler_that_comes_too_late_is_not_heard(
    playout: Playout, speaker: ReplySpeaker
) -> None:
    speaker.open()
    speaker.begin("Hello.")
    await speaker.play(sound(40))
    playout.pull(FRAME_SAMPLES)
    speaker.fill(sound(500, level=3_000))
    assert playout.pull(FRAME_SAMPLES).max() == 1_000
    assert not playout.pull(FRAME_SAMPLES).any()


async def test_only_what_there_is_can_be_drawn(playout: Playout, speaker: ReplySpeaker) -> None:
    speaker.begin("One two.")
    await speaker.play(sound(30))
    assert len(playout.draw(FRAME_SAMPLES)) == 0
    speaker.open()
    drawn = [len(playout.draw(FRAME_SAMPLES)) for _ in range(3)]
    assert drawn == [FRAME_SAMPLES, FRAME_SAMPLES // 2, 0]


async def test_what_was_heard_can_be_told_for_any_moment(
    playout: Playout, speaker: ReplySpeaker
) -> None:
    speaker.open()
    speaker.begin("One two three four. ")
    await speaker.play(sound(400))
    speaker.begin("Five.")
    await speaker.play(sound(100))
    speaker.begin(" Six.")
    for _ in range(25):
        playout.draw(FRAME_SAMPLES)
    spoken = speaker.spoken
    assert spoken.text == "One two three four. Five."
    assert [spoken.until(ms).text for ms in (0, 200, 300, 400, 500)] == [
        "",
        "One two",
        "One two three",
        "One two three four.",
        "One two three four. Five.",
    ]
    assert spoken.until(200).until(500) == spoken.until(200)


async def test_what_passed_the_time_counts_in_time_but_not_in_words(
    playout: Playout, speaker: ReplySpeaker
) -> None:
    speaker.open()
    speaker.fill(sound(100))
    for _ in range(5):
        playout.draw(FRAME_SAMPLES)
    speaker.begin("Yes.")
    await speaker.play(sound(20))
    speaker.begin("")
    playout.draw(FRAME_SAMPLES)
    assert speaker.spoken.until(110).text == ""
    assert speaker.spoken.until(120).text == "Yes."
