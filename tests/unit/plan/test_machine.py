"""A simulated box takes as long as arithmetic says."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import pytest
import simpy

from assistant.plan.machine import Box, Engine, fair_shares


@pytest.mark.parametrize(
    ("wants", "cores", "expected"),
    [
        ([1, 1], 2, [1, 1]),
        ([2, 1], 2, [1, 1]),
        ([0.2, 2, 2], 2, [0.2, 0.9, 0.9]),
        ([4], 2, [2]),
        ([], 2, []),
    ],
)
def test_cores_are_shared_fairly(
    wants: Sequence[float], cores: float, expected: Sequence[float]
) -> None:
    assert fair_shares(wants, cores) == pytest.approx(expected)


def _finished(
    box: Box, env: simpy.Environment, jobs: Sequence[tuple[Engine, float]]
) -> list[float]:
    """When each job is done that begins now."""
    ends = [0.0] * len(jobs)

    def wait(i: int, done: simpy.Event) -> Generator[simpy.Event]:
        yield done
        ends[i] = env.now

    for i, (engine, work_s) in enumerate(jobs):
        env.process(wait(i, box.work(engine, work_s)))
    env.run()
    return ends


def _box(**kinds: float) -> tuple[simpy.Environment, Box]:
    env = simpy.Environment()
    return env, Box(env, **kinds)


def test_alone_work_takes_as_long_as_it_is() -> None:
    env, box = _box(cores=2)
    assert _finished(box, env, [(Engine(cores=1), 0.3)]) == pytest.approx([0.3])


def test_jobs_that_wait_for_each_other_take_twice_as_long() -> None:
    env, box = _box(cores=2)
    ears = Engine(cores=1)
    assert _finished(box, env, [(ears, 0.3), (ears, 0.3)]) == pytest.approx([0.6, 0.6])


def test_whoever_is_left_is_as_fast_as_alone() -> None:
    env, box = _box(cores=2)
    ears = Engine(cores=1)
    assert _finished(box, env, [(ears, 0.1), (ears, 0.3)]) == pytest.approx([0.2, 0.4])


def test_a_batch_grows_slower_than_its_jobs() -> None:
    env, box = _box(cores=2)
    brain = Engine(cores=2, growth=0.5)
    assert _finished(box, env, [(brain, 1.0), (brain, 1.0)]) == pytest.approx([1.5, 1.5])


def test_engines_share_the_cores_that_there_are() -> None:
    env, box = _box(cores=2)
    jobs = [(Engine(cores=2), 1.0), (Engine(cores=1), 1.0)]
    # one core each, which is half of what the first wants until the second is done
    assert _finished(box, env, jobs) == pytest.approx([1.5, 1.0])


def test_faster_cores_take_less_time() -> None:
    env, box = _box(cores=2, speed=4)
    assert _finished(box, env, [(Engine(cores=1), 1.0)]) == pytest.approx([0.25])


def test_what_is_done_elsewhere_takes_no_cores() -> None:
    env, box = _box(cores=1, speed=1)
    gpu = Engine(cores=0, pace_alone=10)
    assert _finished(box, env, [(gpu, 1.0), (Engine(cores=1), 1.0)]) == pytest.approx([0.1, 1.0])
