"""Pure: numbers, dates, money and abbreviations in English, as a person would say them.

Rules run from the most particular to the most general; each leaves words behind, so that what one
has read no later one can misread. Number words are Unicode's own (CLDR, by unicode-rbnf).
"""

# ruff: noqa: RUF001 - signs that look alike are told apart here
from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from unicode_rbnf import FormatPurpose, RbnfEngine

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_START = r"(?<![\w.,])"
_QUANTITY = rf"{_START}(?P<sign>[-−+±~≈]?)(?:(?P<low>{_NUMBER})\s?[-–]\s?)?(?P<number>{_NUMBER})"
_SIGNS = {
    "": "",
    "-": "minus ",
    "−": "minus ",
    "+": "plus ",
    "±": "plus or minus ",
} | dict.fromkeys("~≈", "about ")

_MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
]  # fmt: skip
_MONTH = "(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" for m in _MONTHS) + r"|Sept)\b\.?"
_MONEY = {
    "$": ("dollar", "dollars", "cent", "cents"),
    "€": ("euro", "euros", "cent", "cents"),
    "£": ("pound", "pounds", "penny", "pence"),
    "¥": ("yen", "yen", "", ""),
    "₹": ("rupee", "rupees", "paisa", "paise"),
}
_SCALES = {"k": "thousand", "m": "million", "b": "billion", "bn": "billion", "t": "trillion"}
_UNITS = {
    "km/h": "kilometers per hour", "kph": "kilometers per hour", "mph": "miles per hour",
    "m/s": "meters per second", "km²": "square kilometers", "m²": "square meters",
    "m³": "cubic meters", "km": "kilometers", "cm": "centimeters", "mm": "millimeters",
    "m": "meters", "mi": "miles", "ft": "feet", "yd": "yards", "kg": "kilograms",
    "mg": "milligrams", "g": "grams", "lb": "pounds", "lbs": "pounds", "oz": "ounces",
    "ml": "milliliters", "mL": "milliliters", "l": "liters", "L": "liters",
    "kB": "kilobytes", "KB": "kilobytes",
    "MB": "megabytes", "GB": "gigabytes", "TB": "terabytes", "MB/s": "megabytes per second",
    "GB/s": "gigabytes per second", "Mbps": "megabits per second", "Hz": "hertz",
    "kHz": "kilohertz", "MHz": "megahertz", "GHz": "gigahertz", "W": "watts", "kW": "kilowatts",
    "kWh": "kilowatt hours", "V": "volts", "mAh": "milliamp hours", "dB": "decibels",
    "ms": "milliseconds", "sec": "seconds", "min": "minutes", "mins": "minutes", "h": "hours",
    "hr": "hours", "hrs": "hours", "px": "pixels", "fps": "frames per second",
}  # fmt: skip
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_FRACTIONS = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth", 10: "tenth"}
_VULGAR = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅛": "1/8"}

_ABBREVIATIONS = {
    "Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Dr": "Doctor", "Prof": "Professor",
    "Gen": "General", "Sen": "Senator", "Gov": "Governor", "Capt": "Captain", "Rev": "Reverend",
    "Mt": "Mount", "Jr": "Junior", "Sr": "Senior", "Inc": "Incorporated", "Ltd": "Limited",
    "Corp": "Corporation", "vs": "versus", "etc": "et cetera", "approx": "approximately",
    "dept": "department", "Dept": "Department", "Fig": "Figure", "fig": "figure", "Ave": "Avenue",
    "e.g": "for example", "i.e": "that is", "E.g": "For example", "I.e": "That is",
}  # fmt: skip
_ABBREVIATION = "|".join(re.escape(word) for word in _ABBREVIATIONS)


def read(text: str) -> str:
    """`text` with every number, unit and abbreviation in words."""
    for pattern, spoken in _RULES:
        text = pattern.sub(spoken, text)
    return text


@cache
def _engine() -> RbnfEngine:
    return RbnfEngine.for_language("en")


def _spell(number: str, purpose: FormatPurpose) -> str:
    return _engine().format_number(number, purpose).text.replace("-", " ")


def _digits(text: str) -> str:
    return " ".join(_spell(digit, FormatPurpose.CARDINAL) for digit in text if digit.isdigit())


def _cardinal(number: str) -> str:
    """ "1,234.50" is one thousand two hundred thirty four point five zero."""
    whole, _, decimals = number.replace(",", "").partition(".")
    if len(whole) > 12 or (len(whole) > 1 and whole[0] == "0"):
        said = _digits(whole)
    else:
        said = _spell(whole, FormatPurpose.CARDINAL)
    return f"{said} point {_digits(decimals)}" if decimals else said


