from __future__ import annotations

import pytest

from assistant.voices import (
    KnownVoice,
    Voices,
    espeak_language,
    espeak_voice,
    likely_language,
    script_languages,
)

JOE = KnownVoice(id="joe", summary="a man", languages=("en",))
HUAYAN = KnownVoice(id="huayan", summary="a woman", languages=("zh",), is_here=False)
ESPEAK = tuple(espeak_voice(language, language.upper()) for language in ("ar", "en", "fr", "zh"))
VOICES = Voices(piper=(JOE, HUAYAN), espeak=ESPEAK)
WITH_HUAYAN = Voices(
    piper=(JOE, KnownVoice(id="huayan", summary="", languages=("zh",))), espeak=ESPEAK
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", None),
        ("3.14 :-)", None),
        ("Hello, ça va? Größe!", None),
        ("你好", "zh"),
        ("请打开GPS", "zh"),
        ("The word 你好 means hello", None),
        ("こんにちは", "ja"),
        ("Привет", "ru"),
        ("مرحبا", "ar"),
        ("שלום", "he"),
        ("안녕하세요", "ko"),
        ("\ud800\x00", None),
    ],
)
def test_letters_tell_the_language(text: str, language: str | None) -> None:
    assert next(iter(script_languages(text)), None) == language


@pytest.mark.parametrize(
    ("text", "wanted", "reader"),
    [
        ("Hello.", "joe", "joe"),
        ("你好。", "joe", "espeak-ng-zh"),
        ("مرحبا", "joe", "espeak-ng-ar"),
        ("שלום", "joe", "joe"),
        ("Hello.", "espeak-ng-zh", "espeak-ng-zh"),
        ("你好。", "espeak-ng-zh", "espeak-ng-zh"),
        ("你好。", "espeak-ng-fr", "espeak-ng-zh"),
        ("你好。", "unknown", "unknown"),
    ],
)
def test_a_text_is_read_by_who_knows_its_letters(text: str, wanted: str, reader: str) -> None:
    assert VOICES.reading(text, wanted) == reader


def test_a_natural_voice_comes_first() -> None:
    assert WITH_HUAYAN.reading("你好。", "joe") == "huayan"


@pytest.mark.parametrize(
    ("model", "voice"),
    [("joe", "joe"), ("huayan", "espeak-ng-zh"), ("espeak-ng-fr", "espeak-ng-fr"), ("who", None)],
)
def test_a_voice_that_is_not_here_has_a_stand_in(model: str, voice: str | None) -> None:
    found = VOICES.standing_in_for(model)
    assert (found and found.id) == voice


@pytest.mark.parametrize(
    ("voice", "plain"),
    [
        ("joe", "espeak-ng-en"),
        ("huayan", "espeak-ng-zh"),
        ("espeak-ng-fr", "espeak-ng-fr"),
        ("nobody", "nobody"),
    ],
)
def test_every_voice_has_a_plainer_one(voice: str, plain: str) -> None:
    assert WITH_HUAYAN.plain(voice) == plain
    assert Voices().plain(voice) == voice


def test_without_espeak_there_may_be_nobody() -> None:
    assert Voices(piper=(HUAYAN,)).standing_in_for("huayan") is None
    assert Voices().reading("你好。", "joe") == "joe"


def test_voices_that_are_here_are_offered_and_espeak_for_the_conversation() -> None:
    offered = VOICES.offered(["zh", "xx"], "espeak-ng-fr")
    assert [voice.id for voice in offered] == ["joe", "espeak-ng-zh", "espeak-ng-fr"]
    assert [voice.id for voice in VOICES.offered(["en"], "joe")] == ["joe", "espeak-ng-en"]


def test_the_shortcoming_of_espeak_is_told_with_what_would_help() -> None:
    told = VOICES.shortcoming("espeak-ng-zh")
    assert told is not None
    assert "assistant models pull huayan" in told
    assert VOICES.shortcoming("espeak-ng-fr") == (
        "no natural voice for 'fr' is here, so espeak-ng speaks"
    )


def test_a_natural_voice_or_one_that_was_preferred_has_no_shortcoming() -> None:
    assert VOICES.shortcoming("joe") is None
    assert WITH_HUAYAN.shortcoming("espeak-ng-zh") is None


@pytest.mark.parametrize(
    ("text", "languages", "likely"),
    [
        ("你好", ("en", "zh"), "zh"),
        ("hello", ("en", "zh"), "en"),
        ("hello", ("zh", "en"), "en"),
        ("OK", ("zh",), "zh"),
        ("Привет", ("en", "zh"), "en"),
    ],
)
def test_words_tell_which_of_the_conversation_s_languages(
    text: str, languages: tuple[str, ...], likely: str
) -> None:
    assert likely_language(text, languages) == likely


def test_espeak_voices_are_named_after_their_language() -> None:
    assert espeak_language(espeak_voice("pt-br", "Portuguese").id) == "pt-br"
    assert espeak_language("piper-en-us-joe-medium") is None
