"""Pure: what came, went and moved between two scenes, in words."""

from __future__ import annotations

from assistant.types import Scene, Sighting

_SURE = 0.6
"""From here on a thing is there. Below, it only keeps what was there from being gone."""

_MOVED = 0.15
"""Share of the picture's width or height; detectors are unsure of less."""

Things = tuple[Sighting, ...]


def changes(before: Scene | None, now: Scene) -> tuple[str, ...]:
    """One fact, or none when nothing is known to have changed."""
    if before is None:
        return ()
    told = [
        *(f"{_with_article(label)} has come" for label in _gained(now.things, before.things)),
        *(f"{_with_article(label)} has gone" for label in _gained(before.things, now.things)),
        *_moves(before.things, now.things),
    ]
    return (f"since the last look {', '.join(told)}",) if told else ()


def _gained(here: Things, there: Things) -> list[str]:
    """The labels that are surely more often here than there."""
    return [
        label
        for label in dict.fromkeys(thing.label for thing in here)
        if sum(thing.label == label and thing.confidence >= _SURE for thing in here)
        > sum(thing.label == label for thing in there)
    ]


def _moves(before: Things, now: Things) -> list[str]:
    """Of things that there is one of."""
    old, new = _single(before), _single(now)
    told = []
    for label in sorted(old.keys() & new.keys()):
        x, y = new[label].x - old[label].x, new[label].y - old[label].y
        sideways, upright = "right" if x > 0 else "left", "down" if y > 0 else "up"
        if max(abs(x), abs(y)) >= _MOVED:
            told.append(f"the {label} has moved {sideways if abs(x) >= abs(y) else upright}")
    return told


def _single(things: Things) -> dict[str, Sighting]:
    """The things that nothing else has the same name as."""
    labels = [thing.label for thing in things]
    return {
        thing.label: thing
        for thing in things
        if labels.count(thing.label) == 1 and thing.confidence >= _SURE
    }


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"
