"""Serving more than this machine: who may come in, over which certificate, and how a phone does."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import replace
from pathlib import Path

import segno

from assistant.config import Config, ServerConfig
from assistant.errors import ServerError
from assistant.transport.certificates import certificate_for
from assistant.transport.reach import ANYWHERE, in_url, is_local, own_addresses, own_names

_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Nothing that looks like something else."""

_CODE_FILE = "pairing-code"

_GROUP, _GROUPS = 4, 3
"""30 to the 12th codes, of which ten a minute can be tried."""


def opened(config: Config) -> Config:
    """The same for the whole LAN, over TLS, unless it says where to listen."""
    server = config.server
    everywhere = "::" if socket.has_dualstack_ipv6() else "0.0.0.0"
    host = everywhere if is_local(server.host) else server.host
    return replace(config, server=replace(server, host=host, tls=server.tls_certificate == Path()))


def prepared(config: ServerConfig) -> ServerConfig:
    """The settings with what they leave to us: a certificate, and a code to come in with.

    Raises ServerError.
    """
    folder = config.state_folder.expanduser()
    if config.tls:
        if config.tls_certificate != Path():
            raise ServerError("server.tls makes a certificate; server.tls_certificate names one.")
        names = {"localhost", "127.0.0.1", "::1", *own_names(), *config.allowed_hosts}
        names |= {*own_addresses(), config.announced_address} - {""}
        made = certificate_for(folder, names - {"*"})
        config = replace(config, tls_certificate=made.file, tls_key=made.key_file)
    if not is_local(config.host) and config.api_key_file == Path():
        config = replace(config, api_key_file=_pairing_code(folder))
    return config


def _pairing_code(folder: Path) -> Path:
    """A file with a code that is made once. Raises ServerError."""
    file = folder / _CODE_FILE
    groups = ["".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS)]
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not file.exists():
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
                out.write("-".join(groups) + "\n")
    except OSError as error:
        raise ServerError(
            f"The pairing code cannot be kept in {file}: {error.strerror}."
        ) from error
    return file


def addresses(config: ServerConfig, port: int) -> list[str]:
    """Where the page is, the likeliest first."""
    scheme = "http" if config.tls_certificate == Path() else "https"
    hosts = own_addresses() if config.host in ANYWHERE else [config.host]
    if is_local(config.host):
        hosts = ["localhost"]
    if config.announced_address:
        hosts = [config.announced_address, *hosts]
    return [f"{scheme}://{in_url(host)}:{port}/" for host in hosts or ["localhost"]]


def invitation(config: ServerConfig, port: int) -> str:
    """What a person reads who wants to come in with a phone: for a terminal, never for a log."""
    first, *others = addresses(config, port)
    if config.api_key_file != config.state_folder.expanduser() / _CODE_FILE:
        return f"Open {first}#token=KEY, with the key in {config.api_key_file}"
    code = config.api_key_file.read_text(encoding="utf-8").strip()
    link = f"{first}#token={code}"
    lines = [f"On another device open {link}"]
    lines += [f"  or {other}#token={code}" for other in others]
    if config.tls_certificate == Path():
        lines.append(
            "Without TLS browsers give that page no microphone: use assistant serve --tls."
        )
    elif config.tls:
        lines += [
            "Its browser does not know our certificate authority yet. Either go on past the",
            f"warning, or open {first}authority.crt there and trust it:",
            "  iPhone, iPad  install the profile, then Settings, General, About, Certificate Trust",
            "  Android       Settings, Security, Install a certificate, CA certificate",
            f"  a computer    import {config.state_folder.expanduser() / 'authority.crt'} as one",
        ]
    code_lines = "\n".join(_qr(link))
    return "\n".join([*lines, "", code_lines])


def _qr(link: str) -> list[str]:
    """Two rows of the code in each line, as terminals' letters are twice as high as wide."""
    rows = [[bool(cell) for cell in row] for row in segno.make_qr(link).matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    # Dark on light, whatever the terminal's own colours are.
    blocks = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return [
        "".join(blocks[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]
