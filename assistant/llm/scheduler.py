"""One thread owns the context; everybody's work goes through it, a batch at a time.

A batch holds the newest token of every reply that is being written, plus a slice of one prompt that
is being read. What a job still has to read is always its cells less what its slot holds, so that
aborts, evictions and failures need no bookkeeping of their own: the rest is planned anew.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable

from assistant.errors import BrainError
from assistant.llm.context import Context, Decoded, Run
from assistant.llm.draft import Drafting, check
from assistant.llm.job import Ended, Job, Part, Priority, Reply
from assistant.llm.kv_cache import KvCache, Slot
from assistant.llm.prefix import Memory, common_cells, is_revision, leading_tokens
from assistant.llm.threads import ThreadCount
from assistant.llm.vision import Sight

logger = logging.getLogger(__name__)

_SHARED_SLICE_TOKENS = 16
"""Prompt tokens read in one batch with replies that are being written: their rhythm comes first.
In the background too: what cannot be aborted waits for no more than this."""


class Scheduler:
    """Runs jobs on one context until it is closed."""

    def __init__(
        self,
        context: Context,
        cache: KvCache,
        *,
        slice_tokens: int,
        threads: ThreadCount,
        sight: Sight | None = None,
        drafting: Drafting | None = None,
    ) -> None:
        """`slice_tokens`: how much of a prompt is read at once."""
        self._context = context
        self._cache = cache
        self._slice_tokens = slice_tokens
        self._threads = threads
        self._sight = sight
        self._drafting = drafting if context.model.memory is not Memory.RECURRENT else None
        self._memory = context.model.memory
        self._changed = threading.Condition()
        self._jobs: list[Job] = []
        """By arrival. Guarded by `_changed`, like `_running` and `Job.has_left`."""

        self._running: list[Part] = []
        self._has_news = False
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="brain", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queue a job. Read-along of the same conversation gives way to it."""
        with self._changed:
            for older in self._jobs:
                is_reading = older.reply is None and older.priority >= job.priority
                if is_reading and self._supersedes(job, older):
                    older.has_left = True
            self._jobs.append(job)
            if self._running and all(self._gives_way(part, job) for part in self._running):
                self._context.abort()
            self._wake()

    def leave(self, job: Job) -> None:
        """Nobody reads the job's events any more. It ends in milliseconds when it runs alone."""
        with self._changed:
            job.has_left = True
            if self._running and all(part.job.has_left for part in self._running):
                self._context.abort()
            self._wake()

    @property
    def is_idle(self) -> bool:
        with self._changed:
            return not self._jobs

    def close(self) -> None:
        with self._changed:
            for job in self._jobs:
                job.has_left = True
            self._is_closing = True
            self._context.abort()
            self._wake()
        self._thread.join()

    def _supersedes(self, newer: Job, older: Job) -> bool:
        shared = common_cells(newer.cells, older.cells)
        return is_revision(
            shared=shared,
            discarded=len(older.cells) - shared,
            prefix=len(self._cache.prefix.cells),
        )

    def _gives_way(self, part: Part, newcomer: Job) -> bool:
        """Whether what runs now is worth less than to begin with the newcomer at once."""
        job = part.job
        if not job.has_left and job.priority <= newcomer.priority:
            return False
        n_useful = job.n_read + part.n_cells
        return common_cells(job.cells[:n_useful], newcomer.cells) < n_useful

    def _wake(self) -> None:
        """Something changed that the next plan may depend on."""
        with self._changed:
            self._has_news = True
            self._changed.notify_all()

    def _run(self) -> None:
        while not self._is_closing:
            try:
                self._run_batch()
            except Exception as error:
                logger.exception("the brain's scheduler failed")
                self._fail(self._jobs, f"{type(error).__name__}: {error}")

    def _run_batch(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._has_news)
            self._has_news = False
            self._end_left()
            self._running = parts = self._plan()
            self._context.clear_abort()
        if parts:
            self._wake()
            self._step(parts)

    def _step(self, parts: list[Part]) -> None:
        self._context.use_threads(self._threads.look())
        now_s = time.monotonic()
        for part in parts:
            part.job.started_at_s = part.job.started_at_s or now_s
        if len(parts) == 1 and parts[0].job.is_live:
            parts = [self._with_guesses(parts[0])]
        texts = [part for part in parts if part.picture is None]
        pictures = [part for part in parts if part.picture is not None]
        try:
            if texts:
                self._conclude(texts, self._decode(texts))
            for part in pictures:
                self._conclude([part], self._look(part))
        finally:
            with self._changed:
                self._running = []

    def _decode(self, parts: list[Part]) -> Decoded:
        began_at_s = time.monotonic()
        outcome = self._context.decode([part.run for part in parts])
        if self._drafting is not None and len(parts) == 1 and parts[0].job.is_live:
            self._drafting.length.learn_cost(
                n_guesses=len(parts[0].guesses), check_ms=1_000 * (time.monotonic() - began_at_s)
            )
        return outcome

    def _with_guesses(self, part: Part) -> Part:
        """A reply that is written alone may be guessed ahead."""
        job, run = part.job, part.run
        if self._drafting is None or job.reply is None or not job.reply.may_guess:
            return part
        at_most = job.reply.max_tokens - len(job.reply.tokens) - 1
        text = [cell for cell in job.cells if isinstance(cell, int)]
        guesses = self._drafting.guess(text, min(at_most, self._context.batch_tokens - 1))
        tokens = [*run.tokens, *(guess.token for guess in guesses)]
        return Part(job, Run(run.sequence, run.position, tokens, len(tokens)), guesses=guesses)

    def _look(self, part: Part) -> Decoded:
        assert self._sight is not None
        assert part.picture is not None
        run = part.run
        return self._sight.read(
            part.picture, self._context, sequence=run.sequence, position=run.position
        )

    def _conclude(self, parts: list[Part], outcome: Decoded) -> None:
        match outcome:
            case Decoded.DONE:
                self._settle(parts)
            case Decoded.ABORTED:
                self._recover(parts)
            case Decoded.NO_ROOM:
                self._recover(parts)
                self._make_room()
            case Decoded.FAILED:
                self._fail([part.job for part in parts], "llama.cpp could not decode")

    def _plan(self) -> list[Part]:
        """The next batch. Gives slots to jobs whose turn it is to read."""
        parts = [self._part(job, 1) for job in self._jobs if job.is_live]
        room = _SHARED_SLICE_TOKENS if parts else self._slice_tokens
        room = min(room, self._context.batch_tokens - len(parts))
        for job in sorted(self._jobs, key=lambda job: job.priority):
            if job.is_live:
                continue
            if job.priority is Priority.BACKGROUND:
                if parts:
                    break
                room = min(room, _SHARED_SLICE_TOKENS)
            if not self._has_slot(job):
                continue
            if job.n_read == len(job.cells):
                self._end(job)
            elif (part := self._next_part(job, room)) is not None:
                return [*parts, part]
        return parts

    def _next_part(self, job: Job, room: int) -> Part | None:
        """What a job reads next; None while its next picture is being encoded."""
        picture = job.cells[job.n_read]
        if isinstance(picture, int):
            return self._part(job, room)
        future = job.encodings[picture.key]
        if not future.done():
            return None
        if (error := future.exception()) is not None:
            self._fail([job], str(error))
            return None
        slot = job.slot
        assert slot is not None
        return Part(job, Run(slot.sequence, slot.end_position, ()), future.result())

    def _part(self, job: Job, room: int) -> Part:
        slot = job.slot
        assert slot is not None
        tokens = leading_tokens(job.cells[job.n_read : job.n_read + room])
        reaches_end = job.n_read + len(tokens) == len(job.cells)
        n_outputs = int(reaches_end and job.reply is not None)
        return Part(job, Run(slot.sequence, slot.end_position, tokens, n_outputs))

    def _has_slot(self, job: Job) -> bool:
        if job.slot is None:
            needed = len(job.cells) - (job.reply is not None)  # the last token's logits are needed
            job.slot = self._cache.take(job.cells, keep_at_most=needed)
            if job.slot is None and job.reply is not None and self._end_last_read_along():
                job.slot = self._cache.take(job.cells, keep_at_most=needed)
            if job.started_at_s is None:
                job.cached_cells = job.n_read
            self._encode_pictures(job)
        return job.slot is not None

    def _encode_pictures(self, job: Job) -> None:
        """Begin with all that will be read; `_next_part` waits for them one by one."""
        for cell in job.cells[job.n_read :]:
            if not isinstance(cell, int) and cell.key not in job.encodings:
                assert self._sight is not None
                future = self._sight.encoding(cell, job.frames[cell.key])
                job.encodings[cell.key] = future
                future.add_done_callback(lambda _: self._wake())

    def _settle(self, parts: list[Part]) -> None:
        """The batch was read: let every reply that has an output say its next token."""
        place = 0
        for part in parts:
            job, slot = part.job, part.job.slot
            assert slot is not None
            place += len(part.run.tokens)
            slot.cells += job.cells[job.n_read : job.n_read + part.n_cells]
            if part.run.n_outputs and not job.has_left:
                self._speak(part, slot, place - part.run.n_outputs)
            elif job.n_read == len(job.cells):
                self._end(job)
            if part.guesses:
                self._context.remove(slot.sequence, slot.end_position)

    def _speak(self, part: Part, slot: Slot, place: int) -> None:
        """Say a token for each guess that holds, and one more."""
        job, reply = part.job, part.job.reply
        assert reply is not None
        said: list[int] = []
        reply.n_drafted += len(part.guesses)
        for guess in (*part.guesses, None):
            wanted = reply.sampler.distribution(self._context.logits(place + len(said)))
            token = (
                wanted.draw(reply.random) if guess is None else check(guess, wanted, reply.random)
            )
            is_right = guess is not None and token == guess.token
            reply.n_accepted += is_right
            said.append(token)
            self._say(job, reply, token)
            if not is_right or job.ended.is_set():
                break
            slot.cells.append(token)
        if self._drafting is not None:
            self._drafting.learn(part.guesses, said)

    def _say(self, job: Job, reply: Reply, token: int) -> None:
        if self._context.model.ends_reply(token):
            self._end(job)
            return
        reply.last_token_at_s = time.monotonic()
        if not reply.tokens:
            reply.first_token_at_s = reply.last_token_at_s
        reply.sampler.accept(token)
        reply.tokens.append(token)
        job.cells.append(token)
        job.events.put(token)
        if len(reply.tokens) == reply.max_tokens:
            self._end(job)

    def _recover(self, parts: list[Part]) -> None:
        """After an abort whole micro-batches are in the memory, and a recurrent state is spoilt."""
        for part in parts:
            slot = part.job.slot
            assert slot is not None
            if self._memory is Memory.RECURRENT:
                self._take_slot(part.job, spoilt=True)
                continue
            if part.picture is None:
                n_read = self._context.end_position(slot.sequence) - part.run.position
                slot.cells += part.run.tokens[: max(0, min(n_read, part.n_cells))]
            self._context.remove(slot.sequence, slot.end_position)

    def _make_room(self) -> None:
        """The context is full: idle cells go first, then read-along, then the newest reply."""
        if self._cache.evict():
            return
        if not self._end_last_read_along():
            last = [job for job in self._jobs if job.slot is not None][-1]
            self._fail([last], "brain.context_tokens is too small for all that is being answered")

    def _end_last_read_along(self) -> bool:
        """Its cells can be read again; nobody misses them yet."""
        reading = [job for job in self._jobs if job.reply is None and job.slot is not None]
        if not reading:
            return False
        self._end(max(reversed(reading), key=lambda job: job.priority))
        return True

    def _fail(self, jobs: Iterable[Job], reason: str) -> None:
        for job in list(jobs):
            self._take_slot(job, spoilt=True)
            self._end(job, BrainError(f"the reply failed: {reason}"))

    def _end_left(self) -> None:
        for job in [job for job in self._jobs if job.has_left]:
            self._end(job)

    def _end(self, job: Job, error: BrainError | None = None) -> None:
        self._take_slot(job, spoilt=False)
        with self._changed:
            self._jobs.remove(job)
            self._wake()
        job.events.put(Ended(error))
        job.ended.set()

    def _take_slot(self, job: Job, *, spoilt: bool) -> None:
        if job.slot is not None:
            if spoilt:
                self._cache.clear(job.slot)
            self._cache.release(job.slot)
            job.slot = None
