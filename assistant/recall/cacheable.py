"""Pure: whether a question can be answered with what was answered before, to anybody at any time.

What cannot is recognised by words. They err on the safe side: a question too many that goes to the
brain costs a second, one too few that does not is answered wrongly.
"""

from __future__ import annotations

import re

from assistant.camera_line import is_about_sight

_TIME = re.compile(
    r"\b(now|nowadays|today|tonight|tomorrow|yesterday|current(ly)?|latest|recent(ly)?|lately|still"
    r"|already|yet|weather|forecast|news|(the|what) (date|day)|the time|what time is it|(this|next"
    r"|last|past) (week|weekend|month|year|morning|afternoon|evening|night|time)|(hours?|minutes?"
    r"|days?) ago|timer|remind|so far|available|presidents?|prime ministers?|prices? of|score)\b"
    r"|现在|今天|今晚|明天|昨天|目前|最近|最新|刚刚|几点|几号|星期几|天气|新闻|今年|去年|明年",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(my|mine|myself|our|ours|we|us)\b|\b(am|was|did|have|had) I\b"
    r"|\bdo I (look|owe|like|know|weigh|live|work|sound|have\b(?! to))"
    r"|(?<!can )(?<!could )(?<!may )(?<!must )(?<!should )(?<!do )(?<!would )\bI(['’]\w+)?\b"
    r"|(?<!tell )(?<!give )(?<!show )\bme\b|我的|我是|我叫|我在|我们|我刚|我有|我现",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(this|that|these|those|he|she|they|him|her|his|hers|their|theirs|them|its|again|else|other"
    r"|another|instead|same|one|ones|earlier|before|previous|continue|go on|you (said|say|told|mean"
    r"|meant|just))\b|\bit\b(?! (possible|true|allowed|ok|okay)\b)|\bthere\W*$"
    r"|^\W*(and|or|but|so|then|also|because|what about|how about|why not|yes|no|okay|more)\b"
    r"|这|那|它|他|她|再|还有|呢|刚才|继续|另外|别的|上面",
    re.IGNORECASE,
)
_LEAST_WORDS, _LEAST_HAN = 3, 4

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+")


def leans_on_earlier(question: str) -> bool:
    """Whether it cannot be understood without what was said before."""
    return bool(_EARLIER.search(question))


def depends_on(question: str) -> str | None:
    """What the answer to it depends on beside its words; None where nothing is known of."""
    n_han = len(_HAN.findall(question))
    if n_han < _LEAST_HAN and len(_WORD.findall(question)) < _LEAST_WORDS:
        return "earlier turns"
    if is_about_sight(question):
        return "the picture"
    for what, words in (("the time", _TIME), ("the person", _PERSON), ("earlier turns", _EARLIER)):
        if words.search(question):
            return what
    return None