def _ordinal(number: str) -> str:
    return _spell(number, FormatPurpose.ORDINAL)


def _year(number: str) -> str:
    return _spell(number, FormatPurpose.YEAR)


def _plain(number: str) -> str:
    """A number by itself: four digits without a comma are mostly a year."""
    return _year(number) if re.fullmatch(r"1[1-9]\d\d|20\d\d", number) else _cardinal(number)


def _quantity(match: re.Match[str], say: Callable[[str], str] = _cardinal) -> str:
    """What _QUANTITY matched, ranges included."""
    low, number = match["low"], match["number"]
    said = _SIGNS[match["sign"]] + (say(low) if low else say(number))
    if not low:
        return said
    rises = float(low.replace(",", "")) < float(number.replace(",", ""))
    return f"{said} {'to ' if rises else ''}{say(number)}"


def _is_one(match: re.Match[str]) -> bool:
    return match["number"] == "1" and not match["low"]


def _singular(unit: str) -> str:
    first, *rest = unit.split(" ")
    if first in ("square", "cubic"):
        return f"{first} {_singular(' '.join(rest))}"
    if rest and rest[0] == "hours":
        return f"{first} hour"
    first = {"feet": "foot", "hertz": "hertz"}.get(first, first.removesuffix("s"))
    return " ".join([first, *rest])


def _say_units(match: re.Match[str]) -> str:
    unit = _UNITS[match["unit"]]
    return f"{_quantity(match)} {_singular(unit) if _is_one(match) else unit}"


def _say_degrees(match: re.Match[str]) -> str:
    scale = {"C": " Celsius", "F": " Fahrenheit", "": ""}[match["scale"] or ""]
    return f"{_quantity(match)} degree{'' if _is_one(match) else 's'}{scale}"


def _say_money(match: re.Match[str]) -> str:
    one, many, cent, cents = _MONEY[match["currency"]]
    scale = match["scale"] and " " + _SCALES.get(match["scale"].lower(), match["scale"])
    if match["low"] or scale:
        return f"{_quantity(match)}{scale or ''} {many}"
    whole, _, part = match["number"].partition(".")
    if len(part) != 2 or not cent:
        return f"{_quantity(match)} {one if _is_one(match) else many}"
    sign, part = _SIGNS[match["sign"]], part.lstrip("0")
    said = (
        [f"{_cardinal(whole)} {one if whole == '1' else many}"] if whole != "0" or not part else []
    )
    if part:
        said.append(f"{_cardinal(part)} {cent if part == '1' else cents}")
    return sign + " and ".join(said)


def _month(text: str) -> str:
    return next(month for month in _MONTHS if month.startswith(text[:3]))


def _date(month: str, day: str, year: str | None) -> str:
    return f"{month} {_ordinal(day)}" + (f", {_year(year)}" if year else "")


