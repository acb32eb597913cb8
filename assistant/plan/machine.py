"""A simulated box: cores that are shared evenly, and engines that take several jobs at once.

What would take `work_s` seconds alone takes longer when cores are short or its engine has others
to serve. Discrete events by simpy; no time passes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field

import simpy

_ALMOST_S = 1e-9


@dataclass(eq=False, slots=True)
class Engine:
    """One worker process.

    `cores`: how many it can use at once; 0 where its work is done elsewhere, as on a GPU.
    `growth`: what one more job in its batch costs, as a share of a job alone: 1 where jobs wait for
    each other, 0 where they do not notice each other. `pace_alone`: of one job, by the measured.
    """

    cores: float
    growth: float = 1.0
    pace_alone: float = 1.0
    jobs: list[_Job] = field(default_factory=list)

    @property
    def pace(self) -> float:
        """Of each of its jobs, by that of one alone, with all the cores that it wants."""
        return self.pace_alone / (1 + self.growth * (len(self.jobs) - 1))


@dataclass(eq=False, slots=True)
class _Job:
    engine: Engine
    left_s: float
    done: simpy.Event


class Box:
    """`speed`: how many times as fast each core is as the one that was measured."""

    def __init__(self, env: simpy.Environment, *, cores: float, speed: float = 1.0) -> None:
        self._env = env
        self._cores = cores
        self._speed = speed
        self._engines: list[Engine] = []
        self._at_s = env.now
        self._version = 0

    def work(self, engine: Engine, work_s: float) -> simpy.Event:
        """Happens when the work is done."""
        done = self._env.event()
        self._pass_time()
        if engine not in self._engines:
            self._engines.append(engine)
        engine.jobs.append(_Job(engine, max(work_s, _ALMOST_S), done))
        self._plan_next()
        return done

    def _pass_time(self) -> None:
        """Account for what was done since the last change."""
        passed_s = self._env.now - self._at_s
        self._at_s = self._env.now
        for engine, rate in self._rates():
            for job in engine.jobs:
                job.left_s -= passed_s * rate

    def _rates(self) -> list[tuple[Engine, float]]:
        """Seconds of a job alone that each of an engine's jobs gets done in a second."""
        busy = [engine for engine in self._engines if engine.jobs]
        wants = [engine.cores for engine in busy]
        return [
            (engine, engine.pace * (self._speed * got / engine.cores if engine.cores else 1.0))
            for engine, got in zip(busy, fair_shares(wants, self._cores), strict=True)
        ]

    def _plan_next(self) -> None:
        self._version += 1
        rates = self._rates()
        if rates:
            next_s = min(job.left_s / rate for engine, rate in rates for job in engine.jobs)
            self._env.process(self._finish_after(max(next_s, 0.0), self._version))

    def _finish_after(self, seconds: float, version: int) -> Generator[simpy.Event, None, None]:
        yield self._env.timeout(seconds)
        if version != self._version:
            return  # something came or went before
        self._pass_time()
        for engine in self._engines:
            over = [job for job in engine.jobs if job.left_s <= _ALMOST_S]
            engine.jobs = [job for job in engine.jobs if job not in over]
            for job in over:
                job.done.succeed()
        self._plan_next()


def fair_shares(wants: Iterable[float], cores: float) -> list[float]:
    """Everybody gets what he wants or as much as anybody else, as an operating system does it."""
    wanted = list(wants)
    shares = [0.0] * len(wanted)
    left = cores
    for n_served, i in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[i] = min(wanted[i], left / (len(wanted) - n_served))
        left -= shares[i]
    return shares
