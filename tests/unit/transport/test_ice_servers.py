"""STUN and TURN servers: who is told of which, and with what credentials."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.config import ServerConfig
from assistant.errors import ServerError
from assistant.transport.ice_servers import GOOD_FOR_S, ice_servers

STUN, TURN = "stun:stun.example.org:3478", "turn:turn.example.org:3478?transport=tcp"


def test_on_a_lan_there_are_none() -> None:
    assert ice_servers(ServerConfig()) == ()


def test_turn_servers_come_with_credentials_that_expire(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("north")
    config = ServerConfig(ice_servers=(STUN, TURN), turn_secret_file=tmp_path / "secret")
    stun, turn = ice_servers(config, clock=lambda: 1_000.0)
    assert stun.as_json() == {"urls": [STUN]}
    assert turn.username == f"{1_000 + GOOD_FOR_S}:parley"
    # printf %s 87400:parley | openssl dgst -sha1 -hmac north -binary | base64
    assert turn.credential == "n715lnSCfi9M0++szF6sokyRaYM="
    later = ice_servers(config, clock=lambda: 2_000.0)[1]
    assert later.credential != turn.credential


def test_without_a_secret_they_come_without(tmp_path: Path) -> None:
    config = ServerConfig(ice_servers=(TURN,))
    assert [each.as_json() for each in ice_servers(config)] == [{"urls": [TURN]}]
    with pytest.raises(ServerError, match="turn_secret_file"):
        ice_servers(replace(config, turn_secret_file=tmp_path / "missing"))
