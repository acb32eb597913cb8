"""Degradation is decided here, and only here. Stages obey a Plan; they never choose one.

Each stage has a ladder. Two overruns in its last three turns take it one rung down, ten good turns
one rung up; a rung gives less of one thing, and says so in a sentence that the person sees.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.budget import Stage
from assistant.config import VoiceConfig
from assistant.events import Configure
from assistant.ladders import LADDERS, Rung
from assistant.thrift import Thrift
from assistant.types import Scene
from assistant.voices import Voices, likely_language

_DOWN_AFTER, _OF_LAST = 2, 3
_UP_AFTER = 10

_APOLOGIES = {
    "en": {
        "ears": "Sorry, I could not make that out. Could you say it again?",
        "brain": "Sorry, I lost my train of thought. Could you say that again?",
    },
    "zh": {
        "ears": "对不起，我没听清楚。请再说一遍好吗？",
        "brain": "对不起，我一时想不起来了。请再说一遍好吗？",
    },
}
_ACKNOWLEDGEMENTS = {
    "en": ("One moment.", "One moment, I am looking at it."),
    "zh": ("请稍等。", "请稍等，我正在看。"),
}
"""Without a picture, and with one."""

_PROMPTS = {"en": "Are you still there?", "zh": "您还在吗？"}


def fixed_phrases(language: str) -> tuple[str, ...]:
    """All that the program says by itself, so that it can be made before it is needed."""
    apologies, acknowledgements = _spoken_in(language)
    return (*apologies.values(), *acknowledgements, _PROMPTS.get(language, _PROMPTS["en"]))


def _spoken_in(language: str) -> tuple[dict[str, str], tuple[str, str]]:
    known = language if language in _APOLOGIES else "en"
    return _APOLOGIES[known], _ACKNOWLEDGEMENTS[known]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one turn may spend. Read once, at its start, and only tightened after."""

    use_vision: bool = True
    looks_anew: bool = True
    """Or else what was seen in an earlier turn is told again, where anything was."""

    use_draft: bool = True
    use_strong: bool = True
    recall_surely: bool = True
    speak: bool = True
    max_reply_tokens: int = 120
    voice: str = ""
    """The id of the voice that the person wants."""

    natural_voice: bool = True
    """Or else espeak-ng speaks, which takes no time."""

    speed: float = 1.0
    history_share: float = 1.0
    """Of the prompt's room that earlier turns may take, once the rest has been read that way."""

    first_phrase_max_words: int | None = None
    """None for as many as the settings say."""

    image_side_px: int = 448
    """Longer side of the picture that a brain that sees is given; 0 for facts about it instead."""

    final_wait_ms: int = 600
    """A final transcript that takes longer than this is late: the last partial stands in."""

    scene_wait_ms: int = 400
    """How long an answer waits for what the camera shows, beyond the end of speech."""

    acknowledge_after_ms: int = 1_800
    """Without a word of the answer this long after the end of speech, something is said."""

    dragging_ms: int = 5_000
    """An answer that the voice has had to wait for is ended after this long, at a full stop."""

    silence_limit_ms: int = 6_000
    """A brain or a voice that says nothing for this long has failed."""

    @property
    def thrift(self) -> Thrift:
        return Thrift(
            use_draft=self.use_draft,
            use_strong=self.use_strong,
            recall_surely=self.recall_surely,
        )

    def with_wishes(self, wanted: Configure) -> Plan:
        """For one turn whose asker wants less than the others get, or more words."""
        return replace(
            self,
            speak=self.speak if wanted.speak is None else self.speak and wanted.speak,
            max_reply_tokens=wanted.max_reply_tokens or self.max_reply_tokens,
        )

    def phrasing(self, settings: VoiceConfig) -> VoiceConfig:
        """The settings, with the first phrase no longer than the plan has it."""
        most = self.first_phrase_max_words
        if most is None or most >= settings.first_phrase_max_words:
            return settings
        least = min(most, settings.first_phrase_min_words)
        return replace(settings, first_phrase_max_words=most, first_phrase_min_words=least)


