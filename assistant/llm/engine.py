"""The brain: prompts in, text out. This is what runs in the brain's worker process."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.config import BrainConfig
from assistant.errors import BrainError, TooLongError
from assistant.llm.calibration import calibrate
from assistant.llm.context import Context, Decoded, Run, Sampler
from assistant.llm.draft import Drafting, Guesser, NgramLookup
from assistant.llm.draft_model import DraftModel
from assistant.llm.job import Job, Reply
from assistant.llm.kv_cache import KvCache
from assistant.llm.model import Model, build_name
from assistant.llm.prefix import Cell, Memory, Picture, leading_tokens, n_positions, n_tokens
from assistant.llm.prefix_file import PrefixFile, prefix_key
from assistant.llm.scheduler import Scheduler
from assistant.llm.template import ChatTemplate
from assistant.llm.text import SpokenText, is_looping
from assistant.llm.threads import ThreadCount, apart
from assistant.llm.vision import Projector, Sight
from assistant.types import ImageFrame, Message, Prompt, ReplyPiece, ReplyStats, Role
from assistant.worker_host import Leaving

logger = logging.getLogger(__name__)

Pieces = Generator[ReplyPiece, None, None]

_UBATCH_TOKENS = 64
"""An abort loses at most this much work; smaller ones cost 2-8 % of prefill."""


class Engine:
    """A language model with its KV cache, for any number of conversations at once.

    Prompts are values: each call passes the whole conversation, and what the cache holds of it is
    not read again. Methods may be called from any thread.
    """

    def __init__(
        self,
        config: BrainConfig,
        model_folder: Path,
        draft_folder: Path | None,
        prefix_folder: Path,
    ) -> None:
        """Load and warm up. Raises ModelFileError or BrainError."""
        self._config = config
        apart(lambda: self._load(model_folder, draft_folder, prefix_folder))

    def _load(self, model_folder: Path, draft_folder: Path | None, prefix_folder: Path) -> None:
        config = self._config
        self._model = Model(model_folder / "model.gguf", gpu_layers=config.gpu_layers)
        self._template = ChatTemplate(self._model)
        threads = _available_threads(config.threads)
        projector = _projector(config, model_folder, self._model, threads)
        tile_tokens = projector.batch_tokens if projector else 1
        self._sight = Sight(projector, memory_mb=config.image_memory_mb) if projector else None
        self._context = Context(
            self._model,
            context_tokens=config.context_tokens,
            batch_tokens=max(config.batch_tokens, config.max_conversations, tile_tokens),
            ubatch_tokens=max(min(config.batch_tokens, _UBATCH_TOKENS), tile_tokens),
            n_sequences=1 + config.max_conversations,
            threads=threads,
        )
        self._cache = KvCache(self._context, config.max_conversations)
        self._read_system_prompt(prefix_folder)
        self._draft_model: DraftModel | None = None
        self._drafting = self._open_drafting(draft_folder, threads)
        self._scheduler = Scheduler(
            self._context,
            self._cache,
            slice_tokens=config.batch_tokens,
            threads=ThreadCount(threads, n_cores=os.cpu_count() or threads),
            sight=self._sight,
            drafting=self._drafting,
        )

    def prefill(self, prompt: Prompt, leaving: Leaving) -> None:
        """Read a prompt that may go on behind its last word.

        Returns when it is read, or when newer work of the same conversation takes its place.
        """
        self._prefill(prompt, leaving, in_background=False)

    def read_ahead(self, prompt: Prompt, leaving: Leaving) -> None:
        """The same, whenever there is nothing else to do."""
        self._prefill(prompt, leaving, in_background=True)

    def _prefill(self, prompt: Prompt, leaving: Leaving, *, in_background: bool) -> None:
        cells, frames = self._cells(prompt, is_open=True)
        if self._model.memory is Memory.RECURRENT:
            del cells[-1:]  # a word that grows could not be taken back
        if n_positions(cells) >= self._longest_tokens:
            return
        job = Job(cells=cells, frames=frames, in_background=in_background)
        self._scheduler.submit(job)
        leaving.on_set(lambda: self._scheduler.leave(job))
        ended = job.events.get()
        assert not isinstance(ended, int), "nothing is written"
        if ended.error is not None:
            raise ended.error

    def reply(self, prompt: Prompt, max_tokens: int, leaving: Leaving) -> Pieces:
        """Read what is missing of the prompt, then write. The last piece alone has stats.

        Raises TooLongError, and BrainError when the model says nothing of use.
        """
        return self._reply(prompt, max_tokens, leaving, may_guess=True)

    def reply_undrafted(self, prompt: Prompt, max_tokens: int, leaving: Leaving) -> Pieces:
        """The same without guessing ahead."""
        return self._reply(prompt, max_tokens, leaving, may_guess=False)

    def _reply(
        self, prompt: Prompt, max_tokens: int, leaving: Leaving, *, may_guess: bool
    ) -> Pieces:
        asked_at_s = time.monotonic()
        cells, frames = self._cells(prompt)
        room = self._longest_tokens - n_positions(cells)
        if room < 1:
            raise TooLongError(
                f"the conversation is too long for the brain: {n_positions(cells)} tokens, and "
                f"brain.context_tokens allows {self._longest_tokens}"
            )
        with closing(self._sampler(repeat_penalty=self._config.repeat_penalty)) as sampler:
            reply = Reply(
                sampler=sampler,
                random=np.random.default_rng(self._config.seed),
                max_tokens=min(max_tokens, room),
                may_guess=may_guess,
            )
            job = Job(cells=list(cells), frames=frames, reply=reply, submitted_at_s=asked_at_s)
            self._scheduler.submit(job)
            leaving.on_set(lambda: self._scheduler.leave(job))
            try:
                yield from self._pieces(job, reply, prompt, cells)
            finally:
                self._scheduler.leave(job)
                job.ended.wait()

    def _pieces(self, job: Job, reply: Reply, prompt: Prompt, cells: list[Cell]) -> Pieces:
        text = SpokenText(
            stop_sequences=self._config.stop_sequences,
            is_thinking=self._template.begins_thinking,
        )
        spoken = ""
        tokens: list[int] = []
        while isinstance(token := job.events.get(), int):
            tokens.append(token)
            if is_looping(tokens):
                raise BrainError("the model repeats itself")
            piece = text.add(self._model.piece(token))
            spoken += piece
            if piece:
                yield ReplyPiece(text=piece)
            if text.has_stopped:
                self._scheduler.leave(job)
                job.ended.wait()
                break
        else:
            if token.error is not None:
                raise token.error
            if job.has_left:
                return
        rest = text.end()
        if not (spoken + rest).strip():
            raise BrainError("the model gave an empty answer")
        new, _ = self._cells(prompt[-1:])
        yield ReplyPiece(text=rest, stats=self._stats(job, reply, cells, n_new=n_tokens(new)))

    def _stats(self, job: Job, reply: Reply, cells: list[Cell], *, n_new: int) -> ReplyStats:
        assert job.started_at_s is not None
        n_later = len(reply.tokens) - 1
        writing_ms = 1_000 * (reply.last_token_at_s - reply.first_token_at_s)
        n_read = n_tokens(cells[job.cached_cells :])
        stats = ReplyStats(
            prompt_tokens=n_tokens(cells),
            cached_tokens=n_tokens(cells) - n_read,
            reread_tokens=max(0, n_read - n_new),
            reply_tokens=len(reply.tokens),
            queue_ms=1_000 * (job.started_at_s - job.submitted_at_s),
            prefill_ms=1_000 * (reply.first_token_at_s - job.started_at_s),
            ttft_ms=1_000 * (reply.first_token_at_s - job.submitted_at_s),
            tpot_ms=writing_ms / n_later if n_later > 0 else None,
        )
        if self._drafting is None or not stats.tpot_ms:
            return stats
        length = self._drafting.length
        return replace(
            stats,
            drafted_tokens=reply.n_drafted,
            accepted_tokens=reply.n_accepted,
            draft_length=length.best,
            predicted_speed_ratio=length.speed_ratio(length.best),
            measured_speed_ratio=length.plain_ms / stats.tpot_ms,
        )

    def _sampler(self, *, repeat_penalty: float) -> Sampler:
        return Sampler(
            self._model.n_vocab,
            temperature=self._config.temperature,
            top_k=self._config.top_k,
            top_p=self._config.top_p,
            repeat_penalty=repeat_penalty,
        )

    def _open_drafting(self, folder: Path | None, threads: int) -> Drafting | None:
        """A draft model where there is one, else the conversation itself, else none."""
        guesser: Guesser
        if folder is not None:
            guesser = self._draft_model = DraftModel(
                folder / "model.gguf",
                self._model,
                sampler=self._sampler(repeat_penalty=1.0),
                context_tokens=self._context.context_tokens,
                threads=threads,
                gpu_layers=self._config.gpu_layers,
                seed=self._config.seed,
            )
        elif self._config.draft_from_conversation:
            guesser = NgramLookup()
        else:
            return None
        tokens = leading_tokens(self._cache.prefix.cells)
        drafting = Drafting(guesser, calibrate(self._context, 1, tokens, guesser))
        if not drafting.length.can_pay:
            logger.info("guessing ahead cannot pay on this machine: it is off")
        return drafting

    def _cells(
        self, prompt: Prompt, *, is_open: bool = False
    ) -> tuple[list[Cell], dict[str, ImageFrame]]:
        """The prompt, and the pixels of its pictures by key."""
        sight = self._sight
        frames: dict[str, ImageFrame] = {}
        if sight is None:
            return self._template.cells(prompt, is_open=is_open), frames

        def see(frame: ImageFrame) -> Picture:
            picture = sight.picture(frame)
            frames[picture.key] = frame
            return picture

        return self._template.cells(prompt, is_open=is_open, see=see), frames

    @property
    def _longest_tokens(self) -> int:
        return min(self._context.context_tokens, self._model.trained_context_tokens)

    def _read_system_prompt(self, folder: Path) -> None:
        """Fill sequence 0, from disk when it was read before, and touch all weights once."""
        system = Message(role=Role.SYSTEM, text=self._config.system_prompt)
        cells, _ = self._cells((system, Message(role=Role.USER, text="")), is_open=True)
        kept = PrefixFile(
            folder / f"{self._model.path.parent.name}.prefix",
            key=prefix_key(
                self._model.fingerprint(),
                self._sight.fingerprint() if self._sight else b"",
                build_name().encode(),
                self._context.kv_types.encode(),
                repr(cells).encode(),
            ),
        )
        state = kept.load()
        if state is None or not self._context.restore(0, state):
            self._context.remove(0)
            self._read(0, cells)
            kept.save(self._context.state(0))
        self._cache.prefix.cells = cells
        self._read(1, cells[-1:])
        self._context.remove(1)

    def _read(self, sequence: int, cells: list[Cell]) -> None:
        tokens = [cell for cell in cells if isinstance(cell, int)]
        for i in range(0, len(tokens), self._context.batch_tokens):
            run = Run(sequence, i, tokens[i : i + self._context.batch_tokens])
            if self._context.decode([run]) is not Decoded.DONE:
                raise BrainError("the system prompt does not fit: raise brain.context_tokens")

    @property
    def can_see(self) -> bool:
        """Whether pictures of a prompt are read; without a projector they are left out."""
        return self._sight is not None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is read or written."""
        return self._scheduler.is_idle

    def close(self) -> None:
        self._scheduler.close()
        if self._sight is not None:
            self._sight.close()
        if self._draft_model is not None:
            self._draft_model.close()
        self._context.close()
        self._model.close()


def _projector(
    config: BrainConfig, model_folder: Path, model: Model, threads: int
) -> Projector | None:
    """The configured one, else the model's own, else none."""
    path = model_folder / "mmproj.gguf"
    if config.projector != Path(""):
        path = config.projector
    elif not path.exists():
        return None
    return Projector(path, model, threads=threads, use_gpu=config.gpu_layers > 0)


def _available_threads(wanted: int) -> int:
    """More threads than cores make each token wait for the slowest."""
    cores = os.cpu_count() or 1
    if wanted > cores:
        logger.warning("brain.threads is %d, but there are %d cores: using those", wanted, cores)
    return min(wanted, cores)
