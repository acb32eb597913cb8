"""Pure: written text as a person would read it aloud.

Mark-up, emoji and symbols go, addresses are spelled out; then the language's own module reads
numbers, money, dates, times and units. Text with nothing speakable in it comes back empty. Works on
any piece of a longer text: half a link and an unclosed emphasis are cleaned as well.
"""

# ruff: noqa: RUF001 - signs that look alike are told apart here
from __future__ import annotations

import re
import unicodedata

from assistant.tts import spoken_chinese, spoken_english

_READERS = {"en": spoken_english.read, "zh": spoken_chinese.read}
_SCRIPTS = {"en": ("LATIN", "GREEK"), "zh": ("LATIN", "GREEK", "CJK")}
"""Letters that a language's voice can name; it would spell others out, sign by sign."""

_HALF_WIDTH = {
    code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，。！？；：（）～"
}
_SYMBOLS = {"℃": "°C", "℉": "°F", "№": "No.", "≈": "~", "’": "'", "‘": "'", "\u00a0": " "}
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": " ", "&quot;": '"', "&#39;": "'"}

_GAP = re.compile(r"[^\S\n]+")
_MARK_UP = tuple(
    (re.compile(pattern, re.MULTILINE | re.DOTALL), spoken)
    for pattern, spoken in [
        (r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", "\n"),  # code blocks
        (r"<!--.*?-->|</?[a-zA-Z][^<>\n]*>", " "),  # HTML
        (r"^ *\|? *:?-{2,}[-:| \t]*$", ""),  # below a table's head
        (r"^ *\| *(.*?) *\|? *$", r"\1"),
        (r" *\| *", ", "),
        (r"^ *(?:[-*_=] *){3,}$", ""),  # rules
        (r"^ *(?:> *)+", ""),  # quotations
        (r"^ *(?:#{1,6}|[-*+•]) +(?:\[[ xX]\] +)?", ""),  # headings, lists
        (r"^( *\d{1,3})[.)] +", r"\1, "),
        (r"!?\[([^\]]*)\]\([^)]*\)?", r"\1"),  # links and pictures
        (r"\]\([^)\s]*\)?", ""),
        (r"(?<!\d)(?<!\d )\*+|\*+(?! ?\d)", ""),  # emphasis, but not 2 * 3
        (r"~~|`+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)", ""),
        (r"(?<=\w)_+(?=\w)", " "),
    ]
)
_EMAIL = re.compile(r"(?:mailto:)?\b([\w.+-]+)@((?:[\w-]+\.)+[\w-]+)", re.ASCII)
_URL = re.compile(
    r"(?:\bhttps?://(?:www\.)?|\bwww\.)([\w-]+(?:\.[\w-]+)*)(?:[:/?#][^\s，。！？]*\w/?)?", re.ASCII
)
_DOMAIN = re.compile(
    r"\b((?:[\w-]+\.)+(?:com|org|net|io|dev|edu|gov|cn|uk|eu|de|ai|app))\b(?:/[\w./-]*\w)?",
    re.ASCII | re.IGNORECASE,
)
_PUNCTUATION = tuple(
    (re.compile(pattern), spoken)
    for pattern, spoken in [
        (r"[，、]", ", "),
        (r"；", "; "),
        (r"：", ": "),
        (r"。", ". "),
        (r"！", "! "),
        (r"？", "? "),
        (r"[\[\]{}<>|\\^=#~*@\"“”«»『』「」《》〈〉【】]", " "),
        (r"[()（）]|\s[-–]+\s|—+|…|\.{2,}|\s/\s", ", "),
        (r"(?<=\w) *\n\s*(?=\w)", ". "),
        (r"\s+", " "),
        (r"(?:(?<=\s)|^)[^\w\s.,;:!?°%$€£¥-]+(?=\s|$)", ""),  # marks that stand alone
        (r"[\s,;:]+(?=[.,;:!?])", ""),
        (r"(?<=[.!?;:])\s*,", ""),
        (r"([.!?])[.]+", r"\1"),
        (r"^[\s.,;:!?)-]+", ""),
    ]
)


def spoken_text(text: str, language: str) -> str:
    """`language`: two letters. Other voices than English and Chinese read numbers themselves."""
    text = unicodedata.normalize("NFC", text).translate(_HALF_WIDTH)
    for written, plain in (_SYMBOLS | _ENTITIES).items():
        text = text.replace(written, plain)
    text = _GAP.sub(" ", text)
    for pattern, spoken in _MARK_UP:
        text = pattern.sub(spoken, text)
    text = _spell_addresses(text, "点" if language == "zh" else " dot ")
    text = "".join(c for c in text if _is_readable(c, language))
    if (read := _READERS.get(language)) is not None:
        text = read(text)
    for pattern, spoken in _PUNCTUATION:
        text = pattern.sub(spoken, text)
    text = text.strip()
    return text if any(c.isalnum() for c in text) else ""


def _spell_addresses(text: str, dot: str) -> str:
    """A mail address whole; of a web address only the host, which is what people say."""

    def spell(address: str) -> str:
        return address.replace(".", dot).replace("_", " underscore ").replace("-", " dash ")

    text = _EMAIL.sub(lambda m: f"{spell(m[1]).replace('+', ' plus ')} at {spell(m[2])}", text)
    text = _URL.sub(lambda m: spell(m[1]), text)
    return _DOMAIN.sub(lambda m: spell(m[1]), text)


def _is_readable(character: str, language: str) -> bool:
    """Not a control character, a picture, or a letter that the language's voice cannot name."""
    category = unicodedata.category(character)
    if category[0] == "C":
        return character in "\t\n"
    if category in ("So", "Sk", "Me", "Mn"):
        return character in "°^`" or (category == "Mn" and language not in _SCRIPTS)
    if category[0] == "L" and character > "\u007f" and language in _SCRIPTS:
        return unicodedata.name(character, "").startswith(_SCRIPTS[language])
    return True
