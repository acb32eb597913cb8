"""Degradation is decided here, and only here. Stages obey a Plan; they never choose one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

_APOLOGIES = {
    "ears": "Sorry, I could not make that out. Could you say it again?",
    "brain": "Sorry, I lost my train of thought. Could you say that again?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one turn may spend. Read once, at its start."""

    use_vision: bool = True
    speak: bool = True
    max_reply_tokens: int = 120
    scene_wait_ms: int = 400
    """How long an answer waits for what the camera shows, beyond the end of speech."""


@dataclass(slots=True)
class FallbackPolicy:
    """Chooses the plan of the next turn from how the last ones went."""

    best: Plan = field(default_factory=Plan)
    """What a turn may spend when all is well."""

    _voice_failed: bool = False
    _silent_turns: int = 0

    @property
    def plan(self) -> Plan:
        return replace(self.best, speak=self.best.speak and not self._voice_failed)

    def configure(self, *, speak: bool | None, max_reply_tokens: int | None) -> None:
        """What the person wants; None leaves a setting as it is."""
        if speak is not None:
            self.best = replace(self.best, speak=speak)
        if max_reply_tokens is not None:
            self.best = replace(self.best, max_reply_tokens=max_reply_tokens)

    def after_error(self, stage: str) -> str:
        """What to tell the person now ("" for nothing); lowers the plan of later turns."""
        if stage == "voice":
            self._voice_failed = True
            self._silent_turns = 1
        return _APOLOGIES.get(stage, "")

    def after_turn(self) -> None:
        """A turn is over. After one in text only, the voice is tried again."""
        if self._silent_turns:
            self._silent_turns -= 1
        else:
            self._voice_failed = False
