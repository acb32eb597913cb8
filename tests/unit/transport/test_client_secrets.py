"""Who is let in, and for how long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.errors import ProtocolError, ServerError, UnauthorizedError
from assistant.transport.client_secrets import (
    MAX_SECRETS,
    Keys,
    SecretWanted,
    read_key,
    read_wanted,
    token_in,
)
from assistant.transport.fields import Fields
from assistant.transport.settings import SessionUpdate
from tests.virtual_time import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(clock: Clock) -> Keys:
    return Keys("the key", clock)


def test_the_key_is_good_for_everything(keys: Keys) -> None:
    keys.check_key("the key")
    assert keys.admit("the key") is None


@pytest.mark.parametrize("token", [None, "", "the ke", "the key ", "ek_made_up", "\udc80"])
def test_nothing_else_is(keys: Keys, token: str | None) -> None:
    with pytest.raises(UnauthorizedError):
        keys.check_key(token)
    with pytest.raises(UnauthorizedError):
        keys.admit(token)


def test_a_secret_lets_in_until_it_expires_and_makes_no_others(keys: Keys, clock: Clock) -> None:
    settings = SessionUpdate(instructions="Be brief.")
    secret = keys.make_secret(SecretWanted(good_for_s=60, settings=settings))
    assert secret.value.startswith("ek_")
    assert secret.expires_at_s == 1_060
    with pytest.raises(UnauthorizedError):
        keys.check_key(secret.value)
    clock.now_s += 59
    assert keys.admit(secret.value) == settings
    clock.now_s += 1
    with pytest.raises(UnauthorizedError):
        keys.admit(secret.value)


def test_without_a_key_all_are_let_in_and_secrets_still_carry_settings() -> None:
    keys = Keys(None)
    keys.check_key(None)
    assert keys.admit("whatever") is None
    secret = keys.make_secret(SecretWanted(settings=SessionUpdate(speaks=False)))
    assert keys.admit(secret.value) == SessionUpdate(speaks=False)


def test_the_oldest_of_too_many_is_forgotten(keys: Keys) -> None:
    first, second = (keys.make_secret(SecretWanted()).value for _ in range(2))
    for _ in range(MAX_SECRETS - 1):
        keys.make_secret(SecretWanted())
    with pytest.raises(UnauthorizedError):
        keys.admit(first)
    keys.admit(second)


def test_secrets_are_not_alike(keys: Keys) -> None:
    assert len({keys.make_secret(SecretWanted()).value for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ({}, SecretWanted()),
        ({"expires_after": {"anchor": "created_at", "seconds": 30}}, SecretWanted(good_for_s=30)),
        ({"expires_after": {"anchor": "created_at"}}, SecretWanted()),
        (
            {"session": {"type": "realtime", "model": "m", "instructions": "Hi."}},
            SecretWanted(settings=SessionUpdate(instructions="Hi.")),
        ),
    ],
)
def test_what_may_be_wanted_of_a_secret(body: dict[str, Any], wanted: SecretWanted) -> None:
    assert read_wanted(Fields(body)) == wanted


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"expires_after": {"seconds": 9}}, "expires_after.seconds"),
        ({"expires_after": {"seconds": 7_201}}, "expires_after.seconds"),
        ({"expires_after": {"anchor": "now"}}, "expires_after.anchor"),
        ({"session": {"type": "transcription"}}, "session.type"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_may_not(body: dict[str, Any], param: str) -> None:
    with pytest.raises(ProtocolError) as raised:
        read_wanted(Fields(body))
    assert raised.value.param == param


@pytest.mark.parametrize(
    ("authorization", "subprotocols", "token"),
    [
        (None, (), None),
        ("Bearer abc", (), "abc"),
        ("bearer  abc ", (), "abc"),
        ("Basic abc", (), None),
        (None, ("realtime", "openai-insecure-api-key.abc"), "abc"),
        ("Bearer abc", ("openai-insecure-api-key.def",), "abc"),
    ],
)
def test_where_a_token_may_be(
    authorization: str | None, subprotocols: tuple[str, ...], token: str | None
) -> None:
    assert token_in(authorization, subprotocols) == token


def test_a_key_is_all_that_is_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("the-key\n")
    assert read_key(file) == "the-key"
    assert read_key(Path()) is None


@pytest.mark.parametrize("content", [None, b"", b"\n", b"two keys", b"\xff"])
def test_a_key_file_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ServerError, match=r"server\.api_key_file: .*key"):
        read_key(file)
