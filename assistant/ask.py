"""`assistant ask`: one turn through the real stages, told as text or JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from assistant.config import Config
from assistant.engines import Engines
from assistant.rehearsal import Answer, Rehearsal
from assistant.types import ImageFrame, Pcm


async def ask(
    engines: Engines,
    config: Config,
    *,
    speech: Pcm | None = None,
    text: str | None = None,
    picture: ImageFrame | None = None,
    patience_s: float = 60,
) -> Answer:
    """Take one turn. An answer without `heard` means that nobody was heard speaking."""
    async with Rehearsal(engines, config, picture=picture) as rehearsal:
        return await rehearsal.say(speech, text, patience_s=patience_s)


def as_json(answer: Answer, audio: str | None) -> dict[str, Any]:
    """`audio`: the path of the spoken answer, where there is one."""
    timeline = answer.timeline and {
        "voice_to_voice_ms": answer.timeline.voice_to_voice_ms,
        "lines": [asdict(line) for line in answer.timeline.lines],
        "stats": answer.timeline.stats and asdict(answer.timeline.stats),
    }
    return {
        "heard": answer.heard,
        "answer": answer.answer,
        "audio": audio,
        "scene": list(answer.scene),
        "timeline": timeline,
        "degraded": [asdict(entry) for entry in answer.degraded],
    }


def print_answer(answer: Answer, audio: Path | None) -> None:
    """For a person at a terminal."""
    console = Console(highlight=False, markup=False)
    console.print(f"heard:  {answer.heard or '(nothing: is somebody speaking in it?)'}")
    for fact in answer.scene:
        console.print(f"saw:    {fact}")
    console.print(f"answer: {answer.answer or '(none)'}")
    for entry in answer.degraded:
        console.print(f"less:   {entry.stage}: {entry.reason}")
    if answer.timeline is not None:
        for line in answer.timeline.lines:
            beside = " (meanwhile)" if line.overlapped else ""
            console.print(f"  {line.name:<14}{line.duration_ms:7.0f} ms{beside}")
        whole_ms = answer.timeline.voice_to_voice_ms
        if whole_ms is not None:
            console.print(f"  {'in all':<14}{whole_ms:7.0f} ms")
    if audio is not None:
        console.print(f"sound:  {audio}")
