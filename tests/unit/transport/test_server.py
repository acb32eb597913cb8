"""HTTP: making and ending calls, health, the page, and who may."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from assistant.config import ServerConfig
from assistant.errors import ServerError
from assistant.stages import Peer
from assistant.transport.endpoints import MAX_BODY_BYTES
from assistant.transport.server import build_app, listen
from assistant.transport.settings import SessionUpdate
from tests.unit.transport.fake_caller import FakeCaller
from tests.unit.transport.socket_client import new_socket_peer

CALLS = "/v1/realtime/calls"
SDP = {"Content-Type": "application/sdp"}


class Site:
    """The app with fake callers, and a browser."""

    def __init__(self, page_folder: Path) -> None:
        self.is_ready = True
        self.callers: list[FakeCaller] = []
        self.app = build_app(
            new_caller=self._new_caller,
            new_socket_peer=new_socket_peer,
            describe_session=lambda wanted: {"type": "realtime", "wanted": wanted is not None},
            serve_call=self._serve_call,
            health=lambda: {"ready": self.is_ready, "models": 3},
            page_folder=page_folder,
            config=ServerConfig(max_sessions=2),
        )

    def _new_caller(self) -> FakeCaller:
        self.callers.append(FakeCaller())
        return self.callers[-1]

    async def _serve_call(self, peer: Peer) -> None:
        async for _ in peer.microphone():
            pass


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "index.html").write_text("<title>Hello</title>")
    (tmp_path / "main.js").write_text("export {};")
    (tmp_path / "style.css").write_text("p {}")
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path.parent / "secret.txt").write_text("secret")
    return Site(tmp_path)


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    with TestClient(site.app, base_url="http://localhost:8080") as client:
        yield client


def test_an_offer_is_answered(client: TestClient) -> None:
    answer = client.post(CALLS, content="offer", headers=SDP)
    assert answer.status_code == 201
    assert answer.text == "answer to offer"
    assert answer.headers["content-type"].startswith("application/sdp")
    assert answer.headers["location"].startswith(f"{CALLS}/rtc_")


def test_an_offer_may_come_as_a_form_with_settings(client: TestClient, site: Site) -> None:
    session = json.dumps({"type": "realtime", "model": "gpt-realtime", "instructions": "Be brief."})
    form = {
        "sdp": (None, "v=0\r\no=- 1\r\n", "application/sdp"),
        "session": (None, session, "application/json"),
    }
    answer = client.post(CALLS, files=form)
    assert answer.status_code == 201
    assert answer.text == "answer to v=0\r\no=- 1\r\n"
    assert site.callers[0].requests == [SessionUpdate(instructions="Be brief.")]


@pytest.mark.parametrize(
    ("content_type", "body", "status", "code", "param"),
    [
        ("application/sdp", b"bad", 400, "invalid_offer", "sdp"),
        ("application/sdp", b"\xff\xfe", 400, "invalid_value", "sdp"),
        ("application/json", b"{}", 415, "unsupported_media_type", None),
        ("", b"offer", 415, "unsupported_media_type", None),
        ("multipart/form-data", b"offer", 400, "missing_required_parameter", "sdp"),
        ("multipart/form-data; boundary=x", b"--x--", 400, "missing_required_parameter", "sdp"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="sdp"\r\n\r\noffer\r\n'
            b'--x\r\nContent-Disposition: form-data; name="session"\r\n\r\n{\r\n--x--\r\n',
            400,
            "invalid_json",
            None,
        ),
        (
            "multipart/form-data; boundary=x",
            b"--x\r\nContent-Disposition: form-data; name\r\n\r\noffer\r\n--x--\r\n",
            400,
            "missing_required_parameter",
            "sdp",
        ),
        ("application/sdp", bytes(MAX_BODY_BYTES + 1), 413, "request_entity_too_large", None),
    ],
)
def test_a_bad_request_is_told_why(
    client: TestClient,
    content_type: str,
    body: bytes,
    status: int,
    code: str,
    param: str | None,
) -> None:
    answer = client.post(CALLS, content=body, headers={"Content-Type": content_type})
    assert answer.status_code == status
    error = answer.json()["error"]
    assert (error["type"], error["code"], error["param"]) == ("invalid_request_error", code, param)
    assert error["message"]


def test_a_body_without_an_end_is_cut_off(client: TestClient) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(10_000):
            yield bytes(1_024)

    assert client.post(CALLS, content=endless(), headers=SDP).status_code == 413


def test_one_too_many_is_asked_to_come_again(client: TestClient) -> None:
    locations = [client.post(CALLS, content="o", headers=SDP).headers["location"] for _ in "12"]
    busy = client.post(CALLS, content="o", headers=SDP)
    assert busy.status_code == 503
    assert busy.json()["error"]["code"] == "busy"
    assert int(busy.headers["retry-after"]) > 0
    assert client.post(f"{locations[0]}/hangup").status_code == 200
    assert client.post(CALLS, content="o", headers=SDP).status_code == 201
    assert client.delete(locations[1]).status_code == 200


def test_a_call_that_is_over_cannot_be_ended(client: TestClient) -> None:
    for answer in (client.post(f"{CALLS}/rtc_1/hangup"), client.delete(f"{CALLS}/rtc_1")):
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "unknown_call"


def test_nobody_is_served_before_the_models_are_warm(client: TestClient, site: Site) -> None:
    site.is_ready = False
    assert client.get("/healthz").status_code == 503
    told = client.get("/healthz").json()
    assert told == {"ready": False, "models": 3, "away": 0, "has_ice_servers": False}
    refused = client.post(CALLS, content="offer", headers=SDP)
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "not_ready")
    site.is_ready = True
    assert client.get("/healthz").status_code == 200
    assert client.get("/healthz").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/main.js", "text/javascript; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ],
)
def test_the_page_s_files_say_what_they_are_and_are_asked_for_anew(
    client: TestClient, path: str, kind: str
) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == kind
    assert answer.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "path", ["/nothing", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt"]
)
def test_there_is_nothing_beside_the_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize("path", ["/", "/healthz", "/nothing"])
def test_every_answer_is_guarded(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["permissions-policy"] == "camera=(self), microphone=(self)"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:8080", 201),
        ("https://localhost:8080", 201),  # behind something that ends the TLS
        ("http://localhost:3000", 403),
        ("https://example.org", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_only_our_own_page_may_call(client: TestClient, origin: str, status: int) -> None:
    answer = client.post(CALLS, content="offer", headers={**SDP, "Origin": origin})
    assert answer.status_code == status
    assert "content-security-policy" in answer.headers


def test_the_page_takes_no_posts(client: TestClient) -> None:
    assert client.post("/", content="x").status_code == 405


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match=f"port {port}: Address already in use"):
            listen(ServerConfig(port=port))


def test_an_address_that_is_not_ours_is_named() -> None:
    with pytest.raises(ServerError, match=r"Cannot listen on 203\.0\.113\.9"):
        listen(ServerConfig(host="203.0.113.9", port=0))


def test_both_families_can_be_listened_on() -> None:
    for host in ("127.0.0.1", "::1"):
        with listen(ServerConfig(host=host, port=0)) as listener:
            assert listener.getsockname()[0] == host


@pytest.mark.parametrize("content", [None, "", "-----BEGIN CERTIFICATE-----\n"])
def test_damaged_tls_files_are_named(tmp_path: Path, content: str | None) -> None:
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    for file in files:
        if content is not None:
            file.write_text(content)
    with pytest.raises(ServerError, match=r"cert\.pem and .*key\.pem cannot be used for TLS"):
        listen(ServerConfig(port=0, tls_certificate=files[0], tls_key=files[1]))


def test_half_of_tls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="needs both"):
        listen(ServerConfig(port=0, tls_certificate=tmp_path / "cert.pem"))


def test_an_ice_server_that_is_none_is_named() -> None:
    with listen(ServerConfig(port=0, ice_servers=("stun:192.0.2.1", "turn:192.0.2.1:99"))):
        pass
    with pytest.raises(ServerError, match="is no address such as"):
        listen(ServerConfig(port=0, ice_servers=("http://192.0.2.1",)))
