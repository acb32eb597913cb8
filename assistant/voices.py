"""Pure: which voices there are, and which of them reads a text.

A voice reads what is written in the letters of its languages. Anything else is read by another
voice that is here, and where there is none by espeak-ng, which reads nearly every language, like a
machine.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

_ESPEAK = "espeak-ng-"

_LANGUAGES = {
    "CJK": ("zh", "ja", "cmn", "yue", "hak"),
    "HIRAGANA": ("ja",),
    "KATAKANA": ("ja",),
    "HANGUL": ("ko",),
    "CYRILLIC": ("ru", "uk", "bg", "sr", "be", "mk", "kk", "ky", "mn", "tt"),
    "GREEK": ("el",),
    "ARABIC": ("ar", "fa", "ur", "ug", "ku", "sd", "ps"),
    "HEBREW": ("he",),
    "DEVANAGARI": ("hi", "mr", "ne"),
    "BENGALI": ("bn", "as"),
    "GURMUKHI": ("pa",),
    "GUJARATI": ("gu",),
    "TAMIL": ("ta",),
    "TELUGU": ("te",),
    "KANNADA": ("kn",),
    "MALAYALAM": ("ml",),
    "SINHALA": ("si",),
    "THAI": ("th",),
    "MYANMAR": ("my",),
    "GEORGIAN": ("ka",),
    "ARMENIAN": ("hy",),
    "ETHIOPIC": ("am", "ti"),
}
"""By the first word of a letter's Unicode name, the languages written with it, the likeliest first.
Latin letters are read by every voice."""

_NOT_IN_LATIN = frozenset(language for languages in _LANGUAGES.values() for language in languages)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownVoice:
    id: str
    """As in `voice.model`, and on the wire."""

    summary: str
    languages: tuple[str, ...]
    """Codes such as "en"."""

    is_here: bool = True


def espeak_voice(language: str, name: str) -> KnownVoice:
    """`name`: of the language, in English."""
    return KnownVoice(id=_ESPEAK + language, summary=f"espeak-ng: {name}", languages=(language,))


def espeak_language(voice_id: str) -> str | None:
    """The language that espeak-ng is to speak; None for the id of another voice."""
    return voice_id.removeprefix(_ESPEAK) if voice_id.startswith(_ESPEAK) else None


def script_languages(text: str) -> tuple[str, ...]:
    """The languages whose letters most of `text` is written in; empty for Latin, or for none."""
    scripts = Counter(
        unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha()
    )
    if not scripts:
        return ()
    # Of as many letters of either, Latin ones are the foreign words.
    most = max(scripts, key=lambda script: (scripts[script], script != "LATIN"))
    return _LANGUAGES.get(most, ())


def likely_language(text: str, languages: tuple[str, ...]) -> str:
    """The first of `languages` that `text` may be written in; the first of all where none is."""
    written = script_languages(text)
    for language in languages:
        if language in written or (not written and language not in _NOT_IN_LATIN):
            return language
    return languages[0]


@dataclass(frozen=True, kw_only=True)
class Voices:
    """Every voice that this machine knows."""

    piper: tuple[KnownVoice, ...] = ()
    espeak: tuple[KnownVoice, ...] = ()
    """One for each language."""

    def find(self, voice_id: str) -> KnownVoice | None:
        """None where it is unknown, or not here."""
        return self._here.get(voice_id)

    def standing_in_for(self, voice_id: str) -> KnownVoice | None:
        """This voice, or who speaks its language where it is not here."""
        wanted = next((voice for voice in self.piper if voice.id == voice_id), None)
        if wanted is None or wanted.is_here:
            return self.find(voice_id)
        return self._best(wanted.languages)

    def reading(self, text: str, voice_id: str) -> str:
        """The id of the voice that reads `text` where `voice_id` is wanted."""
        languages = script_languages(text)
        wanted = self.find(voice_id)
        if wanted is None or not languages or set(languages) & set(wanted.languages):
            return voice_id
        best = self._best(languages)
        return voice_id if best is None else best.id

    def plain(self, voice_id: str) -> str:
        """The id of espeak-ng in the language of that voice: it takes no time; or else `voice_id`,
        where it does not speak that language."""
        voice = self.find(voice_id)
        plain = [_ESPEAK + language for language in (voice.languages if voice else ())]
        return next((each for each in plain if each in self._here), voice_id)

    def offered(self, languages: Iterable[str], standard: str) -> tuple[KnownVoice, ...]:
        """What a person may choose from who converses in these languages, `standard` included."""
        ids = [voice.id for voice in self.piper] + [_ESPEAK + language for language in languages]
        return tuple(
            voice for voice in map(self.find, dict.fromkeys([*ids, standard])) if voice is not None
        )

    def shortcoming(self, voice_id: str) -> str | None:
        """What a person should know who hears this voice; None where all is well."""
        espoken = espeak_language(voice_id)
        if espoken is None:
            return None
        language = espoken.partition("-")[0]
        better = [voice for voice in self.piper if language in voice.languages]
        if any(voice.is_here for voice in better):
            return None
        advice = f": `assistant models pull {better[0].id}` brings one" if better else ""
        return f"no natural voice for {language!r} is here, so espeak-ng speaks{advice}"

    @cached_property
    def _here(self) -> dict[str, KnownVoice]:
        return {voice.id: voice for voice in (*self.piper, *self.espeak) if voice.is_here}

    def _best(self, languages: Iterable[str]) -> KnownVoice | None:
        """A voice that is here, of the first language that has one."""
        for language in languages:
            for voice in self._here.values():
                if language in voice.languages:
                    return voice
        return None
