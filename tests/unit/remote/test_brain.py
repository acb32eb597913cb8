"""A remote brain against a real HTTP endpoint that answers or fails as it is told."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.audit_file import AuditLog
from assistant.bench.endpoint import Conduct, FakeEndpoint, fake_endpoint
from assistant.config import BudgetConfig
from assistant.config_answers import RemoteConfig
from assistant.errors import BrainError, ConfigError
from assistant.key import Key
from assistant.remote.brain import RemoteBrain
from assistant.remote.patience import Patience, patience
from assistant.remote.request import endpoint
from assistant.remote.spending import Spending, Tariff
from assistant.types import Message, Prompt, ReplyStats, Role
from tests.fakes import picture, settle

SECRET = "sk-very-secret"
PROMPT: Prompt = (
    Message(role=Role.SYSTEM, text="Be brief."),
    Message(role=Role.USER, text="Why is the sky blue?", image=picture()),
)
TARIFF = Tariff(prompt_price=2.0, reply_price=10.0)
QUICK = Patience(connect_ms=2_000, first_token_ms=400, gap_ms=400)


@asynccontextmanager
async def brain_at(
    fake: FakeEndpoint,
    *,
    waits: Patience | None = None,
    tariff: Tariff = TARIFF,
    audit: Path = Path(),
    sends_images: bool = False,
) -> AsyncGenerator[RemoteBrain]:
    async with fake_endpoint(fake):
        brain = RemoteBrain(
            tier="strong",
            config=RemoteConfig(endpoint=fake.url, model="fake", region="here"),
            key=Key(SECRET),
            patience=waits or Patience(connect_ms=5_000, first_token_ms=5_000, gap_ms=5_000),
            temperature=0.0,
            spending=Spending(tariff),
            audit=AuditLog(audit),
            encode=(lambda _: b"jpeg") if sends_images else None,
            luck=lambda: 0.0,
        )
        try:
            yield brain
        finally:
            await brain.close()


async def ask(brain: RemoteBrain, said: list[str] | None = None) -> tuple[str, ReplyStats | None]:
    """`said`: where the words go as they come."""
    said, stats = [] if said is None else said, None
    async with brain.reply(PROMPT, max_tokens=50) as pieces:
        async for piece in pieces:
            said.append(piece.text)
            stats = piece.stats or stats
    return "".join(said), stats


async def test_answer_streams_and_is_counted() -> None:
    async with brain_at(FakeEndpoint()) as brain:
        said, stats = await ask(brain)
        assert said == "The sky scatters blue light the most."
        assert stats is not None
        assert (stats.prompt_tokens, stats.reply_tokens) == (40, 8)
        assert stats.cost == pytest.approx((40 * 2 + 8 * 10) / 1e6)


async def test_tokens_are_estimated_where_the_server_does_not_count() -> None:
    async with brain_at(FakeEndpoint(counts_tokens=False)) as brain:
        _, stats = await ask(brain)
        assert stats is not None
        assert stats.prompt_tokens > 0
        assert 0 < stats.reply_tokens < 20


async def test_connection_is_used_again() -> None:
    fake = FakeEndpoint()
    async with brain_at(fake) as brain:
        await ask(brain)
        await ask(brain)
        assert (len(fake.requests), fake.n_connections) == (2, 1)


@pytest.mark.parametrize("sends_images", [False, True])
async def test_pictures_are_sent_only_where_that_is_allowed(sends_images: bool) -> None:
    fake = FakeEndpoint()
    async with brain_at(fake, sends_images=sends_images) as brain:
        await ask(brain)
    assert ("image_url" in json.dumps(fake.requests[0])) == sends_images
    assert "Why is the sky blue?" in json.dumps(fake.requests[0])


@pytest.mark.parametrize(
    ("conduct", "says", "n_requests"),
    [
        (Conduct.STALL, "not begun to answer in time", 1),
        (Conduct.RATE_LIMIT, "too many requests", 3),
        (Conduct.UNAUTHORIZED, "does not accept the key", 1),
        (Conduct.SERVER_FAULT, "a fault of its own", 3),
        (Conduct.NONSENSE, "no answer", 3),
        (Conduct.NO_CHUNK, "no answer", 3),
    ],
)
async def test_failure_before_the_first_token(conduct: Conduct, says: str, n_requests: int) -> None:
    fake = FakeEndpoint(conduct=conduct)
    async with brain_at(fake, waits=replace(QUICK, first_token_ms=1_500)) as brain:
        with pytest.raises(BrainError, match=says):
            await ask(brain)
        await settle()
        assert len(fake.requests) == n_requests


@pytest.mark.parametrize(
    ("conduct", "says"),
    [
        (Conduct.STALL_LATER, "fell silent"),
        (Conduct.BREAK, "line .* broke"),
        (Conduct.CLOSE, "line .* broke"),
        (Conduct.NONSENSE_LATER, "no answer"),
    ],
)
async def test_failure_in_the_middle_is_told_and_not_tried_again(
    conduct: Conduct, says: str
) -> None:
    fake = FakeEndpoint(conduct=conduct)
    said = list[str]()
    async with brain_at(fake, waits=replace(QUICK, first_token_ms=5_000)) as brain:
        with pytest.raises(BrainError, match=says):
            await ask(brain, said)
    assert "".join(said) == "The sky scatters blue"
    assert len(fake.requests) == 1


async def test_passing_failure_is_tried_again_unnoticed() -> None:
    fake = FakeEndpoint(conduct=Conduct.SERVER_FAULT, then=[Conduct.NONSENSE, Conduct.ANSWER])
    async with brain_at(fake) as brain:
        said, _ = await ask(brain)
    assert said.endswith("the most.")
    assert len(fake.requests) == 3


async def test_server_that_asks_for_a_pause_beyond_the_deadline_is_not_asked_again() -> None:
    fake = FakeEndpoint(conduct=Conduct.RATE_LIMIT, retry_after="60")
    async with brain_at(fake) as brain:
        for _ in range(2):
            with pytest.raises(BrainError):
                await ask(brain)
    assert len(fake.requests) == 1  # nor by the next turn


async def test_wrong_key_opens_the_breaker_at_once() -> None:
    fake = FakeEndpoint(conduct=Conduct.UNAUTHORIZED)
    async with brain_at(fake) as brain:
        with pytest.raises(BrainError, match="key"):
            await ask(brain)
        with pytest.raises(BrainError, match="left alone"):
            await ask(brain)
    assert len(fake.requests) == 1


async def test_nobody_there() -> None:
    fake = FakeEndpoint()
    async with fake_endpoint(fake):
        url = fake.url
    config = RemoteConfig(endpoint=url, model="fake")
    brain = RemoteBrain(
        tier="fast",
        config=config,
        key=Key(""),
        patience=patience(BudgetConfig()),
        temperature=0.0,
        spending=Spending(),
        audit=AuditLog(),
    )
    with pytest.raises(BrainError, match="cannot be reached"):
        await ask(brain)
    await brain.close()


async def test_leaving_ends_the_request_and_is_paid_for() -> None:
    fake = FakeEndpoint(token_s=0.05, words=["word "] * 200)
    async with brain_at(fake) as brain:
        async with brain.reply(PROMPT, max_tokens=500) as pieces:
            async for _ in pieces:
                break
        for _ in range(100):
            if not fake.n_open:
                break
            await asyncio.sleep(0.02)
        assert fake.n_open == 0
        spent = brain._spending.of_today()
        assert spent.prompt_tokens > 0
        assert 0 < spent.reply_tokens < 20
        assert brain.breaker.admit(0.0)


async def test_cancelling_before_the_first_token_leaves_nothing_behind() -> None:
    fake = FakeEndpoint(conduct=Conduct.STALL)
    async with brain_at(fake) as brain:
        task = asyncio.create_task(ask(brain))
        while not fake.n_open:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert brain.breaker.n_failures == 0


async def test_cap_ends_it_for_the_day() -> None:
    fake = FakeEndpoint()
    async with brain_at(fake, tariff=replace(TARIFF, daily_tokens=90)) as brain:
        await ask(brain)
        with pytest.raises(BrainError, match="what a day may cost"):
            await ask(brain)
    assert len(fake.requests) == 1


@pytest.mark.parametrize("conduct", list(Conduct))
async def test_key_and_words_stay_out_of_errors_log_and_audit(
    conduct: Conduct, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    audit = tmp_path / "audit.jsonl"
    fake = FakeEndpoint(conduct=conduct)
    shown = ""
    async with brain_at(fake, waits=QUICK, audit=audit) as brain:
        shown = repr(brain)
        try:
            await ask(brain)
        except BrainError as error:
            shown += f"{error!r} {error.__cause__!r}"
            logging.getLogger("test").debug("it failed", exc_info=error)
    assert SECRET in "".join(fake.headers)
    assert SECRET not in shown + caplog.text + audit.read_text()
    (line,) = audit.read_text().splitlines()
    noted: dict[str, Any] = json.loads(line)
    assert noted["what"] == "remote request"
    assert (noted["tier"], noted["model"], noted["region"]) == ("strong", "fake", "here")
    assert "sky" not in line
    assert audit.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (RemoteConfig(model="m"), "http or https URL"),
        (RemoteConfig(endpoint="ftp://x", model="m"), "http or https URL"),
        (RemoteConfig(endpoint="http://key@x/v1", model="m"), "password"),
        (RemoteConfig(endpoint="http://x/v1"), "remote.model"),
    ],
)
def test_endpoint_that_cannot_be(config: RemoteConfig, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        endpoint(config)


def test_region_is_part_of_the_address() -> None:
    config = RemoteConfig(endpoint="https://{region}.example.org/v1", region="eu", model="m")
    assert endpoint(config) == "https://eu.example.org/v1"
