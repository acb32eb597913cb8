"""Pure: which tier answers a question, and why.

Rules on words, in English and Chinese, claim what surely needs thought, and can say why; of the
rest it is asked whether it is like what people marked as hard. `assistant bench answers` measures
that on questions which neither was made with.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from assistant.tools import RESPONSE_BEGINS


class Tier(StrEnum):
    FAST = "fast"
    STRONG = "strong"


class Reason(StrEnum):
    """Why a tier answers; the page has a sentence for each."""

    ASKED = "asked"
    REASONS = "reasons"
    COMPARISON = "comparison"
    WRITING = "writing"
    CODE = "code"
    PUZZLE = "puzzle"
    ADVICE = "advice"
    OPEN = "open"
    LONG = "long"
    PICTURE = "picture"
    RESULT = "result"
    SHORT = "short"
    INSTEAD = "instead"
    """The one that was chosen could not answer."""


@dataclass(frozen=True, slots=True)
class Route:
    tier: Tier
    reason: Reason


_LONG_WORDS = 24
"""A Chinese character counts as two thirds of a word."""

_SHORT_WORDS = 3
"""So few words lean on what was said before, or want little."""


def _any(*alternatives: str) -> re.Pattern[str]:
    """English at the beginning of a word; Chinese, which has no words to begin, anywhere."""
    english = "|".join(each for each in alternatives if each.isascii())
    chinese = "|".join(each for each in alternatives if not each.isascii())
    return re.compile(rf"\b(?:{english})" + (chinese and f"|{chinese}"), re.IGNORECASE)


_ASKED = _any(
    r"think (?:about it|it (?:through|over)|hard|carefully|again|this through)",
    r"take your time|in (?:great |more )?(?:detail|depth)\b",
    r"(?:use|ask) (?:the|your) (?:strong|big|better|smart)\w* (?:model|brain)",
    r"仔细|好好想|认真想|想清楚|慢慢想|深入|详细|动动脑",
)
_CODE = _any(
    r"(?:python|javascript|typescript|rust|java|sql|regex)\b.{0,40}(?:function|script|query|code)",
    r"refactor|debug|stack ?trace|traceback|compile error",
    r"(?:this|my) (?:code|loop|function|class|script)\b",
    r"代码|函数|编程|死循环|报错|重构|调试",
)
_COMPARISON = _any(
    r"compare|comparison|versus\b|pros and cons|advantages|disadvantages|differences? between",
    r"(?:for|arguments) and against|argument (?:for|against)|(?:alike|differ)\b",
    r"which (?:one |of \w+ |\w+ )*is (?:better|best)\b",
    r"should (?:i|we) \w+ (?:\w+ ){0,3}or\b",
    r"比较|优缺点|好处和坏处|利弊|区别|哪[个一]份?.{0,8}更|还是.{1,12}好",
)
_WRITING = _any(
    r"(?:write|draft|compose|outline|summari[sz]e|rewrite|plan|design|translate this)\b",
    r"brainstorm|essay\b|speech for|(?:bedtime )?stor(?:y|ies) about",
    r"give me (?:a plan|an outline|\w+ ideas)",
    r"(?:come up with|make|invent|find) (?:me )?(?:a|an|some) (?:\w+ )*"
    r"(?:name|slogan|song|poem|rhyme|recipe|schedule|title)",
    r"写一|帮我写|起草|总结|制定|设计|计划|讲一个.{0,10}故事|作文|改写|润色",
    r"翻译(?:这|下面)|[起想取写编].{0,3}[个句段首篇]",
)
_ADVICE = _any(
    r"advice|advise|recommend|help me\b|suggest|teach me|convince|persuade",
    r"(?:what|how) (?:would|should|can|could) (?:you|i|we)\b ?(?!say|spell)\w+ (?:\w+ ?){2,}",
    r"tell me (?:everything|all|more|about)|what do you think|your opinion|any ideas",
    r"really\b.*\b(?:best|worth|good)",
    r"建议|推荐|拿个主意|教我|说服|该怎么|你觉得|你认为|怎么看|帮我想|介绍一下|讲讲",
)
_REASONS = _any(
    r"explain|analy[sz]e|prove\b|reason(?:ing|s)\b|walk me through|step by step|justify",
    r"why (?:is|are|was|were|do|does|did|has|have|can|would|should|won|my|the)(?:n't|'t|t)?\b",
    r"and why\b|how come|what would\b|consequences|effects? of|implications|influence",
    r"describe (?:how|what|in)|flaw in|what makes",
    r"how (?:does|do|did|can|could|should|would) (?!you (?:spell|say)|i (?:say|spell))(?:\w+ )+\w+",
    r"为什么.{4,}|解释|原理|后果|道理|分析|证明|一步一步|怎么.{4,}的|怎样|如何",
    r"会怎么样|会发生什么|影响|原因|说明|该怎么办",
)
_PUZZLE = _any(
    r"how (?:much|many) .{0,40}\b(?:left|need|altogether|each)\b|if .{5,}\bhow\b",
    r"work out|puzzle|riddle|figure out|calculate how|solve\b|suppose|end up with",
    r"还剩|一共.{0,6}多少|需要多少|推理|谜|方程|有多少.?$|假设|算一算",
)
_NUMBER = _any(
    r"\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty",
    r"sixty|seventy|eighty|ninety|hundred|thousand|half|third|quarter",
    r"[一二两三四五六七八九十百千半]",
)
_PICTURE = _any(
    r"trend|what could be behind|what is wrong with|how (?:do|would) i (?:fix|repair)",
    r"趋势|可能的原因|怎么修|哪里不对",
)
_RULES = (
    (_CODE, Reason.CODE),
    (_COMPARISON, Reason.COMPARISON),
    (_WRITING, Reason.WRITING),
    (_ADVICE, Reason.ADVICE),
    (_REASONS, Reason.REASONS),
)
"""In the order in which they explain a choice best."""

_LOOKS = _any(
    r"(?:see|look|show\w*|picture|photo|screen|holding|wearing|colou?r|camera|in front)\b",
    r"看|拿|颜色|图|照片|屏幕|摄像头",
)


def route(
    question: str, *, has_picture: bool = False, is_hard: Callable[[str], bool] = lambda _: False
) -> Route:
    """`question`: the person's last words, or a tool's result, as the prompt has them.

    `has_picture`: the strong tier can look at what is shown. `is_hard`: asked about what no rule
    claims.
    """
    if RESPONSE_BEGINS in question:
        return Route(Tier.FAST, Reason.RESULT)
    if _ASKED.search(question):
        return Route(Tier.STRONG, Reason.ASKED)
    if _PICTURE.search(question) or (has_picture and _LOOKS.search(question)):
        return Route(Tier.STRONG, Reason.PICTURE)
    for rule, reason in _RULES:
        if rule.search(question):
            return Route(Tier.STRONG, reason)
    length = _words(question)
    if length <= _SHORT_WORDS:
        return Route(Tier.FAST, Reason.SHORT)
    if _PUZZLE.search(question) and len(_NUMBER.findall(question)) > 1:
        return Route(Tier.STRONG, Reason.PUZZLE)
    if length > _LONG_WORDS:
        return Route(Tier.STRONG, Reason.LONG)
    if is_hard(question):
        return Route(Tier.STRONG, Reason.OPEN)
    return Route(Tier.FAST, Reason.SHORT)


def _words(text: str) -> float:
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in text)
    latin = len(re.findall(r"[^\W\u4e00-\u9fff]+(?:['’][^\W]+)?", text))
    return latin + chinese * 2 / 3
