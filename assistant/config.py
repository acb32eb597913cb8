"""Every setting, read once at start. The defaults are here; configs/*.toml only override.

A setting's type says what it may be: `Annotated[int, Between(1, 8)]` is checked when the value is
read (config_file.py), so no part of the program ever sees one out of range.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal

from assistant.config_answers import (
    AuditConfig,
    CacheConfig,
    DocumentsConfig,
    MemoryConfig,
    RemoteConfig,
    TiersConfig,
    ToolsConfig,
)
from assistant.config_ranges import Between, Milliseconds, Share, Threads
from assistant.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    host: str = "127.0.0.1"
    """Address to listen on; "::" for the whole LAN, or "0.0.0.0" without IPv6. Microphones then
    need TLS, and everybody a code."""

    port: Annotated[int, Between(0, 65_535)] = 8080
    """0 takes a free port."""

    tls_certificate: Path = Path("")
    """PEM file; empty for plain HTTP, which browsers give a microphone on localhost only."""

    tls_key: Path = Path("")
    tls: bool = False
    """Make a certificate and the authority for it, as `assistant serve --tls` does."""

    state_folder: Path = Path("~/.local/share/parley")
    """Where the certificate authority and the pairing code are kept."""

    allowed_hosts: tuple[str, ...] = ()
    """Names that browsers may call this machine by, beside its own and its addresses: behind a
    reverse proxy the proxy's; "*" for any."""

    ice_servers: tuple[str, ...] = ()
    """STUN and TURN URLs. None are needed on one machine or one LAN."""

    turn_secret_file: Path = Path("")
    """File with the secret that is shared with the TURN servers (coturn's static-auth-secret);
    everybody gets credentials of their own, good for a day."""

    api_key_file: Path = Path("")
    """File with the key that calls then need; empty for none on localhost, and elsewhere for a
    pairing code that is made once and printed at start."""

    udp_first_port: Annotated[int, Between(0, 65_535)] = 0
    """Ports for sound and pictures, where a firewall or a container needs them to be known; 0 for
    any. Each call takes one for every address of this machine."""

    udp_last_port: Annotated[int, Between(0, 65_535)] = 0

    announced_address: str = ""
    """What clients reach this machine at, where it does not know: the router's address, or that of
    the machine around a container; empty for its own addresses."""

    max_sessions: Annotated[int, Between(1, 1_000)] = 8
    """People at once; one more is told that it is busy. Whoever has lost the line counts for ten
    minutes, but makes way for others."""

    max_sessions_per_address: Annotated[int, Between(1, 1_000)] = 8
    max_offers_per_minute: Annotated[int, Between(1, 100_000)] = 60
    """From one address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsConfig:
    folder: Path = Path("models")
    """Weights go to its `cache/`; manifests of your own in it come before those of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarsConfig:
    model: str = "whisper-tiny.en"
    """A recognizer's manifest: whisper-tiny.en for English, whisper-base for many languages."""

    turn_end_model: str = "smart-turn"
    language: str = "auto"
    """Two-letter code, or "auto" to detect one of `allowed_languages`."""

    allowed_languages: tuple[str, ...] = ("en", "zh", "fr")
    """The first is assumed where it is not clear which one is spoken."""

    @property
    def languages(self) -> tuple[str, ...]:
        """In which people may speak."""
        if self.language != "auto":
            return (self.language,)
        return ("en",) if self.model.endswith(".en") else self.allowed_languages

    threads: Threads = 2
    first_partial_ms: Milliseconds = 350
    """Speech before the first partial transcript."""

    partial_interval_ms: Milliseconds = 300
    """Least speech between partials; more when one costs more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointingConfig:
    speech_starts_at: Share = 0.5
    """VAD probability at which speech begins."""

    speech_stops_at: Share = 0.35
    """VAD probability below which it pauses."""

    min_speech_ms: Milliseconds = 64
    preroll_ms: Milliseconds = 300
    """Audio kept from before the VAD noticed: soft first sounds."""

    pause_ms: Milliseconds = 130
    """Silence at which the final transcript and the reply are begun, unheard."""

    min_silence_ms: Milliseconds = 250
    """Silence that ends a turn which sounds complete."""

    max_silence_ms: Milliseconds = 800
    """Silence that ends any turn; 1200 for slow speakers."""

    leading_on_silence_ms: Milliseconds = 1_200
    """The same where the last words lead on: "I want to", a telephone number read slowly."""

    complete_at: Share = 0.7
    """Turn-end probability at which a turn sounds complete. Of 54 turns 81 % reach it at their end;
    0.5 would cut three more of their 17 pauses for another 4 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BargeInConfig:
    pause_after_ms: Milliseconds = 200
    """Speech over our voice before it pauses, to hear whether it is meant."""

    words: Annotated[int, Between(1, 20)] = 2
    """Recognised words over our voice that cut it off."""

    speech_ms: Milliseconds = 600
    """Speech over our voice that cuts it off with a single word."""

    thinking_words: Annotated[int, Between(1, 20)] = 1
    """Recognised words that go on with a question while its answer has not been heard yet."""

    stop_words: tuple[str, ...] = ("stop", "wait", "no", "quiet", "enough", "停", "等等", "不")
    """One of these is enough."""

    backchannels: tuple[str, ...] = (
        *("mm-hmm", "uh-huh", "ah", "oh", "yeah", "yes", "yep", "okay", "ok", "right", "sure"),
        *("I see", "嗯", "哦", "对", "好", "好的", "是", "是的"),
    )
    """These tell that somebody listens: alone they interrupt nothing."""

    resume_after_ms: Milliseconds = 1_500
    """With nothing recognised for this long, the voice comes back."""

    warm_up_ms: Milliseconds = 3_000
    """Start of a session in which echo cancellers settle: only a stop word interrupts."""

    quieter_db: Annotated[float, Between(1, 100)] = 15
    """Speech over our voice that is this much quieter than the person was is somebody else: a
    television, or our own echo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainConfig:
    model: str = "qwen2.5-coder-1.5b-instruct"
    draft_model: str = ""
    """A smaller model with the same vocabulary, used only while it pays; empty for none."""

    draft_from_conversation: bool = False
    """Guess that words go on as they did before, while that pays; needs no model."""

    projector: Path = Path("")
    """An mmproj GGUF for `model` where the manifest brings none; empty for none."""

    gpu_layers: Annotated[int, Between(0, 1_000)] = 0
    """Layers on the GPU. Not measured by us."""

    context_tokens: Annotated[int, Between(512, 131_072)] = 8_192
    """Cells of KV cache, shared by all conversations."""

    conversation_tokens: Annotated[int, Between(256, 131_072)] = 3_072
    """Longest prompt of one conversation; older turns are left out."""

    max_conversations: Annotated[int, Between(1, 64)] = 8
    """Conversations whose cells are kept; the least recently used is read again."""

    threads: Threads = 2
    batch_tokens: Annotated[int, Between(16, 2_048)] = 128
    """Largest slice of a prompt that is read at once: what a new request may wait for."""

    temperature: Annotated[float, Between(0, 2)] = 0.4
    top_k: Annotated[int, Between(1, 1_000)] = 40
    top_p: Share = 0.95
    repeat_penalty: Annotated[float, Between(1, 2)] = 1.1
    seed: Annotated[int, Between(0, 2**31)] = 0
    max_reply_tokens: Annotated[int, Between(1, 4_096)] = 120
    stop_sequences: tuple[str, ...] = ("<|im_end|>",)
    """Text that ends a reply and is not spoken: some models write their end in letters."""

    image_memory_mb: Annotated[int, Between(1, 4_096)] = 64
    """Encoded pictures that are kept."""

    prefix_folder: Path = Path("")
    """Where the read system prompt is kept between runs; empty for the models' cache."""

    system_prompt: str = (
        "You are Parley, a friendly voice assistant. Everything you say is spoken aloud, so answer "
        "in one or two short sentences of plain spoken English, without lists, markdown, code or "
        "emoji. Start with the answer itself. A line in square brackets tells you what the "
        "person's camera shows right now. It is for you alone: never repeat it, but use it when "
        "the question is about what you see, and never invent what it does not say. If you do not "
        "know, say so."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceConfig:
    model: str = "piper-en-us-joe-medium"
    """One of `assistant voices`. For one that is not here espeak-ng speaks."""

    speed: Annotated[float, Between(0.5, 2)] = 1.0
    """1 is the voice's own; 2 is twice as fast."""

    speaker: Annotated[int, Between(0, 1_000)] = 0
    """Which voice of a model with several."""

    threads: Threads = 1
    first_phrase_min_words: Annotated[int, Between(1, 20)] = 3
    first_phrase_max_words: Annotated[int, Between(1, 40)] = 6
    phrase_max_words: Annotated[int, Between(2, 80)] = 18
    """Later phrases are whole clauses up to this."""

    prompt_after_s: Annotated[int, Between(0, 3_600)] = 0
    """Silence after which it asks, once, whether anybody is there; 0 for never."""

    buffer_ms: Milliseconds = 12_000
    """Speech that may wait in the outgoing track before the voice pauses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EyesConfig:
    mode: Literal["facts", "image", "both", "off"] = "facts"
    """What the brain is given of a picture: what detectors find in it ("facts"), the "image" itself
    where the brain has a projector (and facts where it has none), "both", or nothing ("off")."""

    detector_model: str = "openpibo-detect"
    text_model: str = "rapidocr"
    max_side_px: Annotated[int, Between(64, 4_096)] = 960
    """Frames are scaled down to this before anyone looks."""

    newest_within_ms: Milliseconds = 2_000
    """A frame older than this is not what the camera shows now."""

    threads: Threads = 1
    min_confidence: Share = 0.4
    """Of an object that is told to the brain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkersConfig:
    niceness: Annotated[int, Between(0, 19)] = 5
    """Engines run this much below the process that moves the sound."""

    hung_after_ms: Annotated[int, Between(100, 60_000)] = 4_000
    """An engine's process that does not answer for this long is killed and started again."""

    restart_wait_ms: Milliseconds = 6_000
    """How long a turn waits for an engine that is being restarted."""

    start_timeout_ms: Annotated[int, Between(1_000, 600_000)] = 120_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetConfig:
    """The promise, and how it is split. The parts may not add up to more, and each stage needs one:
    without, it would be late in every turn. What one does not use the next may."""

    voice_to_voice_ms: Annotated[int, Between(100, 60_000)] = 1_000
    endpointing_ms: Milliseconds = 150
    """Until the pause is noticed. The end of the turn is decided while the others work."""

    asr_ms: Milliseconds = 150
    prefill_ms: Milliseconds = 100
    first_phrase_ms: Milliseconds = 350
    tts_ms: Milliseconds = 100
    network_ms: Milliseconds = 150

    def __post_init__(self) -> None:
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        del parts["voice_to_voice_ms"]
        for name, part_ms in parts.items():
            if not part_ms:
                raise ConfigError(f"budget.{name} is 0: its stage would be late in every turn")
        whole_ms = sum(parts.values())
        if whole_ms > self.voice_to_voice_ms:
            raise ConfigError(
                f"budget: the parts add up to {whole_ms} ms, more than the promise "
                f"budget.voice_to_voice_ms = {self.voice_to_voice_ms}"
            )


StageName = Literal[
    "uplink",
    "endpointing",
    "asr",
    "vision",
    "queue",
    "prefill",
    "first_phrase",
    "tts",
    "end_of_turn",
    "pacing",
    "network",
    "voice_to_voice",
]
"""What adds to the wait, in order, and the whole of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertConfig:
    """An alert when a percentile of the last turns is over its limit."""

    stage: StageName = "voice_to_voice"
    percentile: Annotated[int, Between(1, 99)] = 95
    limit_ms: Annotated[int, Between(1, 60_000)] = 2_000
    window_turns: Annotated[int, Between(10, 1_000)] = 50
    """How many of the last turns it looks at; fewer than ten say nothing."""

    window_minutes: Annotated[int, Between(1, 1_440)] = 60
    """How old they may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoringConfig:
    webhook: str = ""
    """URL to which alerts are posted as JSON; empty for none."""

    otlp_endpoint: str = ""
    """URL to which each turn's spans go, such as "http://localhost:4318/v1/traces"; empty for none.
    Needs pip install 'parley-assistant[otel]'."""

    alerts: tuple[AlertConfig, ...] = (AlertConfig(),)
    """A list of your own takes the place of this one; `alerts = []` for none."""

    def __post_init__(self) -> None:
        for key in ("webhook", "otlp_endpoint"):
            url = getattr(self, key)
            if url and not url.startswith(("http://", "https://")):
                raise ConfigError(f"monitoring.{key} must be an http or https URL, not {url!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingConfig:
    folder: Path = Path("")
    """Every conversation is kept in a folder of its own in here, and the page says so; empty for
    none."""

    leave_out: tuple[Literal["audio", "text", "pictures"], ...] = ()
    """What of it is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    server: ServerConfig = field(default_factory=ServerConfig)
    models: ModelsConfig = field(default_factory=ModelsConfig)
    ears: EarsConfig = field(default_factory=EarsConfig)
    endpointing: EndpointingConfig = field(default_factory=EndpointingConfig)
    barge_in: BargeInConfig = field(default_factory=BargeInConfig)
    brain: BrainConfig = field(default_factory=BrainConfig)
    tiers: TiersConfig = field(default_factory=TiersConfig)
    remote: RemoteConfig = field(default_factory=RemoteConfig)
    tools: ToolsConfig = field(default_factory=ToolsConfig)
    audit: AuditConfig = field(default_factory=AuditConfig)
    voice: VoiceConfig = field(default_factory=VoiceConfig)
    eyes: EyesConfig = field(default_factory=EyesConfig)
    cache: CacheConfig = field(default_factory=CacheConfig)
    documents: DocumentsConfig = field(default_factory=DocumentsConfig)
    workers: WorkersConfig = field(default_factory=WorkersConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    monitoring: MonitoringConfig = field(default_factory=MonitoringConfig)
    recording: RecordingConfig = field(default_factory=RecordingConfig)
    memory: MemoryConfig = field(default_factory=MemoryConfig)
