"""The brains of the settings, put together: who may be asked, and in which order."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.audit_file import AuditLog
from assistant.config import Config
from assistant.errors import ConfigError
from assistant.key import Key, read_key
from assistant.marked_questions import MarkedQuestions, marked_questions
from assistant.model_store import ModelStore
from assistant.recall.encoder import shared_encoder
from assistant.remote.patience import patience
from assistant.remote.request import Encode, endpoint
from assistant.remote.spending import Spending, Tariff
from assistant.routed_brain import RoutedBrain, TierBrain
from assistant.router import Tier
from assistant.stages import Brain

if TYPE_CHECKING:
    from assistant.remote.brain import RemoteBrain


def check_tiers(config: Config) -> None:
    """Raises ConfigError about tiers that cannot be, before any engine is started."""
    tiers = config.tiers
    if tiers.fast == "remote" and tiers.strong == "remote":
        raise ConfigError(
            "tiers.fast and tiers.strong are both remote, and there is one remote model: make one"
            " of them local"
        )
    if tiers.strong == "local" and not tiers.strong_model:
        raise ConfigError("tiers.strong_model is empty: name the manifest of a stronger brain")
    if remote_tier(config):
        endpoint(config.remote)
        _key(config)


def hard_questions(config: Config, store: ModelStore) -> Callable[[str], bool]:
    """Blocks while it learns which they are, where there is a choice. Raises ModelFileError."""
    if config.tiers.strong == "none":
        return lambda _: False
    encoder = shared_encoder(store.folder(config.cache.encoder_model))
    return MarkedQuestions(marked_questions(), encoder.encode).is_hard


def remote_tier(config: Config) -> Tier | None:
    """Which one is remote."""
    if config.tiers.strong == "remote":
        return Tier.STRONG
    return Tier.FAST if config.tiers.fast == "remote" else None


@asynccontextmanager
async def routed_brain(
    config: Config,
    local: Brain,
    strong: Brain | None,
    *,
    local_sees: bool,
    encode: Encode,
    is_hard: Callable[[str], bool] = lambda _: False,
) -> AsyncGenerator[Brain]:
    """What turns ask. `local`: the model of [brain], the last resort; `strong`: another local one.

    `encode`: a picture as a JPEG; `is_hard`: a question that no rule claims. Raises ConfigError.
    """
    first_token_ms = patience(config.budget).first_token_ms
    last_resort = TierBrain(
        tier=Tier.FAST,
        brain=local,
        model=config.brain.model,
        is_remote=False,
        sees=local_sees,
        first_token_ms=first_token_ms,
    )
    brains = [last_resort]
    if strong is not None:
        brains.insert(
            0,
            TierBrain(
                tier=Tier.STRONG,
                brain=strong,
                model=config.tiers.strong_model,
                is_remote=False,
                first_token_ms=first_token_ms,
            ),
        )
    remote = new_remote(config, encode)
    if remote is None:
        yield RoutedBrain(brains, is_hard=is_hard) if strong else local
        return
    tier = remote_tier(config)
    assert tier is not None, "a remote brain has a tier"
    brains.insert(
        len(brains) - 1,
        TierBrain(
            tier=tier,
            brain=remote,
            model=config.remote.model,
            is_remote=True,
            sees=config.remote.send_images,
        ),
    )
    try:
        yield RoutedBrain(brains, is_hard=is_hard)
    finally:
        await remote.close()


def new_remote(config: Config, encode: Encode) -> RemoteBrain | None:
    tier = remote_tier(config)
    if tier is None:
        return None
    from assistant.remote.brain import RemoteBrain  # openai takes half a second, and few need it

    remote = config.remote
    kept = remote.spending_file
    return RemoteBrain(
        tier=tier.value,
        config=remote,
        key=_key(config),
        patience=patience(config.budget),
        temperature=config.brain.temperature,
        spending=Spending(
            Tariff(
                prompt_price=remote.prompt_price,
                reply_price=remote.reply_price,
                daily_cost=remote.daily_cost,
                daily_tokens=remote.daily_tokens,
            ),
            config.models.folder / "cache" / "spending.json" if kept == Path("") else kept,
        ),
        audit=AuditLog(config.audit.file),
        encode=encode if remote.send_images else None,
    )


def _key(config: Config) -> Key:
    file = config.remote.api_key_file
    return read_key(file, setting="remote.api_key_file", variable="PARLEY_REMOTE_API_KEY")
