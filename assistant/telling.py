"""What is told of a turn: to the person while it is taken, to the books when it is over."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.budget import Overrun
from assistant.events import (
    Degraded,
    Hearing,
    ReplyEnded,
    ReplyStarted,
    ReplyStatus,
    ReplyWords,
    SceneSeen,
    SpeechStarted,
    SpeechStopped,
    State,
    StateChanged,
    TimelineReady,
    UserSaid,
    Working,
)
from assistant.records import TurnRecord
from assistant.shortfalls import Shortfall
from assistant.stages import Peer
from assistant.timeline import Mark, TurnTimeline
from assistant.tools import ToolCall
from assistant.types import Heard, Scene, Transcript


@dataclass(slots=True, kw_only=True)
class Telling:
    """Turns what happens in one turn into events, and marks what the person gets to hear."""

    turn_id: str
    session_id: str
    session_started_at_s: float
    peer: Peer
    timeline: TurnTimeline
    announced: str = ""
    """Of the answer: as far as it has begun to be heard."""

    _shown: Transcript | None = None
    _degraded: list[Degraded] = field(default_factory=list)

    def hearing(self, heard: Heard) -> None:
        """What has been understood so far, where it is news."""
        words = heard.transcript
        if not words.text or words == self._shown or heard.is_typed:
            return
        if self._shown is None:
            start_ms = self._since_start_ms(heard.started_at_s)
            self.peer.send(SpeechStarted(turn_id=self.turn_id, audio_start_ms=start_ms))
        self._shown = words
        self.peer.send(
            Hearing(turn_id=self.turn_id, committed=words.committed, tentative=words.tentative)
        )

    def thinking(self, heard: Heard, *, speaks: bool) -> None:
        """The person has finished."""
        ended_at_s = heard.voice_stopped_at_s
        if ended_at_s is not None and self._shown is not None:
            end_ms = self._since_start_ms(ended_at_s)
            self.peer.send(SpeechStopped(turn_id=self.turn_id, audio_end_ms=end_ms))
        self.peer.send(
            UserSaid(turn_id=self.turn_id, text=heard.transcript.text, was_typed=ended_at_s is None)
        )
        self.peer.send(ReplyStarted(turn_id=self.turn_id, speaks=speaks))
        self.peer.send(StateChanged(state=State.THINKING))

    def seen(self, scene: Scene) -> None:
        self.peer.send(SceneSeen(facts=scene.facts, preview=scene.preview))

    def working(self, doing: str) -> None:
        self.peer.send(Working(turn_id=self.turn_id, doing=doing))

    def degraded(self, stage: str, code: Shortfall, reason: str) -> None:
        self._degraded.append(Degraded(stage=stage, code=code, reason=reason))
        self.peer.send(self._degraded[-1])

    def phrase(self, phrase: str) -> None:
        """One of the answer begins to be heard."""
        if Mark.FIRST_SENT not in self.timeline.at_s:
            self.timeline.mark(Mark.FIRST_SENT)
            self.peer.send(StateChanged(state=State.SPEAKING))
            self.times()
        self.announced += phrase
        self.peer.send(ReplyWords(turn_id=self.turn_id, text=phrase))

    def times(self) -> None:
        self.peer.send(
            TimelineReady(
                turn_id=self.turn_id,
                voice_to_voice_ms=self.timeline.voice_to_voice_ms,
                lines=self.timeline.ledger(),
                stats=self.timeline.stats,
            )
        )

    def ended(self, status: ReplyStatus, *, heard: str, calls: tuple[ToolCall, ...]) -> None:
        self.peer.send(
            ReplyEnded(
                turn_id=self.turn_id,
                status=status,
                heard=heard,
                calls=calls,
                stats=self.timeline.stats,
            )
        )
        self.times()
        self.peer.send(StateChanged(state=State.LISTENING))

    def record(self, status: ReplyStatus, late: tuple[Overrun, ...]) -> TurnRecord:
        timeline = self.timeline
        return TurnRecord(
            session_id=self.session_id,
            turn_id=self.turn_id,
            status=status,
            was_typed=Mark.SPEECH_ENDED not in timeline.at_s,
            voice_to_voice_ms=timeline.voice_to_voice_ms,
            lines=timeline.ledger(),
            overruns=late,
            degraded=tuple(self._degraded),
            stats=timeline.stats,
            had_filler=Mark.FILLER_SENT in timeline.at_s,
            speech_s=(timeline.between_ms(Mark.FIRST_SENT, Mark.DONE) or 0.0) / 1_000,
        )

    def _since_start_ms(self, at_s: float) -> int:
        return round(1_000 * (at_s - self.session_started_at_s))
