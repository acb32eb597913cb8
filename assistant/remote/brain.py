"""A brain behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
import openai

from assistant.audit_file import AuditLog
from assistant.config_answers import RemoteConfig
from assistant.conversation import estimated_tokens
from assistant.key import Key
from assistant.remote.breaker import Breaker
from assistant.remote.failure import BROKEN, LATE, NONSENSE, STALLED, RemoteError, failure
from assistant.remote.patience import Patience, pause_s
from assistant.remote.request import DONE, Encode, endpoint, messages, read_chunk
from assistant.remote.spending import Spending, Spent
from assistant.stages import Stream
from assistant.types import Prompt, ReplyPiece, ReplyStats

_KEPT_ALIVE_S = 300.0
"""An idle connection: longer than people are silent in a conversation."""

_BYTES_PER_TOKEN = 4

_FREE = frozenset({"key", "not_found", "rate_limit", "refused", "server", "unreachable"})
"""Outcomes of requests that no model has read."""

_ERRORS = (openai.OpenAIError, httpx2.HTTPError, ValueError)
"""What the package raises, and ours about what is no chunk."""


@dataclass(slots=True)
class _Tally:
    """What is known of one request so far."""

    n_tries: int = 0
    first_at_s: float | None = None
    last_at_s: float = 0.0
    bytes: int = 0
    has_ended: bool = False
    usage: Mapping[str, Any] = field(default_factory=dict)


class RemoteBrain:
    """Keeps its connections. One for each tier that is remote."""

    def __init__(
        self,
        *,
        tier: str,
        config: RemoteConfig,
        key: Key,
        patience: Patience,
        temperature: float,
        spending: Spending,
        audit: AuditLog,
        encode: Encode | None = None,
        clock: Callable[[], float] = time.monotonic,
        luck: Callable[[], float] = random.random,
    ) -> None:
        """`encode`: None where pictures stay here."""
        self._tier = tier
        self._config = config
        self._patience = patience
        self._temperature = temperature
        self._spending = spending
        self._audit = audit
        self._encode = encode
        self._clock = clock
        self._luck = luck
        self._endpoint = endpoint(config)
        self.breaker = Breaker()
        within_s = patience.first_token_ms / 1_000
        self._client = openai.AsyncOpenAI(
            base_url=self._endpoint,
            api_key=key.secret or "none",
            max_retries=0,  # ours know when there is still time
            timeout=httpx2.Timeout(within_s, connect=patience.connect_ms / 1_000),
            http_client=openai.DefaultAsyncHttpxClient(
                limits=httpx2.Limits(keepalive_expiry=_KEPT_ALIVE_S)
            ),
        )

    async def close(self) -> None:
        await self._client.close()

    async def prefill(self, prompt: Prompt) -> None:
        """The endpoint keeps its own cache; nothing is sent before there is a question."""

    def reply(self, prompt: Prompt, *, max_tokens: int) -> Stream[ReplyPiece]:
        return aclosing(self._pieces(prompt, max_tokens))

    async def _pieces(self, prompt: Prompt, max_tokens: int) -> AsyncGenerator[ReplyPiece]:
        if self._encode is None:
            prompt = tuple(replace(message, image=None) for message in prompt)
        prompt_tokens = estimated_tokens(prompt)
        most = self._spending.tariff.price(prompt_tokens, max_tokens)
        if not self._spending.reserve(most):
            raise RemoteError("the remote brain has used up what a day may cost", outcome="cap")
        asked_at_s = self._clock()
        if not self.breaker.admit(asked_at_s):
            self._spending.settle(self._tier, most, None)
            raise RemoteError(
                "the remote brain has just failed and is left alone for a while", outcome="open"
            )
        tally, outcome = _Tally(), "left"
        try:
            async for text in self._texts(prompt, max_tokens, asked_at_s, tally):
                yield ReplyPiece(text=text)
            outcome = "answered"
            self.breaker.succeeded()
            yield ReplyPiece(text="", stats=self._stats(tally, prompt_tokens, asked_at_s))
        except RemoteError as error:
            outcome = error.outcome
            self.breaker.failed(self._clock(), at_once=error.is_lasting, wait_s=error.wait_s or 0.0)
            raise
        finally:
            if outcome == "left":
                self.breaker.abandoned()
            spent = None if outcome in _FREE else self._spent(tally, prompt_tokens)
            self._spending.settle(self._tier, most, spent)
            self._note(prompt, tally, outcome, spent or Spent(), asked_at_s)

    async def _texts(
        self, prompt: Prompt, max_tokens: int, asked_at_s: float, tally: _Tally
    ) -> AsyncGenerator[str]:
        async with aclosing(await self._begin(prompt, max_tokens, asked_at_s, tally)) as texts:
            while True:
                try:
                    async with asyncio.timeout(self._patience.gap_ms / 1_000):
                        text = await anext(texts)
                except StopAsyncIteration:
                    break
                except TimeoutError:
                    raise RemoteError(STALLED, outcome="stalled") from None
                except _ERRORS as error:
                    broken = failure(error).outcome == "broken"
                    raise RemoteError(
                        BROKEN if broken else NONSENSE, outcome="broken" if broken else "nonsense"
                    ) from None
                yield text
        if not tally.has_ended:
            raise RemoteError(BROKEN, outcome="broken")

    async def _begin(
        self, prompt: Prompt, max_tokens: int, asked_at_s: float, tally: _Tally
    ) -> AsyncGenerator[str]:
        """The answer from its first words on. Asks again while there is time."""
        asked = messages(prompt, self._encode)
        try:
            async with asyncio.timeout(self._patience.first_token_ms / 1_000):
                while True:
                    tally.n_tries += 1
                    try:
                        return await self._try(asked, max_tokens, tally)
                    except _ERRORS as error:
                        wrong = failure(error)
                    if not wrong.may_retry or tally.n_tries > self._config.retries:
                        raise wrong
                    wait_s = pause_s(tally.n_tries, self._luck(), asked_s=wrong.wait_s)
                    waited_s = self._clock() - asked_at_s
                    if 1_000 * (waited_s + wait_s) > self._patience.first_token_ms:
                        raise wrong
                    await asyncio.sleep(wait_s)
        except TimeoutError:
            raise RemoteError(LATE, outcome="late") from None

    async def _try(
        self, asked: list[dict[str, Any]], max_tokens: int, tally: _Tally
    ) -> AsyncGenerator[str]:
        """One request, until its first words are there."""
        texts = self._read(asked, max_tokens, tally)
        try:
            first = await anext(texts, "")
        except BaseException:
            await texts.aclose()
            raise
        return _with_first(first, texts)

    async def _read(
        self, asked: list[dict[str, Any]], max_tokens: int, tally: _Tally
    ) -> AsyncGenerator[str]:
        """The lines are read here, to their end, so that the connection can be used again."""
        async with self._client.chat.completions.with_streaming_response.create(
            model=self._config.model,
            messages=cast(Any, asked),
            max_tokens=max_tokens,
            temperature=self._temperature,
            stream=True,
            stream_options={"include_usage": True},
        ) as response:
            async for line in response.iter_lines():
                data = line.removeprefix("data:").strip()
                if data == line.strip() or data == DONE:
                    continue  # no event, or the end of them
                chunk = read_chunk(data)
                tally.usage = chunk.usage or tally.usage
                tally.has_ended = tally.has_ended or chunk.is_last
                if chunk.text:
                    tally.last_at_s = self._clock()
                    tally.first_at_s = tally.first_at_s or tally.last_at_s
                    tally.bytes += len(chunk.text.encode())
                    yield chunk.text

    def _counts(self, tally: _Tally, prompt_tokens: int) -> tuple[int, int, int]:
        """Tokens of the prompt, those of them that were cached, and of the reply: as the server
        counted them, or as estimated where it did not, or was left before."""
        usage = tally.usage
        details = usage.get("prompt_tokens_details")
        return (
            _whole(usage.get("prompt_tokens")) or prompt_tokens,
            _whole(details.get("cached_tokens") if isinstance(details, dict) else None),
            _whole(usage.get("completion_tokens")) or -(-tally.bytes // _BYTES_PER_TOKEN),
        )

    def _spent(self, tally: _Tally, prompt_tokens: int) -> Spent:
        """Whoever leaves in the middle pays for what was read and written until then."""
        prompt, _, reply = self._counts(tally, prompt_tokens)
        return self._spending.tariff.price(prompt, reply)

    def _stats(self, tally: _Tally, prompt_tokens: int, asked_at_s: float) -> ReplyStats:
        prompt, cached, reply = self._counts(tally, prompt_tokens)
        ttft_ms = 1_000 * ((tally.first_at_s or self._clock()) - asked_at_s)
        decoding_ms = 1_000 * (tally.last_at_s - (tally.first_at_s or 0.0))
        return ReplyStats(
            prompt_tokens=prompt,
            cached_tokens=cached,
            reply_tokens=reply,
            queue_ms=0.0,
            prefill_ms=ttft_ms,
            ttft_ms=ttft_ms,
            tpot_ms=decoding_ms / (reply - 1) if reply > 1 else None,
            cost=self._spending.tariff.price(prompt, reply).cost,
        )

    def _note(
        self, prompt: Prompt, tally: _Tally, outcome: str, spent: Spent, asked_at_s: float
    ) -> None:
        self._audit.note(
            "remote request",
            tier=self._tier,
            host=urlsplit(self._endpoint).netloc,
            region=self._config.region,
            model=self._config.model,
            outcome=outcome,
            tries=tally.n_tries,
            images=sum(message.image is not None for message in prompt),
            prompt_tokens=spent.prompt_tokens,
            reply_tokens=spent.reply_tokens,
            cost=spent.cost,
            cost_today=self._spending.of_today().cost,
            ms=round(1_000 * (self._clock() - asked_at_s)),
        )


async def _with_first(first: str, texts: AsyncGenerator[str]) -> AsyncGenerator[str]:
    async with aclosing(texts):
        if first:
            yield first
        async for text in texts:
            yield text


def _whole(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
