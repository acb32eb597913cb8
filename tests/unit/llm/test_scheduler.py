import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from assistant.errors import BrainError
from assistant.llm.draft import Drafting, DraftLength, Guess
from assistant.llm.job import Ended, Job, Reply
from assistant.llm.kv_cache import KvCache
from assistant.llm.prefix import Memory
from assistant.llm.sampling import Distribution
from assistant.llm.scheduler import Scheduler
from assistant.llm.threads import ThreadCount
from tests.unit.llm.fake_context import FakeContext, Greedy, expected_reply

PREFIX = list(range(10, 30))


@contextmanager
def running(
    context: FakeContext, *, n_slots: int = 3, drafting: Drafting | None = None
) -> Iterator[Scheduler]:
    cache = KvCache(context.as_context(), n_slots)
    context.sequences[0] = list(PREFIX)
    cache.prefix.cells = list(PREFIX)
    scheduler = Scheduler(
        context.as_context(),
        cache,
        slice_tokens=8,
        threads=ThreadCount(1, n_cores=1),
        drafting=drafting,
    )
    try:
        yield scheduler
    finally:
        scheduler.close()


def writing(prompt: list[int], max_tokens: int = 12) -> Job:
    reply = Reply(
        sampler=Greedy().as_sampler(), random=np.random.default_rng(0), max_tokens=max_tokens
    )
    return Job(cells=list(prompt), reply=reply)


def reading(prompt: list[int], *, in_background: bool = False) -> Job:
    return Job(cells=list(prompt), in_background=in_background)


def outcome(job: Job) -> tuple[list[int], Ended]:
    tokens = []
    while isinstance(event := job.events.get(timeout=10), int):
        tokens.append(event)
    return tokens, event


def read_prompt_tokens(context: FakeContext) -> int:
    return sum(len(run.tokens) for runs in context.decoded for run in runs)


class Gate:
    """Holds every decode until it is opened."""

    def __init__(self, context: FakeContext) -> None:
        self.reached = threading.Semaphore(0)
        self._opened = threading.Semaphore(0)
        self._is_open = False
        context.before_decode = self._wait

    def _wait(self) -> None:
        self.reached.release()
        if not self._is_open:
            assert self._opened.acquire(timeout=10)

    def open(self) -> None:
        self._is_open = True
        self._opened.release()

    def let_one_through(self) -> None:
        self._opened.release()


def test_a_reply_is_what_a_fresh_context_would_write() -> None:
    with running(FakeContext()) as scheduler:
        prompt = [*PREFIX, 1, 2, 3]
        scheduler.submit(job := writing(prompt))
        assert outcome(job) == (expected_reply(prompt, 12), Ended())
        assert job.cached_cells == len(PREFIX)


def test_the_next_turn_finds_the_last_one_in_the_cache() -> None:
    with running(FakeContext()) as scheduler:
        scheduler.submit(first := writing([*PREFIX, 1, 2, 3]))
        said, _ = outcome(first)
        prompt = [*PREFIX, 1, 2, 3, *said, 4, 5]
        scheduler.submit(second := writing(prompt))
        assert outcome(second)[0] == expected_reply(prompt, 12)
        assert second.cached_cells == len(prompt) - 3  # the last token said was never read


def test_what_was_read_along_is_not_read_again() -> None:
    with running(FakeContext()) as scheduler:
        scheduler.submit(job := reading([*PREFIX, 1, 2, 3, 4]))
        assert outcome(job) == ([], Ended())
        prompt = [*PREFIX, 1, 2, 3, 5, 6]
        scheduler.submit(job := writing(prompt))
        assert outcome(job)[0] == expected_reply(prompt, 12)
        assert job.cached_cells == len(PREFIX) + 3


def test_the_same_prompt_twice_reads_one_token_again() -> None:
    with running(FakeContext()) as scheduler:
        prompt = [*PREFIX, 1, 2, 3]
        for cached in (len(PREFIX), len(prompt) - 1):
            scheduler.submit(job := writing(prompt, max_tokens=1))
            assert outcome(job)[0] == expected_reply(prompt, 1)
            assert job.cached_cells == cached


def test_replies_are_written_at_the_same_time() -> None:
    context = FakeContext()
    gate = Gate(context)
    with running(context) as scheduler:
        jobs = [writing([*PREFIX, word], max_tokens=5) for word in (1, 2, 3)]
        for job in jobs:
            scheduler.submit(job)
        gate.open()
        for word, job in zip((1, 2, 3), jobs, strict=True):
            assert outcome(job)[0] == expected_reply([*PREFIX, word], 5)
    assert max(len(runs) for runs in context.decoded) == 3


