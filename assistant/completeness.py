"""Pure: do these words sound like a whole turn, whatever the melody says?

The turn-end model hears only how something is said. It takes a brisk "I want to" for complete
(0.68) and a plain "Stop." for unfinished (0.04); the words know better.
"""

from __future__ import annotations

import re


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WHOLE = _set("""
    yes no yeah yep nope okay ok sure correct thanks goodbye bye
    是 是的 不 不是 对 好 好的 谢谢 再见
""") | {"thank you", "never mind"}
"""Answers that are whole turns."""

_LEADING_ON = _set("""
    a an the my your our their and or but because if whether although while than
    i'm i'd i'll we we're you're they're it's what's where's um uh er erm hmm
""")
"""Words that end no sentence."""

_LEADING_ON_UNLESS_ASKED = _set("i to of from with into")
"""As in "Who is it from?"."""

_LEADING_ON_CJK = re.compile(
    r"(?:和|跟|因为|但是|可是|然后|如果|所以|还有|嗯|呃|那个|就是|我想|我要|请你)$"
)

_NUMBERS = _set("zero oh one two three four five six seven eight nine")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)?|[〇零一二三四五六七八九幺]+")

_PUNCTUATION = re.compile(r"(?<!\d)[.:]|[.:](?!\d)|[^\w\s'.:]")


def sounds_complete(text: str) -> bool | None:
    """True: a whole turn. False: more will follow. None: the words do not tell."""
    words = _PUNCTUATION.sub(" ", text.casefold()).split()
    if not words:
        return None
    if " ".join(words) in _WHOLE:
        return True
    if text.rstrip().endswith(("...", "…", ",", "，", "、", ":", "-")):
        return False
    if words[-1] in _LEADING_ON or _LEADING_ON_CJK.search(words[-1]):
        return False
    if text.rstrip().endswith(("?", "？")):
        return None
    leads_on = words[-1] in _LEADING_ON_UNLESS_ASKED or _is_being_counted_out(words)
    return False if leads_on else None


def _is_being_counted_out(words: list[str]) -> bool:
    """Digits and nothing else, or two groups of them at the end: a telephone number, a code."""
    are_numbers = [word in _NUMBERS or bool(_NUMBER.fullmatch(word)) for word in words]
    return all(are_numbers) or (len(words) > 2 and all(are_numbers[-2:]))
