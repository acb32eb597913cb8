"""Serving the LAN: who may come in, and how a phone does."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.config import Config, ServerConfig
from assistant.errors import ServerError
from assistant.lan import addresses, invitation, opened, prepared


def on_the_lan(folder: Path) -> ServerConfig:
    return ServerConfig(host="0.0.0.0", state_folder=folder)


def test_on_localhost_nothing_is_needed(tmp_path: Path) -> None:
    alone = ServerConfig(state_folder=tmp_path / "state")
    assert prepared(alone) == alone
    assert not (tmp_path / "state").exists()


def test_beyond_localhost_a_code_is_made_once(tmp_path: Path) -> None:
    ready = prepared(on_the_lan(tmp_path / "state"))
    code = ready.api_key_file.read_text().strip()
    assert len(code) == 14
    assert stat.S_IMODE(ready.api_key_file.stat().st_mode) == 0o600
    assert prepared(on_the_lan(tmp_path / "state")).api_key_file.read_text().strip() == code


def test_a_key_of_one_s_own_is_kept(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("mine")
    config = replace(on_the_lan(tmp_path), api_key_file=tmp_path / "key")
    assert prepared(config) == config
    assert "mine" not in invitation(config, 8080)


def test_tls_opens_the_lan_and_brings_a_certificate(tmp_path: Path) -> None:
    config = opened(Config(server=ServerConfig(state_folder=tmp_path)))
    ready = prepared(config.server)
    assert ready.host in ("::", "0.0.0.0")
    assert ready.tls_certificate.exists()
    assert ready.tls_key.exists()
    assert all(address.startswith("https://") for address in addresses(ready, 8443))


def test_a_certificate_of_one_s_own_is_kept() -> None:
    mine = ServerConfig(host="192.168.1.5", tls_certificate=Path("a.pem"), tls_key=Path("b.pem"))
    server = opened(Config(server=mine)).server
    assert (server.host, server.tls) == ("192.168.1.5", False)
    with pytest.raises(ServerError, match="tls_certificate"):
        prepared(replace(mine, tls=True))


def test_the_invitation_says_where_with_what_and_whom_to_trust(tmp_path: Path) -> None:
    config = replace(on_the_lan(tmp_path), tls=True, announced_address="203.0.113.9")
    ready = prepared(config)
    code = ready.api_key_file.read_text().strip()
    text = invitation(ready, 8443)
    assert f"https://203.0.113.9:8443/#token={code}" in text
    assert "https://203.0.113.9:8443/authority.crt" in text
    assert "█" in text


def test_without_tls_the_invitation_says_what_is_missing(tmp_path: Path) -> None:
    assert "assistant serve --tls" in invitation(prepared(on_the_lan(tmp_path)), 8080)
