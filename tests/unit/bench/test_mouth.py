"""A bench client's microphone: what goes in, and when."""

from __future__ import annotations

import numpy as np

from assistant.bench.mouth import BEEP_EVERY_S, BEEP_S, RATE_HZ, Beeper, Mouth


def test_a_recording_goes_out_whole_and_its_voice_is_timed() -> None:
    mouth = Mouth()
    speech = np.full(2_000, 9_000, np.int16)
    mouth.say(speech, voiced=(1_000, 1_900))
    first = mouth.pull(960)
    assert mouth.began_at_s is None
    second = mouth.pull(960)
    assert mouth.began_at_s is not None
    assert mouth.ended_at_s is not None
    assert mouth.ended_at_s >= mouth.began_at_s
    third = mouth.pull(960)
    out = np.concatenate([first, second, third])
    assert np.array_equal(out[:2_000], speech)
    assert np.abs(out[2_000:]).max() < 100
    assert mouth.is_silent


def test_tones_come_as_often_and_as_long_as_they_say() -> None:
    beeper = Beeper()
    sound = np.concatenate([beeper.pull(960) for _ in range(100)])
    assert len(beeper.began_at_s) == 2 / BEEP_EVERY_S
    share = np.mean(np.abs(sound.astype(np.int32)) > 1_000)
    assert 0.8 * BEEP_S / BEEP_EVERY_S < share <= BEEP_S / BEEP_EVERY_S
    assert len(sound) == 2 * RATE_HZ
