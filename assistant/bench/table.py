"""The questions that benchmarks ask: tables in data/, tabs between the columns."""

from __future__ import annotations

from importlib.resources import files


def table(name: str) -> list[list[str]]:
    """The rows of data/NAME.tsv."""
    text = (files("assistant.bench") / "data" / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]
