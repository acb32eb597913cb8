from __future__ import annotations

import pytest

from assistant.tts.spoken_english import read


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        # Numbers
        ("2 cats, 1,234 dogs", "two cats, one thousand two hundred thirty four dogs"),
        ("3.14 and 0.5", "three point one four and zero point five"),
        ("-5 or ±2", "minus five or plus or minus two"),
        ("007", "zero zero seven"),
        ("the 21st, 2nd and 12th", "the twenty first, second and twelfth"),
        ("1/2, 3/4, 2/3, 1½", "one half, three quarters, two thirds, one and a half"),
        ("24/7", "twenty four seven"),
        ("3-5 minutes", "three to five minutes"),
        ("#1, No. 5, page 12", "number one, number five, page twelve"),
        ("a 3:2 win", "a three to two win"),
        ("2+2=4", "two plus two equals four"),
        ("5 \u00d7 3 = 15", "five times three equals fifteen"),
        ("x² + y²", "x squared plus y squared"),
        ("version 3.11.7, v2.0", "version three point eleven point seven, version two point zero"),
        ("192.168.0.1", "one nine two dot one six eight dot zero dot one"),
        ("MP3, 4K, IPv6", "MP3, 4K, IPv6"),
        # Money
        ("$3.50", "three dollars and fifty cents"),
        ("$1, $0.99, $1.01", "one dollar, ninety nine cents, one dollar and one cent"),
        ("£20, €5.99", "twenty pounds, five euros and ninety nine cents"),
        ("$1,000,000 or $2.5 million", "one million dollars or two point five million dollars"),
        ("$5-10, $5k", "five to ten dollars, five thousand dollars"),
        ("5 €", "five euros"),
        # Dates
        ("in 1999 and 2025", "in nineteen ninety nine and twenty twenty five"),
        ("1905, 2000, 2007", "nineteen oh five, two thousand, two thousand seven"),
        ("the 1980s, the 90s", "the nineteen eighties, the nineties"),
        ("On March 3, 2025,", "On March third, twenty twenty five,"),
        ("25 December 2024", "twenty fifth of December, twenty twenty four"),
        ("Jan. 5", "January fifth"),
        ("2025-03-01", "March first, twenty twenty five"),
        ("12/25/2024", "December twenty fifth, twenty twenty four"),
        ("2024-2025", "twenty twenty four to twenty twenty five"),
        # Times
        ("10:30 pm", "ten thirty PM"),
        ("9 a.m. today", "nine AM today"),
        ("at 6 p.m.", "at six PM."),
        ("10:00, 10:05", "ten o'clock, ten oh five"),
        ("21:45", "twenty one forty five"),
        # Units
        ("5 km, 1 km", "five kilometers, one kilometer"),
        ("60 mph, 1 ft, 5'10\"", "sixty miles per hour, one foot, five foot ten"),
        (
            "20°C, -40°F, 90°",
            "twenty degrees Celsius, minus forty degrees Fahrenheit, ninety degrees",
        ),
        ("50%, 5-10%", "fifty percent, five to ten percent"),
        ("16 MB/s, 5 GHz", "sixteen megabytes per second, five gigahertz"),
        # Numbers that are spelled
        ("(555) 123-4567", "five five five, one two three, four five six seven"),
        (
            "+1 415-555-0100",
            "plus one, four one five, five five five, zero one zero zero",
        ),
        ("zip code 94103", "zip code nine four one zero three"),
        ("NY 10001", "NY one zero zero zero one"),
        ("SW1A 1AA", "S W one A one A A"),
        # Abbreviations
        ("Dr. Wu vs. Mrs. Li", "Doctor Wu versus Missus Li"),
        ("St. Louis, Main St.", "Saint Louis, Main Street"),
        ("in the U.S. today", "in the U S today"),
        ("e.g. this, i.e. that", "for example this, that is that"),
        ("AT&T", "AT and T"),
        ("he/she", "he she"),
    ],
)
def test_english_is_read_as_a_person_would(written: str, spoken: str) -> None:
    assert read(written) == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("Louis XIV", "Louis the fourteenth"),
        ("World War II", "World War two"),
        ("Chapter IV and Part X", "Chapter four and Part ten"),
        ("Mix XX", "Mix XX"),
        ("I did. Vitamin C.", "I did. Vitamin C."),
        ("1990–95", "nineteen ninety to ninety five"),
        ("12345-6789", "one two three four five, six seven eight nine"),
        ("a < b", "a is less than b"),
        ("x >= 3", "x is at least three"),
        ("x != y", "x is not equal to y"),
        ("6 ± 1 mm", "six plus or minus one millimeter"),
        ("2.5e-3", "two point five times ten to the power of minus three"),
        ("v1.2.3", "version one point two point three"),
    ],
)
def test_numerals_signs_and_versions(written: str, spoken: str) -> None:
    assert read(written) == spoken
