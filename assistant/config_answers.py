"""The settings of who answers, and from what: other brains, tools, kept answers, documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from assistant.config_ranges import Between


@dataclass(frozen=True, slots=True, kw_only=True)
class TiersConfig:
    """Who answers: short questions go to the fast tier, hard ones to the strong one. What fails, or
    takes too long, falls to the next; the model of [brain] is always the last resort."""

    fast: Literal["local", "remote"] = "local"
    """What is "local" has the model of [brain], what is "remote" that of [remote]."""

    strong: Literal["none", "local", "remote"] = "none"
    strong_model: str = ""
    """A brain's manifest, where the strong tier is local; it needs memory of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteConfig:
    """A brain behind an OpenAI-compatible endpoint (vLLM, llama-server, SGLang, a cloud). What is
    said, and what detectors find in the camera's picture, is sent there."""

    endpoint: str = ""
    """Such as "http://127.0.0.1:8000/v1"; {region} in it stands for `region`."""

    region: str = ""
    model: str = ""
    api_key_file: Path = Path("")
    """A file with nothing but the key, that only you can read (chmod 600); empty for the
    environment variable PARLEY_REMOTE_API_KEY. A server without keys needs neither."""

    send_images: bool = False
    """Whether pictures themselves may be sent, to a model that sees."""

    retries: Annotated[int, Between(0, 5)] = 2
    """Before the first token only, and only while there is time."""

    prompt_price: Annotated[float, Between(0, 10_000)] = 0.0
    """For a million tokens, in any currency."""

    reply_price: Annotated[float, Between(0, 10_000)] = 0.0
    daily_cost: Annotated[float, Between(0, 1_000_000)] = 0.0
    """In the same currency: once a day has cost this much the remote brain is asked no more; 0 for
    no cap."""

    daily_tokens: Annotated[int, Between(0, 10**12)] = 0
    """The same in tokens, of prompts and answers together."""

    spending_file: Path = Path("")
    """Where the days' tokens and cost are kept; empty for the models' cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerConfig:
    """A server of tools (Model Context Protocol)."""

    name: str = ""
    command: tuple[str, ...] = ()
    """Program and arguments that start it here; or else `url`."""

    url: str = ""
    doing: str = ""
    """What is going on while one of its tools runs, such as "looking in your notes"."""

    trusted: bool = False
    """Whether its tools may change things without asking the person first. Those that say of
    themselves that they only read never ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsConfig:
    """What the assistant may do beside talking. Each tool makes the prompt longer, and a small
    brain less sure when to call one."""

    built_in: tuple[Literal["time", "timers", "arithmetic", "look", "documents"], ...] = ()
    deadline_ms: Annotated[int, Between(100, 5_000)] = 4_000
    """After this long a tool of a server has failed; the answer does without it."""

    servers: tuple[McpServerConfig, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditConfig:
    file: Path = Path("")
    """JSON lines about each request to a remote brain and each call of a tool, readable by you
    alone; empty for none. Of a conversation it holds the arguments and results of tools only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheConfig:
    """Answers that need no brain. Never for what depends on the picture, the time, the person or
    earlier turns."""

    templates: Path = Path("")
    """A text file of questions (Q: ...) and their answers (A: ...); empty for none."""

    learn: bool = False
    """Keep what the brain answers, on this machine's disk, for whoever asks the same again."""

    similarity: Annotated[float, Between(0.5, 1)] = 0.7
    """How near in meaning another question has to be whose words agree but for turns of phrase; 1
    for the same words only. English alone."""

    encoder_model: str = "all-minilm-l6-v2"
    """Tells how near in meaning two sentences are."""

    expires_after_h: Annotated[int, Between(1, 24 * 366)] = 24 * 7
    max_entries: Annotated[int, Between(1, 100_000)] = 1_000
    """The oldest make way."""

    folder: Path = Path("")
    """Where answers are kept; empty for the models' cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsConfig:
    """Documents of your own, from which questions are answered."""

    index: Path = Path("")
    """The file that `assistant index DIR` makes; empty for none."""

    passages: Annotated[int, Between(0, 8)] = 2
    """That the brain is shown unasked; each takes it some 110 tokens to read. 0 for none: then only
    the tool looks for them ("documents" in tools.built_in)."""

    budget_ms: Annotated[int, Between(1, 5_000)] = 100
    """Looking takes no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConfig:
    """Whether what was said is known again the next time: the words of both sides, never sound or
    pictures. People are told apart by their browsers, and can delete all of theirs on the page."""

    keep: Literal["off", "plain", "encrypted"] = "off"
    """On this machine's disk, readable or sealed with a key (AES-256-GCM). "off": in memory alone,
    for ten minutes after the end, so that a conversation can be downloaded."""

    folder: Path = Path("")
    """Where it is kept; empty for server.state_folder."""

    key_file: Path = Path("")
    """A file with 32 bytes in base64, that only you can read (chmod 600); empty for the environment
    variable PARLEY_MEMORY_KEY, and without that for a key that is made once in `folder`: keep it
    on another disk, and what is on this one is of no use without."""

    expires_after_days: Annotated[int, Between(1, 3_650)] = 30
    max_lines: Annotated[int, Between(10, 100_000)] = 2_000
    """Of one person; the oldest make way."""
