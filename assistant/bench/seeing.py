"""`assistant bench seeing`: what pictures are said to show, by the facts and by the brain.

A folder may hold a manifest.json that says what is written in its pictures:
[{"file": "sign.png", "text": "OPEN DAILY"}]. Then what was read is compared with it.

frame age       of what a question is answered with, while a camera sends 30 frames a second
"""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path

from assistant.bench.frame_age import frame_age
from assistant.bench.report import Report, console, print_table
from assistant.bench.word_errors import word_errors
from assistant.config import Config
from assistant.engines import Engines, start_engines
from assistant.errors import EyesError
from assistant.rehearsal import Rehearsal
from assistant.types import ImageFrame
from assistant.vision.image_file import read_image

_QUESTION = "What do you see in front of the camera?"
_READ = "Can you read the text on this page to me?"
_COLOUR = "What colour is the thing I am holding?"
_KINDS = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
_QUOTED = re.compile(r'text.*?"(.+)"$', re.DOTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pictures", type=Path, required=True, metavar="DIR", help="JPEG and PNG files"
    )
    parser.add_argument(
        "--minutes", type=float, default=0.2, metavar="N", help="how long the camera runs"
    )


async def measure(config: Config, options: argparse.Namespace) -> Report:
    """Each picture is looked at once by itself, then asked about, each time as the first thing."""
    written = _manifest(options.pictures)
    pictures = list[Report]()
    async with start_engines(config) as engines:
        await engines.wait_ready()
        for file in _pictures(options.pictures):
            picture = read_image(file)
            started_at_s = time.monotonic()
            scene = await engines.eyes.look(picture)
            cost_ms = 1_000 * (time.monotonic() - started_at_s)
            answers = {
                question: await _answer(engines, config, picture, question)
                for question in questions(scene.facts)
            }
            report = {
                "file": file.name,
                "facts": list(scene.facts),
                "answer": next(iter(answers.values())),
                "answers": answers,
                "cost_ms": cost_ms,
                "text_error": text_error(scene.facts, written.get(file.name)),
            }
            pictures.append(report)
            console.print(f"{file.name}: {'; '.join(scene.facts)}", markup=False)
            for question, answer in answers.items():
                console.print(f"   {question} {answer}", markup=False)
    print_table(
        f"{len(pictures)} pictures",
        ("picture", "look ms", "text error"),
        [(each["file"], each["cost_ms"], each["text_error"]) for each in pictures],
    )
    age = await frame_age(config, minutes=options.minutes)
    console.print(
        f"a frame's age when used: median {age['p50']:.0f} ms, at most {age['max']:.0f} "
        f"in {age['minutes']:g} minutes; {age['rss_growth_mb']:.1f} MB more held"
    )
    return {"pictures": pictures, "frame_age_ms": age}


async def _answer(engines: Engines, config: Config, picture: ImageFrame, question: str) -> str:
    async with Rehearsal(engines, config, picture=picture) as rehearsal:
        return (await rehearsal.say(text=question)).answer


def questions(facts: tuple[str, ...]) -> tuple[str, ...]:
    """What a person would ask who shows this, the plainest question first."""
    asks_to_read = any(_QUOTED.search(fact) for fact in facts)
    asks_colour = any(fact.startswith("the whole picture is") for fact in facts)
    return (_QUESTION, *([_READ] if asks_to_read else []), *([_COLOUR] if asks_colour else []))


def text_error(facts: tuple[str, ...], written: str | None) -> float | None:
    """Word error rate of what was read; None where nobody knows what is written.

    Of a long page the facts hold the beginning only, so no more than that is asked for.
    """
    if written is None:
        return None
    read = next((found[1] for fact in facts if (found := _QUOTED.search(fact))), "")
    if read.endswith("…"):
        written = " ".join(written.split()[: len(read.split())])
    return word_errors(written, read).rate


def _manifest(folder: Path) -> dict[str, str]:
    file = folder / "manifest.json"
    if not file.is_file():
        return {}
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        return {str(entry["file"]): str(entry["text"]) for entry in entries}
    except (ValueError, TypeError, KeyError) as error:
        raise EyesError(
            f'{file} must be a list such as [{{"file": "sign.png", "text": "OPEN"}}]'
        ) from error


def _pictures(folder: Path) -> list[Path]:
    files = sorted(file for file in folder.glob("*") if file.suffix.lower() in _KINDS)
    if not files:
        raise EyesError(f"{folder} holds no pictures; name a folder of PNG or JPEG files")
    return files
