"""Which names are ours, and which addresses are this machine's alone."""

from __future__ import annotations

import socket

import pytest

from assistant.transport.reach import in_url, is_known_host, is_local


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.0.0.2", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("parley.local", False),
    ],
)
def test_only_loopback_is_local(host: str, expected: bool) -> None:
    assert is_local(host) is expected


@pytest.mark.parametrize(
    ("header", "names", "expected"),
    [
        ("localhost:8080", (), True),
        ("LOCALHOST", (), True),
        ("parley.localhost:8080", (), True),
        ("127.0.0.1:8080", (), True),
        ("192.168.1.5", (), True),
        ("[::1]:8080", (), True),
        ("[fd00::2]", (), True),
        (f"{socket.gethostname()}:8443", (), True),
        ("rebound.example:8080", (), False),
        ("localhost.example", (), False),
        ("127.0.0.1.example", (), False),
        ("", (), False),
        ("talk.example", ("talk.example",), True),
        ("talk.example.", ("Talk.Example",), True),
        ("anything", ("*",), True),
    ],
)
def test_a_host_is_known_by_its_address_or_by_our_names(
    header: str, names: tuple[str, ...], expected: bool
) -> None:
    assert is_known_host(header, names) is expected


def test_an_ipv6_address_stands_in_brackets() -> None:
    assert in_url("fd00::2") == "[fd00::2]"
    assert in_url("10.0.0.1") == "10.0.0.1"