@dataclass(slots=True)
class _Standing:
    """How one stage has been doing."""

    rung: int = 0
    """How many steps down it is."""

    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=_OF_LAST))
    """Which of the last turns it made late."""

    n_good: int = 0

    def note(self, was_late: bool) -> int:
        """Account for one more turn; -1 where a step down is due, +1 for a step up, else 0."""
        self.recent.append(was_late)
        self.n_good = 0 if was_late else self.n_good + 1
        if sum(self.recent) >= _DOWN_AFTER:
            self.recent.clear()
            return -1
        if self.n_good >= _UP_AFTER:
            self.n_good = 0
            return 1
        return 0


@dataclass(slots=True)
class FallbackPolicy:
    """Chooses the plan of the next turn from how the last ones went."""

    best: Plan = field(default_factory=Plan)
    """What a turn may spend when all is well."""

    voices: Voices = field(default_factory=Voices)
    language: str = "en"
    """What the program says by itself is in this one."""

    languages: tuple[str, ...] = ()
    """In which the person may speak where any of several will do."""

    _told: set[str] = field(default_factory=set)
    _standings: dict[Stage, _Standing] = field(
        default_factory=lambda: {stage: _Standing() for stage in LADDERS}
    )
    _voice_failed: bool = False
    _silent_turns: int = 0

    @property
    def plan(self) -> Plan:
        plan = self.best
        for stage, standing in self._standings.items():
            for rung in LADDERS[stage][: standing.rung]:
                plan = _tightened(plan, rung.changes)
        return replace(plan, speak=plan.speak and not self._voice_failed)

    def configure(
        self,
        *,
        speak: bool | None = None,
        max_reply_tokens: int | None = None,
        voice: str | None = None,
        speed: float | None = None,
    ) -> None:
        """What the person wants; None leaves a setting as it is."""
        if speak is not None:
            self.best = replace(self.best, speak=speak)
        if max_reply_tokens is not None:
            self.best = replace(self.best, max_reply_tokens=max_reply_tokens)
        if voice is not None:
            self.best = replace(self.best, voice=voice)
        if speed is not None:
            self.best = replace(self.best, speed=speed)

    def understood(self, words: str) -> None:
        """The person said `words`: what the program says by itself is in their language."""
        if self.languages and any(map(str.isalpha, words)):
            self.language = likely_language(words, self.languages)

    def shortcoming(self, voice: str) -> str | None:
        """What the person should know about `voice` as it speaks; told once."""
        if voice in self._told:
            return None
        self._told.add(voice)
        return self.voices.shortcoming(voice)

    def after_error(self, stage: str) -> str:
        """What to tell the person now ("" for nothing); lowers the plan of later turns."""
        if stage == "voice":
            self._voice_failed = True
            self._silent_turns = 1
        return _spoken_in(self.language)[0].get(stage, "")

    def after_turn(self, late: Iterable[Stage]) -> list[tuple[Stage, Rung]]:
        """A turn is over, made late by these stages. Returns the steps down.

        After one turn in text only, a voice that had failed is tried again.
        """
        if self._silent_turns:
            self._silent_turns -= 1
        else:
            self._voice_failed = False
        late, steps = set(late), []
        for stage, standing in self._standings.items():
            way = standing.note(stage in late)
            if way and self._has_moved(stage, -way) and way < 0:
                steps.append((stage, LADDERS[stage][standing.rung - 1]))
        return steps

    def _has_moved(self, stage: Stage, by: int) -> bool:
        """Go on to the next rung of a ladder that changes anything; False where there is none."""
        standing, before = self._standings[stage], self.plan
        here = standing.rung
        while self.plan == before:
            if not 0 <= standing.rung + by <= len(LADDERS[stage]):
                standing.rung = here
                return False
            standing.rung += by
        return True

    @property
    def prompt(self) -> str:
        """What to say when nobody has said anything for long."""
        return _PROMPTS.get(self.language, _PROMPTS["en"])

    def acknowledgement(self, scene: Scene | None) -> str:
        """What to say while the answer takes its time."""
        return _spoken_in(self.language)[1][bool(scene and scene.facts)]


def _tightened(plan: Plan, changes: Mapping[str, Any]) -> Plan:
    """`plan` with `changes`, where they give less: what the person has chosen stays."""
    wanted = {}
    for name, value in changes.items():
        now = getattr(plan, name)
        wanted[name] = value if now is None else min(now, value)
    return replace(plan, **wanted)
