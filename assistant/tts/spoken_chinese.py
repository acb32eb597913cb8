"""Pure: numbers, dates, money and units in Chinese, as a person would say them.

As in English, rules run from the most particular to the most general. Number words are Unicode's
own (CLDR, by unicode-rbnf); 两, 幺 and 零 are put where speakers put them.
"""

# ruff: noqa: RUF001 - signs that look alike are told apart here
from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from unicode_rbnf import RbnfEngine

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_START = r"(?<![\d.,A-Za-z])"
_SIGN = r"(?P<sign>(?:(?<![\dA-Za-z-])[-−+±])?)"
_QUANTITY = rf"{_START}{_SIGN}(?:(?P<low>{_NUMBER})\s?[-–~～至]\s?)?(?P<number>{_NUMBER})"
_SIGNS = {"": "", "-": "负", "−": "负", "+": "正", "±": "正负"}
_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))

_CURRENCIES = {"¥": "元", "￥": "元", "$": "美元", "€": "欧元", "£": "英镑"}
_UNITS = {
    "km/h": "公里每小时", "m/s": "米每秒", "km²": "平方公里", "m²": "平方米", "㎡": "平方米",
    "m³": "立方米", "km": "公里", "cm": "厘米", "mm": "毫米", "m": "米", "kg": "公斤", "g": "克",
    "mg": "毫克", "ml": "毫升", "mL": "毫升", "L": "升", "ms": "毫秒", "s": "秒", "min": "分钟",
    "h": "小时", "W": "瓦", "kW": "千瓦", "kWh": "千瓦时", "V": "伏", "Hz": "赫兹", "kHz": "千赫",
    "MHz": "兆赫", "GHz": "吉赫", "dB": "分贝",
}  # fmt: skip
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_COUNTED = (
    "个只条本张件位名次天年块元瓶杯碗口家所台辆部把双对套种份层间棵朵首门座岁倍"
    "米克升斤吨秒小分公毫平千万亿点"
)
"""What follows 两, not 二."""


def read(text: str) -> str:
    """`text` with every number and unit in words."""
    for pattern, spoken in _RULES:
        text = pattern.sub(spoken, text)
    return text


@cache
def _engine() -> RbnfEngine:
    return RbnfEngine.for_language("zh")


def _digits(text: str, *, one: str = "一") -> str:
    return "".join(_DIGITS[digit] for digit in text if digit.isdigit()).replace("一", one)


def _cardinal(number: str) -> str:
    """1,234.50 is 一千二百三十四点五零."""
    whole, _, decimals = number.replace(",", "").partition(".")
    if len(whole) > 12 or (len(whole) > 1 and whole[0] == "0"):
        said = _digits(whole)
    else:
        said = _engine().format_number(whole).text.replace("〇", "零")
    return f"{said}点{_digits(decimals)}" if decimals else said


def _quantity(match: re.Match[str]) -> str:
    low = f"{_cardinal(match['low'])}到" if match["low"] else ""
    return _SIGNS[match["sign"]] + low + _cardinal(match["number"])


def _counted(match: re.Match[str]) -> str:
    """2个 is 两个, but 12个 is 十二个."""
    said = _quantity(match)
    return said[:-1] + "两" if match["number"] == "2" else said


