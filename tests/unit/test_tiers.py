"""Tiers as the settings say them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.bench.endpoint import FakeEndpoint, fake_endpoint
from assistant.config import Config
from assistant.config_file import load
from assistant.errors import ConfigError
from assistant.tiers import check_tiers, routed_brain
from assistant.types import ImageFrame, Message, ReplyPiece, Role
from tests.fakes import ScriptedBrain

REMOTE = ("remote.endpoint=http://127.0.0.1:1/v1", "remote.model=m")


def encode(_: ImageFrame) -> bytes:
    return b""


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (("tiers.strong=remote",), "remote.endpoint"),
        (("tiers.strong=remote", REMOTE[0]), "remote.model"),
        (("tiers.strong=local",), "tiers.strong_model"),
        (("tiers.strong=remote", "tiers.fast=remote", *REMOTE), "both remote"),
        (("tiers.fast=remote", *REMOTE, "remote.api_key_file=nowhere"), "remote.api_key_file"),
    ],
)
def test_tiers_that_cannot_be_are_refused_with_a_sentence(
    settings: tuple[str, ...], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        check_tiers(load(None, settings))


def test_key_does_not_belong_in_the_settings() -> None:
    with pytest.raises(ConfigError, match="unknown key"):
        load(None, ["remote.api_key=sk-secret"])


async def test_one_brain_is_not_wrapped() -> None:
    local = ScriptedBrain()
    async with routed_brain(Config(), local, None, local_sees=False, encode=encode) as brain:
        assert brain is local


@pytest.mark.parametrize("which", ["fast", "strong"])
async def test_remote_tier_answers_what_is_meant_for_it(which: str, tmp_path: Path) -> None:
    questions = {"fast": "What is the capital of France?", "strong": "Explain why it rains."}
    local = ScriptedBrain(["Here."])
    async with fake_endpoint(FakeEndpoint(words=["There."])) as fake:
        settings = (
            f"tiers.{which}=remote",
            f"remote.endpoint={fake.url}",
            "remote.model=m",
            f'remote.spending_file="{tmp_path / "spending.json"}"',
        )
        config = load(None, settings)
        check_tiers(config)
        prompt = (Message(role=Role.USER, text=questions[which]),)
        async with (
            routed_brain(config, local, None, local_sees=False, encode=encode) as brain,
            brain.reply(prompt, max_tokens=9) as pieces,
        ):
            said: list[ReplyPiece] = [piece async for piece in pieces]
    assert "".join(piece.text for piece in said) == "There."
    assert (tmp_path / "spending.json").exists()
