"""`assistant bench faults`: engines are killed, stopped and slowed down in the middle of turns."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from assistant.audio_file import read_speech
from assistant.bench.report import Report, console, print_table
from assistant.config import Config
from assistant.engines import Engines, start_engines
from assistant.fallback import fixed_phrases
from assistant.rehearsal import Answer, Rehearsal
from assistant.types import Pcm
from assistant.worker import Worker

_HEARD_WITHIN_MS = 2_000
_RECOVERED_WITHIN_MS = 10_000
_LOOK_S = 0.005

_SAID_BY_ITSELF = frozenset(fixed_phrases("en") + fixed_phrases("zh"))
"""An apology is no answer."""

_SLOW_PERIOD_S = 0.1
_SLOW_SHARE = 0.05
"""Of the time in which a slowed engine runs: twenty times slower."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one fault did to the turn that it struck, and to the next one."""

    name: str
    struck: Answer
    struck_at_s: float
    recovered_within_ms: float | None
    """The fault until the engine was ready again; None where it never was."""

    following: Answer
    is_restarted: bool = True
    """Whether the fault costs the engine its process, so that it has to come back."""

    @property
    def heard_within_ms(self) -> float | None:
        """End of speech, or the fault where that came later, until something was heard."""
        return first_sound_ms(self.struck, since_s=self.struck_at_s)

    @property
    def is_ok(self) -> bool:
        heard_ms = self.heard_within_ms
        return (
            heard_ms is not None
            and heard_ms <= _HEARD_WITHIN_MS
            and (not self.is_restarted or self._has_recovered)
            and bool(self.following.answer)
            and self.following.answer.strip() not in _SAID_BY_ITSELF
        )

    @property
    def _has_recovered(self) -> bool:
        recovered_ms = self.recovered_within_ms
        return recovered_ms is not None and recovered_ms <= _RECOVERED_WITHIN_MS


def first_sound_ms(answer: Answer, *, since_s: float) -> float | None:
    """0 where it was heard before `since_s` already."""
    if answer.first_sound_at_s is None:
        return None
    since_s = max(since_s, answer.spoken_at_s)
    return max(0.0, 1_000 * (answer.first_sound_at_s - since_s))


Moment = Callable[[Answer, float], bool]
"""Whether it has come, seen from the answer so far and the seconds since the turn began."""

MOMENTS: dict[str, Moment] = {
    "hearing": lambda answer, since_s: since_s > 0.8,
    "prefill": lambda answer, since_s: bool(answer.heard),
    "decode": lambda answer, since_s: (
        bool(answer.heard) and time.monotonic() - answer.spoken_at_s > 0.6
    ),
    "speaking": lambda answer, since_s: answer.first_sound_at_s is not None,
}


async def wait_for(moment: Moment, rehearsal: Rehearsal) -> None:
    started_at_s = time.monotonic()
    while not moment(rehearsal.answer, time.monotonic() - started_at_s):  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_S)


async def strike(
    name: str,
    rehearsal: Rehearsal,
    speech: Pcm,
    moment: Moment,
    fault: Callable[[], Awaitable[None]],
    worker: Worker,
) -> Outcome:
    """Take a turn, have the fault happen in it, wait for the engine, and take another turn."""
    turn = asyncio.create_task(rehearsal.say(speech, patience_s=30))
    await asyncio.sleep(_LOOK_S)
    await wait_for(moment, rehearsal)
    restarts = worker.restarts
    struck_at_s = time.monotonic()
    await fault()
    recovering = asyncio.create_task(_recovery_ms(worker, restarts, struck_at_s))
    struck = await turn
    recovered_ms = await recovering
    following = await rehearsal.say(speech, patience_s=30)
    return Outcome(name, struck, struck_at_s, recovered_ms, following)


async def _recovery_ms(worker: Worker, restarts: int, since_s: float) -> float | None:
    """Until the engine is ready after one more start; None where that does not come."""
    with suppress(TimeoutError):
        async with asyncio.timeout(60):
            while worker.restarts == restarts:  # noqa: ASYNC110
                await asyncio.sleep(_LOOK_S)
            await worker.wait_ready()
            return 1_000 * (time.monotonic() - since_s)
    return None


def kill(worker: Worker, number: signal.Signals = signal.SIGKILL) -> Callable[[], Awaitable[None]]:
    async def fault() -> None:
        assert worker.pid is not None
        os.kill(worker.pid, number)

    return fault


@asynccontextmanager
async def slowed(worker: Worker) -> AsyncGenerator[None]:
    """Let an engine run for a twentieth of the time only."""
    pid = worker.pid
    assert pid is not None

    async def hinder() -> None:
        while True:
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(_SLOW_PERIOD_S * (1 - _SLOW_SHARE))
            os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(_SLOW_PERIOD_S * _SLOW_SHARE)

    hindering = asyncio.create_task(hinder())
    try:
        yield
    finally:
        hindering.cancel()
        await asyncio.wait([hindering])
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--clip",
        type=Path,
        default=Path("tests/data/questions/q09.wav"),
        metavar="FILE",
        help="a spoken question",
    )


async def measure(config: Config, options: argparse.Namespace) -> Report:
    speech = read_speech(options.clip)
    outcomes = list[Outcome]()
    async with start_engines(config) as engines:
        await engines.wait_ready()
        for worker in engines.workers:
            for phase, moment in MOMENTS.items():
                if worker.name == "eyes" and phase != "hearing":
                    continue  # they are done by then
                name = f"{worker.name} killed while {phase}"
                async with Rehearsal(engines, config) as rehearsal:
                    outcome = await strike(name, rehearsal, speech, moment, kill(worker), worker)
                outcomes.append(outcome)
                _tell(outcome)
        for outcome in [
            await _stopped(engines, config, speech),
            await _slow(engines, config, speech),
        ]:
            outcomes.append(outcome)
            _tell(outcome)
    cases = [
        {
            "name": outcome.name,
            "heard_within_ms": outcome.heard_within_ms,
            "recovered_within_ms": outcome.recovered_within_ms,
            "ok": outcome.is_ok,
        }
        for outcome in outcomes
    ]
    print_table(
        "faults",
        ("fault", "heard within ms", "recovered within ms", "ok"),
        [tuple(case.values()) for case in cases],
    )
    return {"cases": cases, "failures": sum(not case["ok"] for case in cases)}


async def _stopped(engines: Engines, config: Config, speech: Pcm) -> Outcome:
    brain = engines.workers[1]
    async with Rehearsal(engines, config) as rehearsal:
        fault = kill(brain, signal.SIGSTOP)
        return await strike(
            "brain stopped while decoding", rehearsal, speech, MOMENTS["decode"], fault, brain
        )


async def _slow(engines: Engines, config: Config, speech: Pcm) -> Outcome:
    brain = engines.workers[1]
    async with Rehearsal(engines, config) as rehearsal:
        began_at_s = time.monotonic()
        async with slowed(brain):
            struck = await rehearsal.say(speech, patience_s=60)
        following = await rehearsal.say(speech, patience_s=30)
    return Outcome(
        "brain twenty times slower", struck, began_at_s, None, following, is_restarted=False
    )


def _tell(outcome: Outcome) -> None:
    sign = "ok " if outcome.is_ok else "BAD"
    console.print(
        f"{sign} {outcome.name}: {outcome.struck.answer!r}, then {outcome.following.answer!r}",
        markup=False,
    )
