"""The part of `assistant bench answers` that is about answers that need no brain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from assistant.bench.question_pairs import Judged, judge, read_pairs
from assistant.bench.report import Report, console, print_table, spread
from assistant.bench.table import HELD_OUT
from assistant.config import Config
from assistant.config_answers import CacheConfig
from assistant.engines import Engines, start_engines
from assistant.model_store import ModelStore
from assistant.recall.encoder import SentenceEncoder
from assistant.rehearsal import Rehearsal
from assistant.types import Pcm

_PREPARED = {
    "What are your opening hours?": "We are open from nine to five, Monday to Friday.",
    "Do you have wifi?": "Yes, the password stands on the card at the entrance.",
    "Is breakfast included?": "Breakfast is included in every room.",
    "Where can I park?": "There is a parking lot behind the house.",
}
_LEARNED = (
    "What is the capital of France?",
    "Who wrote Hamlet?",
    "How many legs does a spider have?",
    "Why is the sky blue?",
)
"""Asked twice: the first time a brain answers."""


async def measure_cache(config: Config, brain_model: str) -> Report:
    """Pairs of questions, and then spoken questions whose answers are known."""
    store = ModelStore(config.models.folder)
    encoder = SentenceEncoder(store.folder(config.cache.encoder_model))
    pairs = {
        HELD_OUT: [pair for pair in read_pairs() if pair.is_held_out],
        "development": [pair for pair in read_pairs() if not pair.is_held_out],
    }
    judged = {
        name: judge(some, encoder, similarity=config.cache.similarity)
        for name, some in pairs.items()
    }
    for each in judged.values():
        for pair in each.wrong:
            console.print(f"taken for the same: {pair.first} | {pair.second}", markup=False)
    spoken = await _speak(config, brain_model)
    print_table(
        "pairs of questions",
        ("", "n", "hit rate", "wrong hits"),
        [(name, each.n, each.hit_rate, each.wrong_hit_rate) for name, each in judged.items()],
    )
    print_table(
        f"{spoken['recalled']} of {spoken['asked']} spoken questions were known",
        ("", "first audio p50 ms", "p95 ms"),
        [("cache", spoken["first_audio_ms"]["p50"], spoken["first_audio_ms"]["p95"])],
    )
    return {**_rates(judged[HELD_OUT]), "development": _rates(judged["development"]), **spoken}


def _rates(judged: Judged) -> Report:
    return {
        "n": judged.n,
        "hit_rate": judged.hit_rate,
        "wrong_hit_rate": judged.wrong_hit_rate,
    }


async def _speak(config: Config, brain_model: str) -> Report:
    """From the moment at which the end of the turn is certain to the first sample of the answer."""
    with TemporaryDirectory() as folder:
        templates = Path(folder, "templates.txt")
        _write_templates(templates)
        cache = CacheConfig(templates=templates, learn=True, folder=Path(folder))
        config = replace(
            config,
            cache=cache,
            brain=replace(config.brain, model=brain_model, draft_model="", temperature=0.0),
            eyes=replace(config.eyes, mode="off"),
        )
        waits_ms, n_recalled = list[float](), 0
        async with start_engines(config) as engines:
            await engines.wait_ready()
            for question in _LEARNED:
                async with Rehearsal(engines, config) as first:
                    await first.say(text=question)
            questions = (*_PREPARED, *_LEARNED)
            for question in questions:
                speech = await _speech(engines, config, question)
                async with Rehearsal(engines, config) as rehearsal:
                    answer = await rehearsal.say(speech)
                timeline = answer.timeline
                recalled = timeline and timeline.stats and timeline.stats.recalled
                console.print(f"{answer.heard} | {recalled} | {answer.answer}", markup=False)
                if timeline is None or timeline.voice_to_voice_ms is None or not recalled:
                    continue
                n_recalled += 1
                end = next(line for line in timeline.lines if line.name == "end of turn")
                waits_ms.append(timeline.voice_to_voice_ms - end.start_ms - end.duration_ms)
    return {
        "asked": len(questions),
        "recalled": n_recalled,
        "first_audio_ms": spread(waits_ms),
    }


def _write_templates(file: Path) -> None:
    file.write_text("".join(f"Q: {asked}\nA: {answer}\n\n" for asked, answer in _PREPARED.items()))


async def _speech(engines: Engines, config: Config, text: str) -> Pcm:
    """16 kHz, as the standard voice says it."""
    voice = engines.standard_voice
    async with engines.voice.speak(text, voice=voice, speed=config.voice.speed) as frames:
        samples = np.concatenate([frame.samples async for frame in frames])
    whole = samples[: len(samples) // 3 * 3].astype(np.int32)
    thirds: Pcm = (whole.reshape(-1, 3).sum(axis=1) // 3).astype(np.int16)
    return thirds