def test_a_reply_comes_before_what_is_read_along() -> None:
    context = FakeContext()
    gate = Gate(context)
    with running(context) as scheduler:
        scheduler.submit(along := reading([*PREFIX, *range(100, 150)]))
        assert gate.reached.acquire(timeout=10)
        prompt = [*PREFIX, 1, 2]
        scheduler.submit(job := writing(prompt, max_tokens=2))
        gate.open()
        assert outcome(job)[0] == expected_reply(prompt, 2)
        assert outcome(along) == ([], Ended())
        assert along.n_read == 0, "its slot was given back"
    first, second = context.decoded[0][0], context.decoded[1][0]
    assert first.tokens[0] == 100
    assert list(second.tokens) == [1, 2], "the slice in its way was aborted"


def test_work_in_the_background_waits_until_nobody_else_has_any() -> None:
    context = FakeContext(batch_tokens=32)
    gate = Gate(context)
    with running(context) as scheduler:
        scheduler.submit(behind := reading([*PREFIX, *range(100, 180)], in_background=True))
        assert gate.reached.acquire(timeout=10)
        prompt = [*PREFIX, 1, 2]
        scheduler.submit(job := writing(prompt, max_tokens=5))
        scheduler.submit(along := reading([*PREFIX, 3, 4, 5]))
        gate.open()
        assert outcome(job)[0] == expected_reply(prompt, 5)
        assert outcome(along) == outcome(behind) == ([], Ended())
    batches = [[run.tokens[0] for run in runs] for runs in context.decoded]
    n_said = len(expected_reply(prompt, 5))
    assert batches[0] == [100]
    assert not [tokens for tokens in batches[1 : 1 + n_said] if set(tokens) & set(range(100, 180))]
    assert all(len(runs) == 1 for runs in context.decoded[1 + n_said :])


def test_what_is_read_along_is_not_superseded_from_the_background() -> None:
    context = FakeContext()
    gate = Gate(context)
    with running(context) as scheduler:
        scheduler.submit(along := reading([*PREFIX, 1, 2, 3]))
        assert gate.reached.acquire(timeout=10)
        scheduler.submit(behind := reading([*PREFIX, 1, 2], in_background=True))
        assert not along.has_left
        gate.open()
        assert outcome(along) == outcome(behind) == ([], Ended())
    assert read_prompt_tokens(context) == 3


def test_what_the_reply_needs_anyway_is_not_aborted() -> None:
    context = FakeContext()
    gate = Gate(context)
    with running(context) as scheduler:
        scheduler.submit(along := reading([*PREFIX, 1, 2, 3]))
        assert gate.reached.acquire(timeout=10)
        scheduler.submit(job := writing([*PREFIX, 1, 2, 3, 4], max_tokens=1))
        gate.open()
        outcome(along)
        outcome(job)
    assert [list(runs[0].tokens) for runs in context.decoded] == [[1, 2, 3], [4]]


def test_newer_words_supersede_what_is_read_along() -> None:
    context = FakeContext()
    gate = Gate(context)
    with running(context) as scheduler:
        scheduler.submit(older := reading([*PREFIX, 1, 2, *range(100, 140)]))
        assert gate.reached.acquire(timeout=10)
        scheduler.submit(newer := reading([*PREFIX, 1, 2, *range(100, 138), 7]))
        gate.open()
        assert outcome(older) == ([], Ended())
        assert outcome(newer) == ([], Ended())
    assert read_prompt_tokens(context) <= 41 + 8, "nothing was read twice but the first slice"


def test_leaving_stops_a_reply_and_the_cache_stays_right() -> None:
    context = FakeContext()
    gate = Gate(context)
    with running(context) as scheduler:
        scheduler.submit(job := writing([*PREFIX, *range(100, 160)]))
        assert gate.reached.acquire(timeout=10)
        gate.let_one_through()
        assert gate.reached.acquire(timeout=10)
        scheduler.leave(job)
        gate.open()
        assert outcome(job) == ([], Ended())
        assert scheduler.is_idle
        assert len(context.decoded) == 2
        prompt = [*PREFIX, *range(100, 160)]
        scheduler.submit(again := writing(prompt))
        assert outcome(again)[0] == expected_reply(prompt, 12)
        assert again.cached_cells == len(PREFIX) + 8, "the first slice was kept, the second not"


def test_a_conversation_that_was_evicted_is_read_again() -> None:
    with running(FakeContext(), n_slots=2) as scheduler:
        for word in (1, 2, 3, 1):
            prompt = [*PREFIX, word, *range(100, 120)]
            scheduler.submit(job := writing(prompt))
            assert outcome(job)[0] == expected_reply(prompt, 12)
            assert job.cached_cells == len(PREFIX)


