"""Text as words, in languages that write spaces and in those that do not."""

from __future__ import annotations

import re
import zlib

_MAX_COMPRESSION = 2.4
"""Text that zlib shrinks by more than this repeats itself (Radford et al. 2022, section 4.5)."""

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_CJK_OR_ITS_PUNCTUATION = re.compile(f"[{_CJK}\u3000-\u303f\uff00-\uff65]")
_WORD = re.compile(rf"\s*(?:[{_CJK}][^\w\s]*|[^\s{_CJK}]+)")


def split_words(text: str) -> list[str]:
    """The words of `text`, each with the space before it: joined without anything, the text again.

    A Chinese or Japanese character is a word by itself; punctuation stays with the word before.
    """
    return _WORD.findall(text.strip())


def bare(word: str) -> str:
    """What two spellings of one word have in common: no case, no punctuation."""
    return re.sub(r"[\W_]", "", word).casefold()


def spliced(*parts: str) -> str:
    """What was said in parts, as one text: with spaces, where the language writes them."""
    text = ""
    for part in filter(None, parts):
        meets_cjk = text and (
            _CJK_OR_ITS_PUNCTUATION.match(text[-1]) or _CJK_OR_ITS_PUNCTUATION.match(part)
        )
        text += part if not text or meets_cjk else f" {part}"
    return text


def is_repetitive(text: str) -> bool:
    """Whether the same is written again and again, as nobody says it."""
    written = text.encode()
    return len(written) > _MAX_COMPRESSION * len(zlib.compress(written))
