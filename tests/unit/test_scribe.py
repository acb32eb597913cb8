from __future__ import annotations

import numpy as np
import pytest

from assistant.config import EarsConfig
from assistant.errors import RecognizerError
from assistant.scribe import Scribe, is_noise, quietest
from assistant.types import Hypothesis, Pcm, Transcript
from tests.hearing_fakes import NOISE, ScriptedRecognizer, hypothesis, quiet, voice


def scribe(recognizer: ScriptedRecognizer, *, seconds: float = 1.0) -> Scribe:
    new = Scribe(recognizer, EarsConfig())
    new.add(voice(1_000 * seconds))
    return new


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        (hypothesis("What is the time?"), False),
        (hypothesis("you", no_speech_probability=0.71), True),
        (hypothesis("you", no_speech_probability=0.41, mean_log_probability=-1.1), True),
        (hypothesis("7 1 9 4", no_speech_probability=0.65, mean_log_probability=-0.9), False),
        (hypothesis("Um.", no_speech_probability=0.1, mean_log_probability=-1.1), False),
        (hypothesis("you", no_speech_probability=0.21, mean_log_probability=-1.3), True),
        (hypothesis("Follow that town key.", mean_log_probability=-1.3), False),
        (hypothesis("you know " * 40), True),
        (hypothesis("no, no, no"), False),
        (hypothesis(""), False),
    ],
)
def test_invented_words_are_noise(heard: Hypothesis, expected: bool) -> None:
    assert is_noise(heard) is expected


@pytest.mark.parametrize("compute_ms", [10.0, 400.0])
async def test_a_partial_is_due_after_speech_in_proportion_to_its_cost(compute_ms: float) -> None:
    recognizer = ScriptedRecognizer(partials=[hypothesis("a", compute_ms=compute_ms)])
    new = scribe(recognizer)
    assert [new.partial_is_due(ms) for ms in (349, 350)] == [False, True]
    await new.partial(352)
    wait_ms = max(300, 1.5 * compute_ms)
    assert [new.partial_is_due(352 + ms) for ms in (wait_ms - 1, wait_ms)] == [False, True]


async def test_words_of_two_partials_are_committed() -> None:
    new = scribe(ScriptedRecognizer(partials=["What is", "What is the", "What is the time"]))
    for _ in range(3):
        transcript = await new.partial(0)
    assert (transcript.committed, transcript.tentative) == ("What is the", "time")


async def test_noise_changes_no_partial() -> None:
    new = scribe(ScriptedRecognizer(partials=["What is", NOISE]))
    await new.partial(0)
    assert (await new.partial(0)).text == "What is"


async def test_final_counts_as_a_hypothesis_when_speech_goes_on() -> None:
    new = scribe(ScriptedRecognizer(partials=["I want to"], finals=["I want to."]))
    await new.partial(0)
    assert await new.final() == Transcript(committed="I want to.", is_final=True)
    assert (new.transcript.committed, new.transcript.tentative) == ("I want", "to.")


async def test_noise_gives_an_empty_final() -> None:
    transcript = await scribe(ScriptedRecognizer(finals=[NOISE])).final()
    assert transcript.text == ""
    assert transcript.is_final


async def test_final_is_asked_for_twice_and_no_more() -> None:
    failure = RecognizerError("it fell over")
    recognizer = ScriptedRecognizer(finals=[failure, "Go."])
    assert (await scribe(recognizer).final()).text == "Go."
    with pytest.raises(RecognizerError):
        await scribe(ScriptedRecognizer(finals=[failure, failure, "Go."])).final()


async def test_turn_end_model_gets_no_more_than_it_hears() -> None:
    lengths: list[int] = []

    class Recognizer(ScriptedRecognizer):
        async def turn_end_probability(self, samples: Pcm) -> float:
            lengths.append(len(samples))
            return 0.5

    for seconds in (3, 20):
        await scribe(Recognizer(), seconds=seconds).turn_end_probability()
    assert lengths == [3 * 16_000, 8 * 16_000]


async def test_two_minutes_cost_no_more_than_a_few_seconds_and_lose_no_sound() -> None:
    recognizer = ScriptedRecognizer(partials=["and so on"], finals=["one.", "two.", "three."])
    new = Scribe(recognizer, EarsConfig())
    for n in range(240):
        new.add(voice(400))
        new.add(quiet(100))
        await new.partial(speech_ms=400 * n)
    transcript = await new.final()
    settled = recognizer.finals
    assert max(asked.seconds for asked in recognizer.asked) <= 12.5
    assert sum(asked.seconds for asked in settled) == pytest.approx(120)
    assert transcript.text == " ".join(["one. two.", *["three."] * (len(settled) - 2)])


async def test_settled_words_stay_in_the_partials() -> None:
    recognizer = ScriptedRecognizer(partials=["the rest"], finals=["The beginning"])
    new = scribe(recognizer, seconds=13)
    for _ in range(3):
        transcript = await new.partial(0)
    assert transcript.text == "The beginning the rest"


async def test_a_monologue_without_partials_is_settled_before_its_final() -> None:
    recognizer = ScriptedRecognizer(finals=["one", "two", "three"])
    await scribe(recognizer, seconds=40).final()
    assert max(asked.seconds for asked in recognizer.asked) <= 24


@pytest.mark.parametrize("gap_ms", [600, 1_500, 2_000])
def test_quietest_moment_is_in_the_gap(gap_ms: int) -> None:
    noise = np.random.default_rng(0).normal(0, 3_000, 16_000 * 3).astype(np.int16)
    gap = gap_ms * 16
    noise[gap : gap + 2_400] //= 10
    assert gap < quietest(noise, 8_000, 40_000) < gap + 2_400
