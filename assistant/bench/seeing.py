"""`assistant bench seeing`: what pictures are said to show, by the facts and by the brain."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from assistant.bench.report import Report, console
from assistant.config import Config
from assistant.engines import start_engines
from assistant.errors import EyesError
from assistant.rehearsal import Rehearsal
from assistant.vision.image_file import read_image

_QUESTION = "What do you see in front of the camera?"
_READ = "Can you read the text on this page to me?"
_COLOUR = "What colour is the thing I am holding?"
_KINDS = (".png", ".jpg", ".jpeg", ".webp", ".bmp")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pictures", type=Path, required=True, metavar="DIR")


async def measure(config: Config, options: argparse.Namespace) -> Report:
    """Each picture is looked at once by itself, then asked about in a conversation of its own."""
    pictures = list[Report]()
    async with start_engines(config) as engines:
        await engines.wait_ready()
        for file in _pictures(options.pictures):
            picture = read_image(file)
            started_at_s = time.monotonic()
            scene = await engines.eyes.look(picture)
            cost_ms = 1_000 * (time.monotonic() - started_at_s)
            question = _question(scene.facts)
            async with Rehearsal(engines, config, picture=picture) as rehearsal:
                answer = await rehearsal.say(text=question)
            pictures.append(
                {
                    "file": file.name,
                    "facts": list(scene.facts),
                    "question": question,
                    "answer": answer.answer,
                    "cost_ms": cost_ms,
                }
            )
            console.print(f"{file.name} ({cost_ms:.0f} ms): {'; '.join(scene.facts)}", markup=False)
            console.print(f"   {question} {answer.answer}", markup=False)
    return {"pictures": pictures}


def _pictures(folder: Path) -> list[Path]:
    files = sorted(file for file in folder.glob("*") if file.suffix.lower() in _KINDS)
    if not files:
        raise EyesError(f"{folder} holds no pictures; name a folder of PNG or JPEG files")
    return files


def _question(facts: tuple[str, ...]) -> str:
    """What a person would ask who shows this."""
    if any("text" in fact for fact in facts):
        return _READ
    if any(fact.startswith("the whole picture is") for fact in facts):
        return _COLOUR
    return _QUESTION
