"""The questions that benchmarks ask: tables in data/, tabs between the columns."""

from __future__ import annotations

from importlib.resources import files

HELD_OUT = "held out"
"""Of questions: written without a look at how they do, and never used to make them do better."""


def table(name: str) -> list[list[str]]:
    """The rows of data/NAME.tsv."""
    return [line.split("\t") for line in data(f"{name}.tsv").splitlines()]


def data(name: str) -> str:
    return (files("assistant.bench") / "data" / name).read_text(encoding="utf-8")
