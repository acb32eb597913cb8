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
    r"\b(see|seen|seeing|held|(look|watch|read|hold|wear|show)(s|ing|ed)?|colou?r\w*|camera|"
    r"picture|screen|in front|behind me|any(body|one)|people|person|my (hand|shirt|face|desk))\b"
    r"|看|见|读|念|拿|穿|颜色|摄像头|屏幕|面前|有几个?人",
    re.IGNORECASE,
)
_ABOUT_READING = re.compile(r"\b(read|text|says?|written)\b|读|念|写", re.IGNORECASE)
_ABOUT_CHANGE = re.compile(
    r"\b(mov(e|ed|ing)|chang(e|ed|ing)|different|new|gone)\b|动|变|走了", re.IGNORECASE
)
"""Words of such a question. Where they mean something else, what is added does no harm."""


_BLIND = "I can't see that right now, because I have no picture from the camera."
_BLIND_IN_CHINESE = "我现在看不到，因为没有摄像头的画面。"
_CHINESE = re.compile("[\u3400-\u9fff]")

_ABOUT_HERE = re.compile(
    r"\b(i'?m|i am|am i|do i|i) (hold|wear|show)\w*|\b(see|hear and see|look at) (me|us|this|it)\b|"
    r"\bmy (\w+ )?(hands?|fingers?|shirt|face|hair|desk|room|clothes|glasses)\b|"
    r"\b(this|that|these|those|the) (\w+ )?(sign|page|text|thing|object|picture|paper|letter|label|"
    r"screen|camera)s?\b|\b(do|can|could|what|are) you (\w+ )?(see|seeing|look)|"
    r"\b(what('?s| is| are)|colou?r (is|are)) (this|that|these|those)\b|"
    r"\bread (this|that|these|it|me|what)\b|in front of (me|you)|behind me|next to me|"
    r"(people|person|anybody|anyone|somebody|someone) .{0,12}\b(here|there|room|with me)\b"
    r"|我.{0,3}(拿|穿|戴|手)|你?看(得|不)?见|看到|面前|这(个|张|页|块)|有几个?人|有人",
    re.IGNORECASE,
)
"""What nobody can tell without seeing the person who asks."""

_LINE = re.compile(r"\[Camera: .*?\]\n", re.DOTALL)
_ASIDE = re.compile(r"\n\[Camera: [^\]]*\]$")


def is_about_sight(question: str) -> bool:
    """Whether the answer may be in what the camera shows."""
    return bool(_ABOUT_SIGHT.search(question))


def without_camera_line(told: str) -> str:
    """The person's own words."""
    words = told[match.end() :] if (match := _LINE.match(told)) else told
    return _ASIDE.sub("", words)


def blind_answer(scene: Scene | None, question: str) -> str:
    """What stands behind a question that only a picture answers, where there is none.

    Behind it, since the words before it have been read while they were spoken.
    """
    if scene is not None or not _ABOUT_HERE.search(question):
        return ""
    answer = _BLIND_IN_CHINESE if _CHINESE.search(question) else _BLIND
    return f"\n[Camera: no picture. Answer: {answer}]"


def camera_line(scene: Scene | None, question: str) -> str:
    """With its line break; empty where there is nothing to say.

    A scene without facts is one that the brain sees for itself.
    """
    if scene is None and not is_about_sight(question):
        return ""
    if scene is None:
        return "" if _ABOUT_HERE.search(question) else "[Camera: no picture]\n"
    if not (facts := scene.facts):
        return ""
    read = [found[2] for fact in facts if (found := _WRITTEN.match(fact))]
    line = "; ".join(_WRITTEN.sub(r"\1", fact) for fact in facts)
    if _ABOUT_CHANGE.search(question) and "since the last look" not in line:
        line += "; nothing is known to have changed since the last look"
    if read:
        line += f". Question: can you read it? Answer: It says: {' '.join(read)}"
    elif _ABOUT_READING.search(question):
        line += ". Question: can you read it? Answer: I see no text."
    return f"[Camera: {line}]\n"
