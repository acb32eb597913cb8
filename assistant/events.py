"""What a session tells its peer, and what a peer may ask of its session.

The transport turns events into the wire protocol's messages and messages into commands; a session
knows neither JSON nor sockets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from assistant.shortfalls import Shortfall
from assistant.tools import Tool, ToolCall
from assistant.types import ImageFrame, Pcm, ReplyStats, Role


class State(StrEnum):
    """Whose turn it is, as the person sees it."""

    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted:
    turn_id: str
    audio_start_ms: int
    """Since the session began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStopped:
    turn_id: str
    audio_end_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """Words so far: `committed` only grows, `tentative` may change."""

    turn_id: str
    committed: str
    tentative: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSaid:
    turn_id: str
    text: str
    was_typed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReopened:
    """The person went on: what they said in this turn is part of what they say in the next."""

    turn_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSeen:
    """Somebody looked at a frame."""

    facts: tuple[str, ...]
    preview: bytes = b""
    """That frame, as a small JPEG."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyStarted:
    turn_id: str
    speaks: bool = True
    """False for an answer in words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyWords:
    """A phrase, sent when its first sample goes out."""

    turn_id: str
    text: str


class ReplyStatus(StrEnum):
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyEnded:
    turn_id: str
    status: ReplyStatus
    heard: str
    """What the person heard of it."""

    calls: tuple[ToolCall, ...] = ()
    """What the client has to do before there is more to say."""

    stats: ReplyStats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """One stage's share of a turn's wait."""

    name: str
    start_ms: float
    """Since the person stopped speaking."""

    duration_ms: float
    overlapped: bool
    """Whether others were waited for meanwhile; the lines that are not add up to the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineReady:
    turn_id: str
    voice_to_voice_ms: float | None
    """The person's last voiced sample to our first one: at the listener where it told us when it
    came, else as it left."""

    lines: tuple[LedgerLine, ...]
    stats: ReplyStats | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Degraded:
    """Something was left out, or given in a lesser form."""

    stage: str
    code: Shortfall
    reason: str
    """A sentence for the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """Something is done before there is more to say."""

    turn_id: str
    doing: str
    """Such as "looking in your notes"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertChanged:
    """A percentile of the last turns went over its limit, or came back."""

    stage: str
    percentile: int
    is_over: bool
    value_ms: float | None
    """None when there are too few turns to say."""

    limit_ms: int
    n_turns: int
    """That were looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingChanged:
    """What is said and shown is kept on disk, or is so no more."""

    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTranscribed:
    """The words of a recording that was added."""

    item_id: str
    text: str
    speech_ms: float
    failure: str | None = None
    """Why there are none: a sentence of the recognizer's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTruncated:
    item_id: str
    heard_ms: int
    heard: str
    """What is left of its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRetrieved:
    """What stands in the conversation under this id now, after all that was wanted before."""

    item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryKept:
    """What becomes of this conversation's words, and which ones it goes on from."""

    keep: str
    """As in the settings: "off", "plain" or "encrypted"."""

    expires_after_days: int
    earlier_at_s: float | None = None
    """When the person was here last, since 1970; None where nothing is known of that."""


Event = (
    StateChanged
    | SpeechStarted
    | SpeechStopped
    | Hearing
    | UserSaid
    | QuestionReopened
    | SceneSeen
    | ReplyStarted
    | ReplyWords
    | ReplyEnded
    | TimelineReady
    | Degraded
    | Working
    | AlertChanged
    | RecordingChanged
    | ItemTranscribed
    | ItemTruncated
    | ItemRetrieved
    | HistoryKept
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDetection:
    """How the end of what somebody says is found; None leaves it to the settings."""

    speech_starts_at: float | None = None
    """VAD probability."""

    preroll_ms: int | None = None
    silence_ms: int | None = None
    """Ends any turn, however it sounds."""

    patience: float = 1.0
    """By how much a turn that does not sound complete is given longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SayText:
    """The person typed instead of speaking, or showed a picture from a file.

    With nothing at all: what stands in the conversation is to be answered.
    """

    text: str = ""
    images: tuple[ImageFrame, ...] = field(default=())
    wanted: Configure | None = None
    """Settings of this one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTalking:
    """The person wants the reply to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute:
    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PushToTalk:
    pressed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardReply:
    """The listener's end noticed that a reply began to sound."""

    at_s: float
    """On our monotonic clock."""

    uplink_ms: float | None = None
    """How long sound takes from the microphone to us; None where nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configure:
    """Settings of this conversation; None leaves one as it is."""

    system_prompt: str | None = None
    speak: bool | None = None
    max_reply_tokens: int | None = None
    voice: str | None = None
    """The id of one that was offered."""

    speed: float | None = None
    tools: tuple[Tool, ...] | None = None
    turn_detection: TurnDetection | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetSpeech:
    """What is being said was not meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddItem:
    """Something for the conversation that was not said in a turn. It is not answered yet."""

    item_id: str
    role: Role
    text: str = ""
    image: ImageFrame | None = None
    sound: Pcm | None = field(default=None, compare=False)
    """16 kHz; its words come behind `text`."""

    after_id: str | None = None
    """The item that it follows, or "root"; None for the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveItem:
    item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveItem:
    item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncateItem:
    """Of an answer only this much was heard: the client knows better."""

    item_id: str
    heard_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """The person may be known from earlier."""

    person: str = field(repr=False)
    """What their browser made up, and nobody else knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Said in earlier conversations: it stands before everything in this one."""

    lines: tuple[AddItem, ...]


Command = (
    SayText
    | StopTalking
    | Mute
    | PushToTalk
    | HeardReply
    | Configure
    | ForgetSpeech
    | AddItem
    | RemoveItem
    | RetrieveItem
    | TruncateItem
    | Remember
    | Restore
)
