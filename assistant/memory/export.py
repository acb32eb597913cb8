"""Pure: a conversation as a file for people (Markdown), programs (JSON) or players (SRT)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from assistant.memory.line import KeptConversation, Line
from assistant.types import Role

_MIN_SHOWN_MS = 1_000
"""A subtitle that is gone sooner is missed."""

_READING_MS = 60
"""For a character of what was typed, or shown in words alone; twice that in Chinese."""

_MAX_READING_MS = 7_000

_FENCED = re.compile(r"(^```.*?^```[^\S\n]*$)", re.DOTALL | re.MULTILINE)
_MARKUP = re.compile(r"[\\`*_\[\]<>#|~&$]")
_LIST = re.compile(r"^(\s*\d*)([-+=.)])", re.MULTILINE)
_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_TAG = re.compile(r"[<{]")


@dataclass(frozen=True, slots=True)
class _Words:
    """What a file says of itself, in a reader's language."""

    title: str
    person: str
    assistant: str

    def name(self, role: Role) -> str:
        return self.person if role is Role.USER else self.assistant


_LANGUAGES = {
    "en": _Words("Conversation with Parley", "You", "Parley"),
    "zh": _Words("与 Parley 的对话", "你", "Parley"),
}


def as_markdown(conversation: KeptConversation, language: str = "en") -> str:
    words = _words(language)
    began_at = datetime.fromtimestamp(conversation.began_at_s).astimezone()
    parts = [f"# {words.title}, {began_at:%Y-%m-%d %H:%M}"]
    for line in _in_order(conversation):
        parts.append(f"**{words.name(line.role)}** ({_clock(line.at_ms)})")
        parts.append(_escaped(line.text.strip()))
    return "\n\n".join(parts) + "\n"


def as_json(conversation: KeptConversation, _language: str = "en") -> str:
    """The words as they are, in any language."""
    began_at = datetime.fromtimestamp(conversation.began_at_s).astimezone()
    told = {
        "conversation": conversation.conversation_id,
        "began_at": began_at.isoformat(timespec="milliseconds"),
        "lines": [
            {
                "role": line.role.value,
                "text": line.text,
                "at_ms": line.at_ms,
                "spoken_ms": line.spoken_ms,
            }
            for line in _in_order(conversation)
        ],
    }
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def as_srt(conversation: KeptConversation, language: str = "en") -> str:
    """Numbered, in order, one at a time: who is spoken over makes way for the other.

    Times count from the conversation's beginning.
    """
    words = _words(language)
    lines = [line for line in _in_order(conversation) if _subtitle(line.text)]
    starts = list[int]()
    for line in lines:
        starts.append(max(line.at_ms, starts[-1] + _MIN_SHOWN_MS if starts else 0))
    cues = list[str]()
    for n, line in enumerate(lines):
        end_ms = starts[n] + max(_MIN_SHOWN_MS, _shown_ms(line))
        if n + 1 < len(lines):
            end_ms = min(end_ms, starts[n + 1])
        times = f"{_stamp(starts[n])} --> {_stamp(end_ms)}"
        cues.append(f"{n + 1}\n{times}\n{words.name(line.role)}: {_subtitle(line.text)}\n")
    return "\n".join(cues)


@dataclass(frozen=True, slots=True)
class Format:
    write: Callable[[KeptConversation, str], str]
    media_type: str


FORMATS = {
    "markdown": Format(as_markdown, "text/markdown"),
    "json": Format(as_json, "application/json"),
    "srt": Format(as_srt, "application/x-subrip"),
}


def _words(language: str) -> _Words:
    return _LANGUAGES.get(language[:2].lower(), _LANGUAGES["en"])


def _in_order(conversation: KeptConversation) -> list[Line]:
    """Who was spoken over began first."""
    return sorted(conversation.lines, key=lambda line: line.at_ms)


def _escaped(text: str) -> str:
    """As it was said, whatever Markdown would make of it; code in fences is left alone."""
    parts = _FENCED.split(text)
    for n, part in enumerate(parts):
        if n % 2 == 0:
            plain = _LIST.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", part))
            parts[n] = _BREAK.sub("  \n", plain)
    return "".join(parts)


def _subtitle(text: str) -> str:
    """An empty line would end it, an arrow look like times, and players take <i> and {i} for
    tags: an invisible word joiner behind the bracket says that it is none."""
    lines = (" ".join(_printed(line).split()) for line in text.splitlines())
    shown = "\n".join(line for line in lines if line)
    return _TAG.sub("\\g<0>\u2060", shown.replace("-->", "→"))


def _printed(line: str) -> str:
    return "".join(" " if unicodedata.category(each) == "Cc" else each for each in line)


def _shown_ms(line: Line) -> int:
    if line.spoken_ms is not None:
        return line.spoken_ms
    wide = sum(character > "\u2e7f" for character in line.text)
    return min(_MAX_READING_MS, _READING_MS * (len(line.text) + wide))


def _clock(ms: int) -> str:
    minutes, seconds = divmod(ms // 1_000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _stamp(ms: int) -> str:
    seconds, ms = divmod(ms, 1_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02},{ms:03}"
