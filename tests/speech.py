"""Recordings of known words, 16 kHz mono."""

from __future__ import annotations

import re
from pathlib import Path

import jiwer
import numpy as np
import soundfile

from assistant.types import Pcm

_FOLDER = Path(__file__).parent / "data"

SENTENCES = {
    "what is the capital of france": "questions/q01.wav",
    "tell me a short joke about cats": "questions/q02.wav",
    "how many minutes are there in two hours": "questions/q03.wav",
    "what do you see in front of the camera": "questions/q04.wav",
    "can you read the text on this page to me": "questions/q06.wav",
    "give me three ideas for a quick dinner": "questions/q07.wav",
    "explain in one sentence how a rainbow forms": "questions/q09.wav",
    "please spell the word necessary": "questions/q12.wav",
}
FRAGMENTS = {
    "i want to": "speech/i_want_to.wav",
    "um": "speech/um.wav",
    "reset the panel": "speech/reset_the_panel.wav",
    "no": "speech/no.wav",
}
OTHERS = {
    "what colour is the thing i am holding": "questions/q05.wav",
    "stop that is enough": "questions/q08.wav",
    "which is heavier a kilogram of feathers or a kilogram of iron": "questions/q10.wav",
    "good morning how are you today": "questions/q11.wav",
    "yes": "speech/yes.wav",
    "uh huh": "speech/uh_huh.wav",
    "one": "speech/one.wav",
    "four": "speech/four.wav",
    "seven": "speech/seven.wav",
    "nine": "speech/nine.wav",
}


def recording(words: str) -> Pcm:
    """Somebody says `words`, without the silence around them."""
    file = _FOLDER / (SENTENCES | FRAGMENTS | OTHERS)[words]
    samples, rate_hz = soundfile.read(file, dtype="int16")
    assert rate_hz == 16_000
    (loud,) = np.nonzero(np.abs(samples.astype(np.int32)) > 300)
    return np.asarray(samples[loud[0] : loud[-1] + 1])


def seconds_of(seconds: float) -> int:
    """In samples."""
    return int(seconds * 16_000)


def bare_words(text: str) -> str:
    """Lower case, no punctuation."""
    return " ".join(re.sub(r"[^\w\s]", " ", text.lower()).split())


def word_error_rate(words: str, heard: str) -> float:
    return jiwer.wer(words, bare_words(heard) or "(nothing)")
