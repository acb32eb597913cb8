"""Pure: what the camera shows, as the line that stands before the person's words.

Worded for small brains, from what a model of 1.5 billion parameters answered to it: not told that
it sees nothing, it made something up; asked to read, it agreed that it can and stopped there, but
it does say what is already put as an answer.
"""

from __future__ import annotations

import re

from assistant.types import Scene

_WRITTEN = re.compile(r'^(.+)(?: with this text:| that reads) "(.+)"$', re.DOTALL)
"""A fact about something with writing, and its words."""

_ABOUT_SIGHT = re.compile(
    r"\b(see|look|watch|read|hold|wear|colou?r|camera|picture|screen|in front|any(body|one))"
    r"|看|见|读|念|拿|颜色|摄像头|屏幕",
    re.IGNORECASE,
)
_ABOUT_READING = re.compile(r"\b(read|text|says?|written)\b|读|念|写", re.IGNORECASE)
_ABOUT_CHANGE = re.compile(
    r"\b(mov(e|ed|ing)|chang(e|ed|ing)|different|new|gone)\b|动|变|走了", re.IGNORECASE
)
"""Words of such a question. Where they mean something else, what is added does no harm."""


_LINE = re.compile(r"\[Camera: .*?\]\n", re.DOTALL)


def is_about_sight(question: str) -> bool:
    """Whether the answer may be in what the camera shows."""
    return bool(_ABOUT_SIGHT.search(question))


def without_camera_line(told: str) -> str:
    """The person's own words."""
    return told[match.end() :] if (match := _LINE.match(told)) else told


def camera_line(scene: Scene | None, question: str) -> str:
    """With its line break; empty where there is nothing to say.

    A scene without facts is one that the brain sees for itself.
    """
    if scene is None and not is_about_sight(question):
        return ""
    facts = ("no picture",) if scene is None else scene.facts
    if not facts:
        return ""
    read = [found[2] for fact in facts if (found := _WRITTEN.match(fact))]
    line = "; ".join(_WRITTEN.sub(r"\1", fact) for fact in facts)
    if scene and _ABOUT_CHANGE.search(question) and "since the last look" not in line:
        line += "; nothing is known to have changed since the last look"
    if read:
        line += f". Question: can you read it? Answer: It says: {' '.join(read)}"
    elif _ABOUT_READING.search(question):
        line += ". Question: can you read it? Answer: I see no text."
    return f"[Camera: {line}]\n"
