"""What was seen, in words that a small language model can answer from. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.vision.exposure import Focus, Light
from assistant.vision.objects import Box
from assistant.vision.subject import Guess
from assistant.vision.text import Line, joined

MAX_TEXT_CHARACTERS = 400
_MAX_THINGS = 6
_SURE = 0.6
"""Confidence below which a thing is told with "perhaps"."""

_FILLS = 0.75
"""Share of the picture from which a thing fills it."""

_MIN_LINE_CONFIDENCE = 0.8
"""Grain and foliage that pass for a line of text read with up to 0.75."""

_SURE_LINE = 0.9
_MANY_LINES = 3
"""With so many that cannot be read, there is text for certain, and it is worth telling."""

_PAGE_CHARACTERS = 80
"""From here on it is no sign and no label."""

_MOSTLY = 0.7
"""Share of the picture from which a colour is that of most of it."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
_PLURALS = {
    "person": "people",
    "knife": "knives",
    "mouse": "mice",
    "sheep": "sheep",
    "pair of skis": "pairs of skis",
    "pair of scissors": "pairs of scissors",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """An object with its colours, when they are clear; of a person, the clothes'."""

    label: str
    confidence: float
    box: Box
    colours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Everything that was found in one picture."""

    light: Light = Light.ENOUGH
    focus: Focus = Focus.SHARP
    things: tuple[Thing, ...] = ()
    guesses: tuple[Guess, ...] = ()
    """What the whole picture may be of, the likeliest first."""

    lines: tuple[Line, ...] = ()
    """Of text, in reading order, the unreadable ones too."""

    colour_shares: dict[str, float]
    """Of the whole picture, most first."""

    middle_colour: str | None = None
    """When it stands out from the rest of the picture."""


def facts(seen: Seen) -> tuple[str, ...]:
    """Short phrases, the most useful first. What is not certain says so."""
    if seen.light is Light.BLACK:
        return ("the picture is black: the camera is covered or the room is dark",)
    sure = {thing.label for thing in seen.things if thing.confidence >= _SURE}
    held = _held_colour(seen)
    colours = _colours(seen.colour_shares)
    background = None if seen.things else _background(seen.colour_shares)
    text = _text(seen.lines, background)
    shown = [
        *_things(seen.things, held),
        *([f"something {held} in the middle"] if held else []),
        *text,
        *_subject(seen.guesses, seen.things, is_known=bool(sure - {"person"})),
    ]
    if not shown and seen.focus is Focus.PLAIN:
        return (f"{colours} and shows nothing else",)
    return (
        *(shown or ["nothing that was recognised"]),
        *([] if sure or (text and background) or seen.light is Light.DARK else [colours]),
        *(["the picture is dark"] if seen.light is Light.DARK else []),
        *(["the picture is blurred"] if seen.focus is Focus.BLURRED else []),
    )


def _held_colour(seen: Seen) -> str | None:
    """Of something that no detector knows and somebody holds before their clothes."""
    people = [thing for thing in seen.things if thing.label == "person"]
    is_clothes = any(person.colours == (seen.middle_colour,) for person in people)
    return seen.middle_colour if people and not is_clothes else None


def _things(things: Sequence[Thing], held: str | None) -> list[str]:
    """The surest first. Unsure ones do not add to the count of sure ones."""
    groups: dict[str, list[Thing]] = {}
    for thing in sorted(things, key=lambda thing: -thing.confidence):
        group = groups.setdefault(thing.label, [])
        if not group or thing.confidence >= _SURE or group[0].confidence < _SURE:
            group.append(thing)
    return [
        _one(group[0], held) if len(group) == 1 else _several(group)
        for group in list(groups.values())[:_MAX_THINGS]
    ]


def _one(thing: Thing, held: str | None) -> str:
    if thing.label == "person":
        clothes = " and ".join(colour for colour in thing.colours if colour != held)
        phrase = f"{_with_article(_sized(thing))} {_place(thing.box)}"
        phrase += f", perhaps dressed in {clothes}" if clothes else ""
    else:
        named = _sized(thing, " and ".join(thing.colours))
        phrase = f"{_with_article(named)} {_place(thing.box)}"
    return phrase if thing.confidence >= _SURE else f"perhaps {phrase}"


def _several(group: Sequence[Thing]) -> str:
    label, number = group[0].label, len(group)
    plural = _PLURALS.get(label, f"{label}es" if label.endswith(("s", "h")) else f"{label}s")
    places = list(dict.fromkeys(_place(thing.box) for thing in group))
    count = _NUMBERS[number] if number < len(_NUMBERS) else "many"
    each = len(places) == number
    where = f", {_listed(f'one {place}' for place in places)}" if each else f" {_listed(places)}"
    phrase = f"{count} {plural}{where}"
    return phrase if group[0].confidence >= _SURE else f"perhaps {phrase}"


def _sized(thing: Thing, colours: str = "") -> str:
    area = thing.box.area
    size = "large" if 0.3 <= area < _FILLS else "small" if area <= 0.03 else ""
    return " ".join(word for word in (size, colours, thing.label) if word)


def _place(box: Box) -> str:
    if box.area >= _FILLS:
        return "filling the picture"
    middle = (box.left + box.right) / 2
    return "on the left" if middle < 0.36 else "on the right" if middle > 0.64 else "in the middle"


def _text(lines: Sequence[Line], background: str | None) -> list[str]:
    readable = [line for line in lines if line.text and _is_readable(line)]
    if readable:
        text = joined((line.text for line in readable), max_characters=MAX_TEXT_CHARACTERS)
        is_sure = min(line.confidence for line in readable) >= _SURE_LINE
        is_page = len(text) >= _PAGE_CHARACTERS
        start = "a page with this text:" if is_page else "text that reads"
        if background:
            start = f"a {background} {'page' if is_page else 'sign'} with this text:"
        return [f'{"" if is_sure else "perhaps "}{start} "{text}"']
    return ["a page of text that is too unclear to read"] if len(lines) >= _MANY_LINES else []


def _is_readable(line: Line) -> bool:
    """One or two characters are often no writing at all."""
    return line.confidence >= (_SURE_LINE if len(line.text) <= 2 else _MIN_LINE_CONFIDENCE)


def _subject(guesses: Sequence[Guess], things: Sequence[Thing], *, is_known: bool) -> list[str]:
    """What the classifier makes of it, where the detector does not know better."""
    named = {word for thing in things for word in thing.label.split()}
    if not guesses or named & set(guesses[0].label.split()):
        return []
    best, second = guesses[0], guesses[1]
    if best.probability >= 0.8:
        return [f"it looks like {_with_article(best.label)}"]
    if is_known:
        return []
    if best.probability >= 0.3 and second.probability >= 0.2:
        if best.probability + second.probability >= 0.6:
            return [f"perhaps {_with_article(best.label)} or {_with_article(second.label)}"]
        return []
    return [f"perhaps {_with_article(best.label)}"] if best.probability >= 0.5 else []


def _background(shares: dict[str, float]) -> str | None:
    """The colour of nearly everything."""
    (first, share), *_ = shares.items()
    return first if share >= _MOSTLY else None


def _colours(shares: dict[str, float]) -> str:
    (first, share), *_ = shares.items()
    if share >= 0.95:
        return f"the whole picture is {first}"
    if share >= _MOSTLY:
        return f"most of the picture is {first}"
    main = [word for word, share in shares.items() if share >= 0.12] or [first]
    return f"the main {'colours are' if main[1:] else 'colour is'} {_listed(main[:3])}"


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _listed(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last