def _say_numeric_date(match: re.Match[str]) -> str:
    month, day = int(match["m"]), int(match["d"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match[0]
    return _date(_MONTHS[month - 1], str(day), match["year"])


def _say_time(match: re.Match[str]) -> str:
    hour, minute, half = match["hour"], match["minute"], match["half"]
    suffix = f" {half.upper()}M" if half else ""
    said = _cardinal(str(int(hour)))
    if int(hour) > 24 or (minute and int(minute) > 59):
        return match[0]
    if minute == "00":
        return said + (suffix or (" o'clock" if 0 < int(hour) <= 12 else " hundred"))
    if minute:
        said += " oh " + _cardinal(minute[1]) if minute[0] == "0" else " " + _cardinal(minute)
    return said + suffix


def _say_phone(match: re.Match[str]) -> str:
    groups = re.findall(r"\d+", match[0])
    return ("plus " if match[0][0] == "+" else "") + ", ".join(_digits(group) for group in groups)


def _say_version(match: re.Match[str]) -> str:
    parts = match[0].split(".")
    if len(parts) == 4:  # an IP address
        return " dot ".join(_digits(part) for part in parts)
    return " point ".join(_cardinal(part) for part in parts)


def _say_fraction(match: re.Match[str]) -> str:
    top, bottom, whole = match["top"], int(match["bottom"]), match["whole"]
    name = _FRACTIONS.get(bottom)
    if name is None or int(top) >= bottom:
        said = f"{_cardinal(top)} {_cardinal(str(bottom))}"  # 24/7, 9/11
    elif top == "1":
        said = f"{'a' if whole else 'one'} {name}"
    else:
        said = f"{_cardinal(top)} {'halves' if bottom == 2 else name + 's'}"
    return f"{_cardinal(whole)} and {said}" if whole else said


def _say_decade(match: re.Match[str]) -> str:
    century, decade = match["century"] or "", match["decade"]
    if century == "20" and decade == "0":
        return "two thousands"
    said = _cardinal(decade + "0") if decade != "0" else "hundred" if century else "zero"
    plural = said[:-1] + "ies" if said.endswith("y") else said + "s"
    return f"{_cardinal(century)} {plural}" if century else plural


def _spaced(match: re.Match[str]) -> str:
    """U.S. to U S; a full stop stays where it may also end the sentence."""
    letters = " ".join(match[0].rstrip(".").split("."))
    return letters + ("." if match.end() == len(match.string.rstrip()) else "")


_ROMAN = {
    tens + ones: 10 * n_tens + n_ones
    for n_tens, tens in enumerate(["", "X", "XX", "XXX"])
    for n_ones, ones in enumerate(["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"])
    if tens or ones
}
_COUNTED = (
    "Wars?|Chapters?|Parts?|Acts?|Scenes?|Volumes?|Vol|Books?|Phases?|Types?|Class|Sections?|"
    "Appendix|Levels?|Stages?|Titles?|Articles?|Bowl|Factor|Grade|Mark|Tables?|Fig(?:ure)?s?"
)
"""What is numbered in Roman numerals; people, such as Louis XIV, are counted."""


def _say_counted(match: re.Match[str]) -> str:
    return f"{match[1]} {_cardinal(str(_ROMAN[match[2]]))}" if match[2] in _ROMAN else match[0]


def _say_namesake(match: re.Match[str]) -> str:
    return f"{match[1]} the {_ordinal(str(_ROMAN[match[2]]))}" if match[2] in _ROMAN else match[0]


def _say_power_of_ten(match: re.Match[str]) -> str:
    sign = "minus " if match[2][0] == "-" else ""
    power = sign + _cardinal(match[2].strip("+-"))
    return f"{_cardinal(match[1])} times ten to the power of {power}"


_PATTERNS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    *((f"(?<=\\d){sign}", f" {plain}") for sign, plain in _VULGAR.items()),
    *((sign, plain) for sign, plain in _VULGAR.items()),
    # Things that only look like numbers
    (r"\+\d{1,3}[ .-]?\(?\d{2,4}\)?(?:[ .-]\d{2,4}){1,4}\b", _say_phone),
    (r"(?:\b1[ -])?\(\d{3}\) ?\d{3}-\d{4}\b", _say_phone),
    (r"\b(?:1-)?\d{3}[-.]\d{3}[-.]\d{4}\b|\b\d{3}-\d{4}\b", _say_phone),
    (r"(?:(?<=\b[A-Z]{2} )|(?<=[Zz][Ii][Pp] code )|(?<=[Zz][Ii][Pp] )|(?<=code is ))"
     r"\d{5}(?:-\d{4})?\b", _say_phone),
    (r"\b\d{5}-\d{4}\b", _say_phone),
    (r"\b([A-Z]{1,2}\d[A-Z\d]?) ?(\d)([A-Z]{2})\b",
     lambda m: " ".join(_digits(c) if c.isdigit() else c for c in m[1] + m[2] + m[3])),
    (r"\bv(?=\d)", "version "),
    (r"(?<![\w.])\d+(?:\.\d+){2,}(?![\w])", _say_version),
    (r"(?<![\w.])(\d+(?:\.\d+)?)[eE]([-+]?\d{1,3})\b", _say_power_of_ten),
    (rf"\b({_COUNTED}) ([IVX]+)\b", _say_counted),
    (r"\b([A-Z][a-z]+) (?=X*[IV])([IVX]{2,})\b", _say_namesake),
    (r"(?<=\d) ?± ?(?=\d)", " plus or minus "),
    # Dates and times
    (r"\b(?P<year>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})\b", _say_numeric_date),
    (r"(?<![\d/])(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<year>\d{4})\b", _say_numeric_date),
    (rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:)(?:,? (?P<year>\d{{4}})\b)?",
     lambda m: _date(_month(m["month"]), m["day"], m["year"])),
    (rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH}(?:,? (?P<year>\d{{4}})\b)?",
     lambda m: f"{_ordinal(m['day'])} of {_month(m['month'])}"
               + (f", {_year(m['year'])}" if m["year"] else "")),
    (rf"\b{_MONTH} (?P<year>\d{{4}})\b", lambda m: f"{_month(m['month'])} {_year(m['year'])}"),
    (r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?![\d:])"
     r"(?:\s?(?P<half>[AaPp])\.?[Mm]\b(?:\.(?=\s*\S))?)?", _say_time),
    (r"(?<![\d:.])(?P<hour>\d{1,2})(?P<minute>)\s?(?P<half>[AaPp])\.?[Mm]\b(?:\.(?=\s*\S))?",
     _say_time),
    (r"(?<![\d:])(\d{1,3}):(\d{1,3})(?![\d:])",
     lambda m: f"{_cardinal(m[1])} to {_cardinal(m[2])}"),
    (r"(?<![\w.,])'?(?P<century>1\d|20)?(?P<decade>\d)0'?s\b", _say_decade),
    (r"\b(1[5-9]\d\d|20\d\d) ?[-–] ?(\d\d)\b(?![-–])",
     lambda m: f"{_year(m[1])} to {_cardinal(m[2])}"),
    # Quantities
    (r"(?<!\w)(?P<sign>-?)(?:US|U\.S\.)?(?P<currency>[$€£¥₹])\s?"
     rf"(?:(?P<low>{_NUMBER})\s?[-–]\s?[$€£¥₹]?)?(?P<number>{_NUMBER})"
     r"(?:\s?(?P<scale>thousand|million|billion|trillion|[kKmMbBtT]n?)\b)?",
     _say_money),
    (rf"{_QUANTITY}\s?(?P<currency>[€£])(?P<scale>)", _say_money),
    (rf"{_QUANTITY}\s?%", lambda m: _quantity(m) + " percent"),
    (rf"{_QUANTITY}\s?°\s?(?P<scale>[CF]?)(?!\w)", _say_degrees),
    (r"\b(\d)'\s?(\d{1,2})(?:\"|''|”)", lambda m: f"{_cardinal(m[1])} foot {_cardinal(m[2])}"),
    (rf"{_QUANTITY}\s?(?P<unit>{_UNIT})(?![\w²³/])", _say_units),
    (rf"{_QUANTITY}\s(?P<unit>s)\b", lambda m: _quantity(m) + " seconds"),
    (r"(?<![\w/.])(?:(?P<whole>\d+)\s)?(?P<top>\d{1,3})/(?P<bottom>\d{1,3})(?![\w/])",
     _say_fraction),
    (r"\b(\d+)(?:st|nd|rd|th)\b", lambda m: _ordinal(m[1])),
    (r"(?:\b[Nn]o\. ?|#)(?=\d)", "number "),
    # Sums
    (r"(?<=[\d²³)])\s*[×*]\s*(?=[\d(√π])|(?<=\d) ?x ?(?=\d)", " times "),
    (r"(?<=[\d²³)])\s*÷\s*(?=[\d(])", " divided by "),
    (r"(?<=[\w²³)])\s*=\s*(?=[\w(√π−-])", " equals "),
    (r"(?<=[\d²³)])\s*\+\s*(?=[\d(√π])", " plus "),
    (r"(?<=[\d²³)])\s+[-−]\s+(?=[\d(√π])", " minus "),
    (r"(?<=\d)\s*<\s*(?=\d)|(?<=\w)\s<\s(?=\w)", " is less than "),
    (r"(?<=\d)\s*>\s*(?=\d)|(?<=\w)\s>\s(?=\w)", " is greater than "),
    (r"(?<=\w)\s*(?:<=|≤)\s*(?=\w)", " is at most "),
    (r"(?<=\w)\s*(?:>=|≥)\s*(?=\w)", " is at least "),
    (r"(?<=\w)\s*(?:!=|≠)\s*(?=\w)", " is not equal to "),
    (r"√(?=\d)", "the square root of "),
    (r"(?<=\w)(?:²|\^2\b)", " squared"),
    (r"(?<=\w)(?:³|\^3\b)", " cubed"),
    (r"(?<=\d)\^(?=\d)", " to the power of "),
    # Numbers by themselves, but not those inside names such as MP3 or COVID-19
    (rf"{_QUANTITY}(?![\w]|[-.,]\d)", lambda m: _quantity(m, _plain)),
    # Words
    (rf"(?<![\w.])({_ABBREVIATION})\.(\s*$)?",
     lambda m: _ABBREVIATIONS[m[1]] + ("." if m[2] is not None else "")),
    (r"\bSt\.(?=\s[A-Z])", "Saint"),
    (r"\bSt\.", "Street"),
    (r"\b(?:[A-Za-z]\.){2,}", _spaced),
    (r"\b([A-Z])\.(?=\s?[A-Z][\w.])", r"\1"),
    (r"\s*&\s*", " and "),
    (r"(?<=\w) ?@ ?(?=\w)", " at "),
    (r"(?<=\w)\s+\+\s+(?=\w)", " plus "),
    (r"(?<=[A-Za-z])/(?=[A-Za-z])", " "),
]  # fmt: skip
_RULES = [(re.compile(pattern), spoken) for pattern, spoken in _PATTERNS]
