"""Pure: arithmetic, and units into one another."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

_LONGEST = 200
_LARGEST_POWER = 1_000
_DIGITS = 6

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "log": math.log10,
    "ln": math.log,
    "abs": abs,
    "round": round,
}
_SIGNS = str.maketrans({"^": "**", "\u00d7": "*", "\u00f7": "/", ",": ""})
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|percent)\s*(?:of|\*)\s*", re.IGNORECASE)
_NAMES = {"pi": math.pi, "e": math.e}


def _kind(*lines: str) -> dict[str, float]:
    """Lines such as "1000: km, kilometer" as names with their factors."""
    factors = (line.partition(": ") for line in lines)
    return {name: float(factor) for factor, _, names in factors for name in names.split(", ")}


_KINDS = (
    _kind(
        "1: m, meter, metre, 米",
        "1000: km, kilometer, kilometre, 公里",
        "0.01: cm, centimeter, centimetre, 厘米",
        "0.001: mm, millimeter, millimetre, 毫米",
        "0.0254: in, inch, inche, 英寸",
        "0.3048: ft, foot, feet, 英尺",
        "0.9144: yd, yard, 码",
        "1609.344: mi, mile, 英里",
        "1852: nautical mile, 海里",
        "500: 里",
    ),
    _kind(
        "1: kg, kilogram, kilo, 公斤, 千克",
        "0.001: g, gram, 克",
        "0.000001: mg, milligram, 毫克",
        "1000: t, ton, tonne, 吨",
        "0.45359237: lb, pound, 磅",
        "0.028349523125: oz, ounce, 盎司",
        "6.35029318: stone",
        "0.5: 斤",
        "0.05: 两",
    ),
    _kind(
        "1: l, liter, litre, 升",
        "0.001: ml, milliliter, millilitre, 毫升",
        "3.785411784: gal, gallon, 加仑",
        "0.473176473: pint",
        "0.2365882365: cup, 杯",
        "0.01478676478125: tablespoon, tbsp",
        "0.00492892159375: teaspoon, tsp",
    ),
    _kind(
        "1: s, sec, second, 秒",
        "60: min, minute, 分钟",
        "3600: h, hour, 小时",
        "86400: day, 天",
        "604800: week, 周, 星期",
        "31557600: year, 年",
    ),
    _kind(
        "1: m/s, meters per second",
        "0.2777777777777778: km/h, kph, kilometers per hour, kilometres per hour",
        "0.44704: mph, miles per hour",
        "0.5144444444444445: knot, kn",
    ),
    _kind(
        "1: byte, b",
        "1000: kb, kilobyte",
        "1000000: mb, megabyte",
        "1000000000: gb, gigabyte",
        "1000000000000: tb, terabyte",
        "1048576: mib",
        "1073741824: gib",
    ),
    _kind("1: j, joule", "1000: kj", "4.184: cal", "4184: kcal, calorie", "3600000: kwh"),
)
_CELSIUS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("c", "°c", "celsius", "摄氏度", "degree celsius"), (1.0, 0.0)),
    **dict.fromkeys(("f", "°f", "fahrenheit", "华氏度", "degree fahrenheit"), (5 / 9, -160 / 9)),
    **dict.fromkeys(("k", "kelvin"), (1.0, -273.15)),
}
"""Degrees to Celsius: times the first, plus the second."""


def calculate(expression: str) -> str:
    """Work out arithmetic with the numbers that the person said: "15% of 80", "7 * (3 + 4)"."""
    text = _PERCENT.sub(r"(\1/100)*", expression.translate(_SIGNS))
    if len(text) > _LONGEST:
        raise ValueError("the expression is too long")
    try:
        return _told(_value(ast.parse(text.strip(), mode="eval").body))
    except (SyntaxError, KeyError, TypeError) as error:
        raise ValueError(f"{expression!r} is no arithmetic") from error
    except (ArithmeticError, RecursionError, MemoryError) as error:
        raise ValueError(f"{expression!r} has no result") from error


def convert(amount: float, from_unit: str, to_unit: str) -> str:
    """Convert an amount of one unit to another, such as 10 miles to kilometres."""
    source, target = _plain(from_unit), _plain(to_unit)
    if source in _CELSIUS and target in _CELSIUS:
        (scale, offset), (to_scale, to_offset) = _CELSIUS[source], _CELSIUS[target]
        return f"{_told((amount * scale + offset - to_offset) / to_scale)} {to_unit}"
    for kind in _KINDS:
        if source in kind and target in kind:
            return f"{_told(amount * kind[source] / kind[target])} {to_unit}"
    raise ValueError(f"{from_unit} cannot be converted to {to_unit}")


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            return _NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=sign, right=right):
            first, second = _value(left), _value(right)
            if isinstance(sign, ast.Pow) and (abs(second) > _LARGEST_POWER or abs(first) > 1e6):
                raise OverflowError
            return _BINARY[type(sign)](first, second)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]):
            return _FUNCTIONS[name](_value(argument))
    raise TypeError


def _told(value: float) -> str:
    """Six significant digits, and never an exponent that would be read aloud: nobody listens to
    more."""
    if isinstance(value, complex) or not math.isfinite(value):
        raise ArithmeticError
    if value == round(value) and abs(value) < 1e15:
        return str(round(value))
    decimals = _DIGITS - 1 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(decimals, 0)}f}".rstrip("0").rstrip(".")


def _plain(unit: str) -> str:
    known = {name for kind in _KINDS for name in kind} | set(_CELSIUS)
    plain = unit.strip().casefold()
    if plain in known:
        return plain
    singular = plain.replace("degrees", "degree")
    return singular if singular in known else singular.removesuffix("s")
