"""`assistant bench network`: a server of its own, called over good lines and bad ones.

connect         asking for a call until events can be sent, with the link on this machine
receive delay   a tone's way from the encoder to whoever hears it, less the relay's mean delay
WER             of the clips with a transcript; the bad line loses 5 % and has 80 ms of jitter and
                64 kbit/s upstream
barge-in        first voiced sample over the answer to the last audible one at the listener
reconnect       end of a blackout until the server is heard again, and what was not told
cycles          calls that were begun and ended, and browsers that were killed in mid-sentence: what
                the server's own process has more of than after the tenth
sessions        so many people ask at once; the loop's lag is over the minute that ends with it
"""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

from assistant.asr.vad import new_detector_factory
from assistant.audio_file import read_speech
from assistant.bench.caller import Caller
from assistant.bench.clips import read_clips
from assistant.bench.receiving import BAD, CLEAN, delay_ms, say, word_error_rate
from assistant.bench.relay import Conditions, Relay
from assistant.bench.report import Report, console, print_table, spread
from assistant.bench.server import Server, serving
from assistant.config import Config
from assistant.engines import WorkerRecognizer, ears_spec
from assistant.errors import RecognizerError
from assistant.model_store import ModelStore
from assistant.types import Pcm
from assistant.worker import Worker

_STORY = "Tell me a long story about a river, in many sentences."
_SILENT_S = 1.0
"""The voice is not heard for so long: it has stopped."""

_ROOMY = {
    "server.max_offers_per_minute": 100_000,
    "server.max_sessions": 16,
    "server.max_sessions_per_address": 16,
}
"""So many calls from one place are no attack here."""