def test_a_full_context_drops_the_least_recently_used_conversation() -> None:
    context = FakeContext(max_cells=len(PREFIX) * 4 + 80)
    with running(context, n_slots=3) as scheduler:
        for word in (1, 2, 3):
            prompt = [*PREFIX, word, *range(100, 130)]
            scheduler.submit(job := writing(prompt, max_tokens=4))
            assert outcome(job)[0] == expected_reply(prompt, 4)
        assert context.sequences[1] == []


def test_a_reply_that_cannot_fit_fails_with_a_sentence() -> None:
    with running(FakeContext(max_cells=60)) as scheduler:
        scheduler.submit(job := writing([*PREFIX, *range(100, 160)]))
        _, ended = outcome(job)
        assert isinstance(ended.error, BrainError)
        assert "brain.context_tokens" in str(ended.error)
        prompt = [*PREFIX, 1]
        scheduler.submit(job := writing(prompt, max_tokens=2))
        assert outcome(job)[0] == expected_reply(prompt, 2)


def test_a_jobs_failure_is_nobody_elses() -> None:
    context = FakeContext()
    with running(context) as scheduler:

        def fail() -> None:
            context.before_decode = lambda: None
            raise RuntimeError("out of luck")

        context.before_decode = fail
        scheduler.submit(job := writing([*PREFIX, 1]))
        _, ended = outcome(job)
        assert "out of luck" in str(ended.error)
        scheduler.submit(job := writing([*PREFIX, 1]))
        assert outcome(job) == (expected_reply([*PREFIX, 1], 12), Ended())


@pytest.mark.parametrize("is_guessing", [False, True])
@pytest.mark.parametrize("memory", list(Memory))
def test_leaving_at_any_point_never_spoils_the_cache(memory: Memory, is_guessing: bool) -> None:
    chance = random.Random(1)
    context = FakeContext(memory=memory, max_cells=400)
    turns = [[*PREFIX, person, *range(100, 100 + 7 * n)] for person in (1, 2, 3) for n in (1, 3, 6)]
    drafting = guessing() if is_guessing else None
    with running(context, n_slots=2, drafting=drafting) as scheduler:
        for _ in range(200):
            leave_at = len(context.decoded) + chance.randrange(1, 6)
            prompt = chance.choice(turns)
            job = writing(prompt) if chance.random() < 0.5 else reading(prompt)

            def leave(job: Job = job, at: int = leave_at) -> None:
                if len(context.decoded) == at:
                    scheduler.leave(job)

            context.before_decode = leave
            scheduler.submit(job)
            outcome(job)
            assert scheduler.is_idle
        context.before_decode = lambda: None
        for prompt in turns:
            scheduler.submit(job := writing(prompt))
            assert outcome(job)[0] == expected_reply(prompt, 12)


class Oracle:
    """Guesses what the fake context will say, wrongly now and then."""

    is_free = True

    def guess(self, tokens: Sequence[int], n: int) -> list[Guess]:
        right = expected_reply(tokens, n)
        guessed = [t + (i + len(tokens)) % 4 // 3 for i, t in enumerate(right)]
        return [Guess(token, Distribution.certain(token)) for token in guessed]


def guessing(n: int = 3) -> Drafting:
    costs = [1.0] * (n + 1)  # checking is free: always guess as many as there are costs
    length = DraftLength(check_ms=costs, guess_ms=0)
    length.learn_cost = lambda **_: None  # type: ignore[method-assign]
    return Drafting(Oracle(), length)


def test_guessing_ahead_changes_nothing_but_the_number_of_steps() -> None:
    context = FakeContext()
    replies: list[Reply] = []
    with running(context, drafting=guessing()) as scheduler:
        for word in range(1, 9):
            prompt = [*PREFIX, word]
            scheduler.submit(job := writing(prompt, max_tokens=20))
            assert outcome(job)[0] == expected_reply(prompt, 20)
            assert job.reply is not None
            replies.append(job.reply)
    n_accepted = sum(reply.n_accepted for reply in replies)
    assert 0 < n_accepted < sum(reply.n_drafted for reply in replies)
    n_said = sum(len(expected_reply([*PREFIX, word], 20)) for word in range(1, 9))
    assert len(context.decoded) < 0.6 * n_said


def test_replies_that_share_a_batch_are_not_guessed() -> None:
    context = FakeContext()
    gate = Gate(context)
    with running(context, drafting=guessing()) as scheduler:
        jobs = [writing([*PREFIX, word], max_tokens=5) for word in (1, 2)]
        for job in jobs:
            scheduler.submit(job)
        gate.open()
        for word, job in zip((1, 2), jobs, strict=True):
            assert outcome(job)[0] == expected_reply([*PREFIX, word], 5)
    assert all(len(run.tokens) == 1 for runs in context.decoded if len(runs) == 2 for run in runs)
