"""Callers at a simulated box: how long they wait.

Each caller thinks, speaks, waits, listens and thinks again. The work of a turn is drawn, whole,
from turns that were measured with one caller alone; what several cost each other comes from
machine.py.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import simpy

from assistant.load.curve import THINKING_S
from assistant.plan.machine import Box, Engine
from assistant.plan.measured import TurnWork

_PARTIAL_EVERY_S = 0.3
_HEARING = 0.22
"""Cores that one speaker keeps busy: the `cpu_share` of `assistant bench hearing`."""

_VOICE_PER_S = 0.1
"""Of synthesis for a second of sound: the `rtf` of `assistant bench speaking`."""

_WARM_TURNS = 2
"""Of each caller, before any is counted."""

_ROUNDS = 4
_STAGES = ("asr_s", "prefill_s", "first_phrase_s", "tts_s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What there is to plan with; the defaults are the box that was measured."""

    cores: float = 2.0
    speed: float = 1.0
    """Of each core, by that of the measured box."""

    gpu: float = 0.0
    """How many times as fast a brain on a GPU is as the measured one; 0 for none."""

    batch_growth: float = 0.33
    """What one more reply in the brain's batch costs, as a share of one alone: `parallel` of
    `assistant bench engine`, 4 replies at twice the pace of one."""

    round_trip_ms: float = 0.0
    """To the callers, beyond what was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Of a number of callers, sorted, in ms."""

    callers: int
    waits_ms: tuple[float, ...]

    def percentile(self, percent: float) -> float:
        """Nearest rank."""
        rank = max(1, -(-len(self.waits_ms) * percent // 100))
        return self.waits_ms[int(rank) - 1]


def simulate(
    works: Sequence[TurnWork], machine: Machine, *, callers: int, turns: int = 600, seed: int = 0
) -> Waits:
    """`turns`: in all."""
    _, waits_s = _run(works, machine, callers=callers, turns=turns, seed=seed)
    return Waits(
        callers=callers,
        waits_ms=tuple(sorted(1_000 * wait_s + machine.round_trip_ms for wait_s in waits_s)),
    )


def calibrated(works: Sequence[TurnWork], machine: Machine) -> list[TurnWork]:
    """The work behind what was measured: less what a turn's own stages cost each other.

    `machine`: the one that was measured.
    """
    found = list(works)
    for _ in range(_ROUNDS):
        took, _ = _run(found, machine, callers=1, turns=len(works) * 4, seed=1)
        for stage in _STAGES:
            wanted_s = sum(getattr(work, stage) for work in works) / len(works)
            ratio = wanted_s / took[stage] if took[stage] > 0 else 1.0
            found = [replace(work, **{stage: getattr(work, stage) * ratio}) for work in found]
    return found


def most_within(
    works: Sequence[TurnWork], machine: Machine, *, promise_ms: float, at_most: int = 64
) -> int:
    """Callers up to which the simulated P95 keeps the promise."""
    for callers in range(1, at_most + 1):
        if simulate(works, machine, callers=callers).percentile(95) > promise_ms:
            return callers - 1
    return at_most


def _run(
    works: Sequence[TurnWork], machine: Machine, *, callers: int, turns: int, seed: int
) -> tuple[dict[str, float], list[float]]:
    """The mean time that each stage took, and each turn's wait, in seconds."""
    env = simpy.Environment()
    simulation = _Simulation(env, machine, works, random.Random(seed))
    each = -(-turns // callers)
    for _ in range(callers):
        env.process(simulation.caller(each))
    env.run()
    means = {stage: sum(took) / len(took) for stage, took in simulation.took_s.items()}
    return means, simulation.waits_s


class _Simulation:
    def __init__(
        self,
        env: simpy.Environment,
        machine: Machine,
        works: Sequence[TurnWork],
        chance: random.Random,
    ) -> None:
        self._env = env
        self._box = Box(env, cores=machine.cores, speed=machine.speed)
        self._ears = Engine(cores=1)
        self._voice = Engine(cores=1)
        self._brain = Engine(cores=2, growth=machine.batch_growth)
        if machine.gpu:
            self._brain = Engine(cores=0, growth=machine.batch_growth, pace_alone=machine.gpu)
        self._works = works
        self._chance = chance
        self.waits_s: list[float] = []
        self.took_s: dict[str, list[float]] = {stage: [] for stage in _STAGES}

    def caller(self, turns: int) -> Generator[simpy.Event, Any, None]:
        for turn in range(-_WARM_TURNS, turns):
            yield self._env.timeout(self._chance.uniform(*THINKING_S))
            yield from self._turn(self._chance.choice(self._works), counts=turn >= 0)

    def _turn(self, work: TurnWork, *, counts: bool) -> Generator[simpy.Event, Any, None]:
        spoken_s = 0.0
        while spoken_s + _PARTIAL_EVERY_S < work.speech_s:
            yield self._env.timeout(_PARTIAL_EVERY_S)
            self._box.work(self._ears, _HEARING * _PARTIAL_EVERY_S)
            spoken_s += _PARTIAL_EVERY_S
        yield self._env.timeout(work.speech_s - spoken_s)
        ended_s = self._env.now
        yield self._env.timeout(work.pause_s)
        yield from self._stage("asr_s", self._ears, work, counts=counts)
        yield self._env.timeout(work.vision_s)
        yield from self._stage("prefill_s", self._brain, work, counts=counts)
        yield from self._stage("first_phrase_s", self._brain, work, counts=counts)
        written = self._box.work(self._brain, work.rest_s)
        yield from self._stage("tts_s", self._voice, work, counts=counts)
        yield self._env.timeout(max(0.0, ended_s + work.gate_s - self._env.now))
        if counts:
            self.waits_s.append(self._env.now - ended_s + work.way_s)
        spoken = self._box.work(self._voice, _VOICE_PER_S * work.sound_s)
        yield self._env.timeout(work.sound_s) & written & spoken

    def _stage(
        self, stage: str, engine: Engine, work: TurnWork, *, counts: bool
    ) -> Generator[simpy.Event, Any, None]:
        began_s = self._env.now
        yield self._box.work(engine, getattr(work, stage))
        if counts:
            self.took_s[stage].append(self._env.now - began_s)
