"""Whatever is written on the page can be read: WCAG 2.2, success criterion 1.4.3."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "client_web"
SHEETS = [
    sheet.read_text()
    for folder in ("styles", "dashboard")
    for sheet in PAGE.glob(f"{folder}/*.css")
]
LIGHT, DARK = ((PAGE / "styles/theme.css").read_text()).split("prefers-color-scheme: dark")
ENOUGH = 4.5
PAPERS = ("paper", "raised", "sunken")
OWN_PAPERS = {"on-accent": ("accent",), "paper": ("ink",)}
"""Of the colours that are only written with on something else."""

WASHES = {"accent": "accent-wash", "wrong": "wrong-wash"}


def values(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", css))


SCHEMES = {"light": values(LIGHT), "dark": values(LIGHT) | values(DARK)}
TEXT_COLOURS = {
    name for sheet in SHEETS for name in re.findall(r"(?<![-\w])color: var\(--([\w-]+)\)", sheet)
}


def luminance(colour: str) -> float:
    """Relative luminance, 0 to 1, of #rrggbb."""
    shares = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_as_the_standard_has_it() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_colour_of_text_stands_out_from_what_it_is_written_on(scheme: str) -> None:
    colours = SCHEMES[scheme]
    assert {"ink", "soft", "faint", "accent", "wrong", "slow"} <= TEXT_COLOURS
    faint = [
        f"{text} on {paper}"
        for text in sorted(TEXT_COLOURS)
        for paper in (*OWN_PAPERS.get(text, PAPERS), *filter(None, [WASHES.get(text)]))
        if contrast(colours[text], colours[paper]) < ENOUGH
    ]
    assert faint == []
