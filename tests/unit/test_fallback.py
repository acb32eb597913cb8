from __future__ import annotations

import pytest

from assistant.budget import Stage
from assistant.fallback import FallbackPolicy, Plan, fixed_phrases
from assistant.ladders import LADDERS
from assistant.types import Scene
from assistant.voices import Voices, espeak_voice

LATE = [Stage.FIRST_PHRASE]


@pytest.mark.parametrize(
    ("turns", "rung"),
    [
        ("g", 0),
        ("l", 0),
        ("ll", 1),
        ("lgl", 1),
        ("lggl", 0),
        ("llll", 2),
        ("llllll", 3),
        ("l" * 20, 5),
        ("ll" + "g" * 9, 1),
        ("ll" + "g" * 10, 0),
        ("llll" + "g" * 10, 1),
        ("llll" + "g" * 20, 0),
        ("ll" + "g" * 9 + "l" + "g" * 9, 1),
    ],
)
def test_two_late_turns_of_three_go_down_and_ten_good_ones_up(turns: str, rung: int) -> None:
    policy = FallbackPolicy()
    for turn in turns:
        policy.after_turn(LATE if turn == "l" else [])
    expected: dict[str, object] = {}
    for step in LADDERS[Stage.FIRST_PHRASE][:rung]:
        expected |= step.changes
    assert {name: getattr(policy.plan, name) for name in expected} == expected
    if not rung:
        assert policy.plan == Plan()


def test_each_step_down_has_a_reason_that_is_told_once() -> None:
    policy = FallbackPolicy()
    told = [policy.after_turn(LATE) for _ in range(12)]
    assert [rung for steps in told for _, rung in steps] == list(LADDERS[Stage.FIRST_PHRASE])


@pytest.mark.parametrize(
    ("best", "stage", "steps"),
    [
        (
            Plan(),
            Stage.VISION,
            ["small_picture", "picture_wait", "kept_picture", "no_picture"],
        ),
        # A brain that is told facts is shown no picture that could be smaller.
        (
            Plan(image_side_px=0),
            Stage.VISION,
            ["picture_wait", "kept_picture", "no_picture"],
        ),
        (Plan(), Stage.TTS, ["short_first_phrase", "fast_voice", "text_only"]),
        # What the settings, or the person, have given up already is no step.
        (Plan(natural_voice=False, first_phrase_max_words=3), Stage.TTS, ["text_only"]),
        (Plan(speak=False, natural_voice=False, first_phrase_max_words=3), Stage.TTS, []),
        (
            Plan(use_draft=False, use_strong=False),
            Stage.FIRST_PHRASE,
            ["short_first_phrase", "short_answers", "near_answers"],
        ),
        (
            Plan(recall_surely=False, max_reply_tokens=20),
            Stage.FIRST_PHRASE,
            ["no_draft", "short_first_phrase", "smaller_brain"],
        ),
        (Plan(), Stage.PREFILL, ["half_history", "short_history"]),
        (Plan(), Stage.ASR, ["impatient_ears"]),
        (Plan(), Stage.ENDPOINTING, []),
    ],
)
def test_only_what_gives_less_is_a_step(best: Plan, stage: Stage, steps: list[str]) -> None:
    policy = FallbackPolicy(best=best)
    told = [rung for _ in range(20) for _, rung in policy.after_turn([stage])]
    assert [rung.code for rung in told] == steps
    for _ in range(len(steps)):
        assert policy.plan != best
        for _ in range(10):
            policy.after_turn([])
    assert policy.plan == best


def test_what_another_stage_has_given_up_is_no_second_step() -> None:
    policy = FallbackPolicy()
    for _ in range(4):
        policy.after_turn([Stage.FIRST_PHRASE])
    steps = [rung.code for _ in range(2) for _, rung in policy.after_turn([Stage.TTS])]
    assert steps == ["fast_voice"]


def test_stages_are_judged_apart() -> None:
    policy = FallbackPolicy()
    policy.after_turn([Stage.TTS])
    policy.after_turn([Stage.PREFILL])
    assert policy.plan == Plan()


def test_what_the_person_chose_is_never_exceeded() -> None:
    policy = FallbackPolicy()
    policy.configure(speak=False, max_reply_tokens=20)
    for _ in range(6):
        policy.after_turn(LATE)
    assert policy.plan.max_reply_tokens == 20
    assert not policy.plan.speak


def test_a_voice_that_failed_is_tried_again_after_a_turn_in_text() -> None:
    policy = FallbackPolicy()
    policy.after_error("voice")
    spoken = []
    for _ in range(3):
        spoken.append(policy.plan.speak)
        policy.after_turn([])
    assert spoken == [False, False, True]


@pytest.mark.parametrize("language", ["en", "zh", "fr"])
def test_everything_that_may_be_said_is_made_beforehand(language: str) -> None:
    policy = FallbackPolicy(language=language)
    said = {
        policy.after_error("brain"),
        policy.after_error("ears"),
        policy.acknowledgement(None),
        policy.acknowledgement(Scene(facts=("a cat",))),
        policy.prompt,
    }
    assert said == set(fixed_phrases(language))


@pytest.mark.parametrize(
    ("languages", "words", "language"),
    [
        (("en", "zh"), "法国的首都是哪里", "zh"),
        (("zh", "en"), "capital of France", "en"),
        (("zh", "en"), "", "zh"),
        (("zh",), "OK", "zh"),
    ],
)
def test_apologies_are_in_the_language_of_the_person_s_words(
    languages: tuple[str, ...], words: str, language: str
) -> None:
    policy = FallbackPolicy(language=languages[0], languages=languages)
    policy.understood(words)
    assert policy.after_error("brain") in fixed_phrases(language)


def test_the_shortcoming_of_a_voice_is_told_once() -> None:
    policy = FallbackPolicy(voices=Voices(espeak=(espeak_voice("fr", "French"),)))
    told = [policy.shortcoming(voice) for voice in ("espeak-ng-fr", "joe", "espeak-ng-fr")]
    assert told == ["no natural voice for 'fr' is here, so espeak-ng speaks", None, None]
