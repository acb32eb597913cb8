"""Pure: has somebody begun to speak, paused, gone on, finished?

Time is counted in audio received, 32 ms windows of it, so a recording always gives the same answer
however fast it is fed. Durations of the settings are rounded to whole windows.

        STARTED             PAUSED                       ENDED
    quiet ──▶ speaking ───────▶ paused ─────────────────────▶ quiet
                    ◀───────────
                       RESUMED

At PAUSED the caller begins the final transcript and the turn-end judgement, and hands both over
with `transcribed` and `judged`. How much silence ends the turn then depends on what was said:

    nothing (noise), or it sounds complete        min_silence_ms
    it sounds unfinished                          max_silence_ms
    its last words lead on ("I want to")          leading_on_silence_ms
    the talk button is held down                  never
    the talk button, the microphone is let go     at once
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from assistant.completeness import sounds_complete
from assistant.config import EndpointingConfig
from assistant.events import TurnDetection
from assistant.types import Phase

WINDOW_SAMPLES = 512
WINDOW_MS = 32


class Change(StrEnum):
    STARTED = "started"
    PAUSED = "paused"
    RESUMED = "resumed"
    ENDED = "ended"


class Endpointer:
    """One microphone's state. Every method returns the change that it brought about, if any."""

    def __init__(self, config: EndpointingConfig) -> None:
        self.config = config
        self.phase: Phase | None = None
        """None while nobody speaks."""

        self.is_held = False
        """The talk button is down: silence does not end the turn."""

        self._is_closing = False
        self._speech = 0
        self._silence = 0
        self._onset = 0
        """Windows of voice in a row that do not count yet: a click is not speech."""

        self._text: str | None = None
        self._turn_end_probability: float | None = None

    @property
    def speech_ms(self) -> int:
        return self._speech * WINDOW_MS

    @property
    def silence_ms(self) -> int:
        """Since the last voice of this utterance."""
        return self._silence * WINDOW_MS

    def hear(self, speech_probability: float) -> Change | None:
        """Take the next window."""
        config = self.config
        is_in_voice = self.phase is Phase.SPEAKING and self._silence == 0
        is_voice = speech_probability >= (
            config.speech_stops_at if is_in_voice else config.speech_starts_at
        )
        if self.phase is Phase.SPEAKING:
            return self._go_on(is_voice)
        self._onset = self._onset + 1 if is_voice else 0
        if self.phase is Phase.PAUSED:
            self._silence += 1
        if self._onset >= n_windows(config.min_speech_ms):
            return self._begin()
        return self._end_if_over()

    def transcribed(self, text: str) -> Change | None:
        """The final transcript of this pause is in; "" when it was noise."""
        assert self.phase is Phase.PAUSED
        self._text = text
        return self._end_if_over()

    def judged(self, turn_end_probability: float) -> Change | None:
        """The turn-end judgement of this pause is in."""
        assert self.phase is Phase.PAUSED
        self._turn_end_probability = turn_end_probability
        return self._end_if_over()

    def close(self) -> Change | None:
        """The person has let go: end as soon as the final transcript is in, unless they go on."""
        self._is_closing = True
        self._onset = 0
        if self.phase is Phase.SPEAKING:
            return self._pause()
        return self._end_if_over()

    def _go_on(self, is_voice: bool) -> Change | None:
        if is_voice:
            self._speech += 1
            self._silence = 0
            return None
        self._silence += 1
        return self._pause() if self._silence >= n_windows(self.config.pause_ms) else None

    def _begin(self) -> Change:
        change = Change.STARTED if self.phase is None else Change.RESUMED
        self._speech = self._onset + (self._speech if self.phase else 0)
        self.phase = Phase.SPEAKING
        self._silence = self._onset = 0
        self._is_closing = False
        return change

    def _pause(self) -> Change:
        self.phase = Phase.PAUSED
        self._text = self._turn_end_probability = None
        return Change.PAUSED

    def _end_if_over(self) -> Change | None:
        if self.phase is not Phase.PAUSED or self._text is None or self._onset > 0:
            return None
        if not self._is_closing and (self.is_held or self._silence < self._needed(self._text)):
            return None
        self.phase = None
        return Change.ENDED

    def _needed(self, text: str) -> int:
        """Windows of silence that end the turn."""
        config = self.config
        match self._sounds_complete(text):
            case True:
                return n_windows(config.min_silence_ms)
            case None:
                return n_windows(config.max_silence_ms)
            case False:
                return n_windows(max(config.max_silence_ms, config.leading_on_silence_ms))

    def _sounds_complete(self, text: str) -> bool | None:
        if not text:
            return True
        by_words = sounds_complete(text)
        by_sound = self._turn_end_probability
        if by_words is None and by_sound is not None and by_sound >= self.config.complete_at:
            return True
        return by_words


def adapted(config: EndpointingConfig, wanted: TurnDetection) -> EndpointingConfig:
    """The settings, as one person wants them."""
    if wanted.speech_starts_at is not None:
        stops_at = min(config.speech_stops_at, wanted.speech_starts_at)
        config = replace(config, speech_starts_at=wanted.speech_starts_at, speech_stops_at=stops_at)
    if wanted.preroll_ms is not None:
        config = replace(config, preroll_ms=wanted.preroll_ms)
    least_ms, most_ms, leading_on_ms = (
        config.min_silence_ms,
        round(wanted.patience * config.max_silence_ms),
        round(wanted.patience * config.leading_on_silence_ms),
    )
    if wanted.silence_ms is not None:
        least_ms = most_ms = leading_on_ms = wanted.silence_ms
    return replace(
        config,
        min_silence_ms=min(least_ms, most_ms),
        max_silence_ms=most_ms,
        leading_on_silence_ms=leading_on_ms,
    )


def n_windows(duration_ms: float) -> int:
    """A duration of the settings in whole windows."""
    return max(1, round(duration_ms / WINDOW_MS))