_WARM = 10
"""After so many calls whatever is kept is there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--clips", type=Path, metavar="DIR", help="a folder with a manifest.json, for the WER"
    )
    parser.add_argument(
        "--question",
        type=Path,
        default=Path("tests/data/questions/q09.wav"),
        metavar="FILE",
        help="what everybody asks",
    )
    parser.add_argument(
        "--interruption",
        type=Path,
        default=Path("tests/data/speech/reset_the_panel.wav"),
        metavar="FILE",
        help="what is said over an answer",
    )
    parser.add_argument("--calls", type=int, default=200, metavar="N", help="begun and ended")
    parser.add_argument("--killed", type=int, default=50, metavar="N", help="killed while talking")
    parser.add_argument("--barge-ins", type=int, default=20, metavar="N")
    parser.add_argument("--seconds", type=int, default=20, metavar="S", help="of tones, each line")
    parser.add_argument(
        "--blackouts", type=float, nargs="*", default=[3, 12, 40], metavar="S", help="how long"
    )
    parser.add_argument("--people", type=int, nargs="*", default=[1, 2, 4, 8], metavar="N")


async def measure(config: Config, options: argparse.Namespace) -> Report:
    question, interruption = read_speech(options.question), read_speech(options.interruption)
    report: Report = {
        "receive_delay_ms": await _delays(config, options.seconds),
        "wer": await _word_errors(config, options.clips),
    }
    async with serving(options, _ROOMY) as server:
        report["connect_ms"], report["cycles"] = await _calls(server, options.calls)
        report["killed"] = await _killed(server, options.killed)
        report["barge_in_ms"] = await _barge_ins(server, interruption, options.barge_ins)
        report["reconnect"] = [await _blackout(server, each) for each in options.blackouts]
        report["sessions"] = [await _people(server, question, n) for n in options.people]
    _print(report)
    return report


async def _delays(config: Config, seconds: float) -> dict[str, float]:
    lines = {"clean": CLEAN, "loss1": Conditions(loss=0.01), "loss5": Conditions(loss=0.05)}
    delays = dict[str, float]()
    for prefix, is_stock in (("", False), ("stock_", True)):
        for name, line in lines.items():
            key = f"{prefix}{name}"
            delays[key] = await delay_ms(config, line, is_stock=is_stock, seconds=seconds)
            console.print(f"receive delay, {key}: {delays[key]:.0f} ms")
    return delays


async def _word_errors(config: Config, folder: Path | None) -> dict[str, float | None]:
    """Nothing without clips."""
    if folder is None:
        return {}
    clips = [
        clip
        for clip in read_clips(folder)
        if clip.transcript and clip.language in config.ears.languages
    ]
    spec = ears_spec(config, ModelStore(config.models.folder))
    rates = dict[str, float | None]()
    async with Worker("ears", spec, error=RecognizerError, config=config.workers) as worker:
        await worker.wait_ready()
        new_detector = new_detector_factory()
        for name, line in {"clean": CLEAN, "loss1": Conditions(loss=0.01), "loss5": BAD}.items():
            rates[name] = await word_error_rate(
                config, line, clips, WorkerRecognizer(worker), new_detector()
            )
            console.print(f"WER, {name}: {rates[name]}")
    return rates


def _growth(n: int, before: tuple[float, int, int], after: tuple[float, int, int]) -> Report:
    memory, descriptors, threads = (late - early for early, late in zip(before, after, strict=True))
    return {
        "n": n,
        "rss_growth_mb": memory,
        "fd_growth": int(descriptors),
        "thread_growth": int(threads),
    }


async def _calls(server: Server, n: int) -> tuple[Report, Report]:
    waits_ms = list[float]()
    before = server.holdings()
    async with Relay() as relay:
        for i in range(n):
            if i == min(_WARM, n - 1):
                before = await server.settled()
            began_at_s = time.monotonic()
            async with Caller(server.url, relay):
                waits_ms.append(1_000 * (time.monotonic() - began_at_s))
    return spread(waits_ms), _growth(n, before, await server.settled())


async def _killed(server: Server, n: int) -> Report:
    before = server.holdings()
    async with Relay() as relay:
        for i in range(n):
            if i == min(_WARM, n - 1):
                before = await server.settled()
            caller = Caller(server.url, relay)
            await caller.__aenter__()
            caller.type(_STORY)
            await caller.wait_for("output_audio_buffer.started")
            await caller.vanish()
    return _growth(n, before, await server.settled())


async def _barge_ins(server: Server, interruption: Pcm, n: int) -> Report:
    waits_ms = list[float]()
    async with Relay() as relay:
        for _ in range(n):
            async with Caller(server.url, relay) as caller:
                waits_ms += await _barge_in(caller, interruption)
    return {**spread(waits_ms), "n": len(waits_ms)}


async def _barge_in(caller: Caller, interruption: Pcm) -> list[float]:
    """One wait in ms; none where the answer had come to its end before."""
    mouth = caller.mouth
    await asyncio.sleep(3.5)  # echo cancellers settle; see barge_in.warm_up_ms
    caller.type(_STORY)
    await caller.wait_for("output_audio_buffer.started")
    await asyncio.sleep(1)
    say(mouth, interruption)
    await caller.until(lambda: mouth.began_at_s is not None)
    await caller.until(lambda: time.monotonic() - caller.loud_at_s > _SILENT_S)
    silent_at_s, began_at_s = caller.loud_at_s, mouth.began_at_s
    ended = await caller.wait_for("response.done")
    assert began_at_s is not None
    if ended["response"]["status"] != "cancelled" or silent_at_s < began_at_s:
        return []
    return [1_000 * (silent_at_s - began_at_s)]


async def _blackout(server: Server, seconds: float) -> Report:
    async with Relay() as relay, Caller(server.url, relay) as caller:
        caller.type(_STORY)
        await caller.wait_for("output_audio_buffer.started")
        await asyncio.sleep(1)
        relay.is_dark = True
        await asyncio.sleep(seconds)
        relay.is_dark = False
        began_at_s, n_lines = time.monotonic(), len(caller.of("assistant.resume"))
        heard_at_s = caller.heard_at_s
        await caller.until(
            lambda: caller.heard_at_s > heard_at_s or len(caller.of("assistant.resume")) > n_lines
        )
        back_ms = 1_000 * (time.monotonic() - began_at_s)
        done = await caller.wait_for("response.output_audio_transcript.done", patience_s=120)
        told = "".join(
            event["delta"] for event in caller.of("response.output_audio_transcript.delta")
        )
        n_lost = len(done["transcript"].split()) - len(told.split())
        console.print(
            f"blackout of {seconds:g} s: back after {back_ms:.0f} ms, {n_lost} words lost"
        )
    return {
        "blackout_s": seconds,
        "back_ms": back_ms,
        "lost_words": max(n_lost, 0),
        "repeated_words": max(-n_lost, 0),
    }


async def _people(server: Server, question: Pcm, n: int) -> Report:
    async with Relay() as relay:

        async def ask() -> tuple[int, float | None]:
            async with Caller(server.url, relay) as caller:
                say(caller.mouth, question)
                await caller.wait_for("response.done", patience_s=180)
                (timeline, *_) = caller.of("assistant.timeline") or ({},)
                return caller.n_gaps, timeline.get("voice_to_voice_ms")

        asked = await asyncio.gather(*[ask() for _ in range(n)])
    lag_ms = (await asyncio.to_thread(server.health))["loop_lag_p99_ms"]
    waits_ms = [wait_ms for _, wait_ms in asked if wait_ms is not None]
    return {
        "n": n,
        "loop_lag_p99_ms": lag_ms,
        "gaps": sum(gaps for gaps, _ in asked),
        "voice_to_voice_ms": spread(waits_ms),
    }


def _print(report: Report) -> None:
    rows: list[tuple[object, ...]] = [
        ("connect", report["connect_ms"]["p50"], report["connect_ms"]["p95"])
    ]
    rows.append(("barge-in", report["barge_in_ms"]["p50"], report["barge_in_ms"]["p95"]))
    print_table("times", ("", "p50 ms", "p95 ms"), rows)
    print_table(
        "what is left behind",
        ("", "calls", "MB", "descriptors", "threads"),
        [(name, *report[name].values()) for name in ("cycles", "killed")],
    )
    print_table(
        "people at once",
        ("", "loop lag P99 ms", "gaps"),
        [(each["n"], each["loop_lag_p99_ms"], each["gaps"]) for each in report["sessions"]],
    )