def _say_date(match: re.Match[str]) -> str:
    month, day = int(match["m"]), int(match["d"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match[0]
    return f"{_digits(match['y'])}年{_cardinal(str(month))}月{_cardinal(str(day))}日"


def _say_time(match: re.Match[str]) -> str:
    hour, minute, second = (int(part) if part else 0 for part in match.group("h", "min", "sec"))
    if hour > 24 or minute > 59 or second > 59:
        return match[0]
    said = "两点" if hour == 2 else f"{_cardinal(str(hour))}点"
    if minute:
        said += f"{'零' if minute < 10 else ''}{_cardinal(str(minute))}分"
    return said + (f"{_cardinal(str(second))}秒" if second else "")


def _say_money(match: re.Match[str]) -> str:
    number = match["number"]
    said = _cardinal(number.rstrip("0").rstrip(".") if "." in number else number)
    low = f"{_cardinal(match['low'])}到" if match["low"] else ""
    if number == "2" and not low:
        said = "两"
    return (
        f"{_SIGNS[match['sign']]}{low}{said}{match['scale'] or ''}{_CURRENCIES[match['currency']]}"
    )


def _say_degrees(match: re.Match[str]) -> str:
    """Below zero a Chinese thermometer shows 零下."""
    said = re.sub("^负", "零下", _quantity(match))
    return said + {"°C": "摄氏度", "°F": "华氏度"}.get(match["unit"], "度")


def _say_phone(match: re.Match[str]) -> str:
    return "，".join(_digits(group, one="幺") for group in re.findall(r"\d+", match[0]))


_PATTERNS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    # Things that only look like numbers
    (r"(?<!\d)(?:\+?86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?!\d)", _say_phone),
    (r"(?<!\d)0\d{2,3}-\d{7,8}(?!\d)|(?<!\d)[48]00-\d{3}-?\d{4}(?!\d)", _say_phone),
    (r"(?<!\d)(?:110|119|120|122|10086|10010|12315)(?!\d)(?=报警|急救|热线|电话|[，。！]|$)",
     _say_phone),
    (r"(?<=电话)[是为：:号码 ]*\d{3,12}|(?<=拨打)\d{3,12}|(?<=号码)[是为：: ]*\d{3,18}",
     lambda m: re.sub(r"\d+", _say_phone, m[0])),
    (r"(?<=邮编)[是为：: ]*\d{6}|(?<=邮政编码)[是为：: ]*\d{6}",
     lambda m: re.sub(r"\d+", lambda d: _digits(d[0]), m[0])),
    (r"(?<![\d.])\d+(?:\.\d+){2,}", lambda m: "点".join(_digits(p) for p in m[0].split("."))),
    # Dates and times
    (r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)", _say_date),
    (r"(?<!\d)(\d{4})\s?[-–~～至]\s?(\d{4})(?=年)",
     lambda m: f"{_digits(m[1])}到{_digits(m[2])}"),
    (r"(?<!\d)(\d{4})(?=年)", lambda m: _digits(m[1])),
    (r"(?<!\d)(\d0)(?=年代)", lambda m: _cardinal(m[1])),
    (r"(?<![\d:：])(?P<h>\d{1,2})[:：](?P<min>\d{2})(?:[:：](?P<sec>\d{2}))?(?![\d:：])",
     _say_time),
    (r"(?<=点)\s*[-–~～]\s*(?=[零一二两三四五六七八九十])", "到"),
    (r"(?<![\d:：])(\d{1,3})[:：](\d{1,3})(?![\d:：])",
     lambda m: f"{_cardinal(m[1])}比{_cardinal(m[2])}"),
    # Quantities
    (rf"(?P<sign>-?)(?P<currency>[¥￥$€£])\s?(?:(?P<low>{_NUMBER})\s?[-–~～]\s?)?"
     rf"(?P<number>{_NUMBER})(?P<scale>[万亿千百]*)(?:元)?", _say_money),
    (rf"{_QUANTITY}\s?[%％]", lambda m: "百分之" + _quantity(m).replace("到", "到百分之")),
    (r"(?<=[零一二三四五六七八九十百千])\s?[-–~～至]\s?(?=百分之)", "到"),
    (rf"{_QUANTITY}\s?(?P<unit>°[CF]?|度)", _say_degrees),
    (rf"{_QUANTITY}\s?(?P<unit>{_UNIT})(?![A-Za-z²³/])",
     lambda m: _counted(m) + _UNITS[m["unit"]]),
    (r"(?<![\d/])(\d{1,3})/(\d{1,3})(?![\d/])",
     lambda m: f"{_cardinal(m[2])}分之{_cardinal(m[1])}"),
    (rf"(?<!第){_QUANTITY}(?=[{_COUNTED}])", _counted),
    # Sums
    (r"(?<=\d)\s*[×*]\s*(?=\d)", "乘"),
    (r"(?<=\d)\s*÷\s*(?=\d)", "除以"),
    (r"(?<=\d)\s*\+\s*(?=\d)", "加"),
    (r"(?<=\d)\s*=\s*(?=[-−\d])", "等于"),
    (r"(?<=\d)\s+[-−]\s+(?=\d)", "减"),
    # Numbers by themselves; those inside names such as GPT-4 lose only the hyphen
    (rf"(?<=[A-Za-z])-?({_NUMBER})", lambda m: " " + _cardinal(m[1])),
    (rf"{_QUANTITY}", _quantity),
    (rf"({_NUMBER})", lambda m: _cardinal(m[1])),
]  # fmt: skip
_RULES = [(re.compile(pattern), spoken) for pattern, spoken in _PATTERNS]
