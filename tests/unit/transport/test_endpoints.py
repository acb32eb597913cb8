"""Client secrets and WebSockets: who gets one, and what others are told."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession

from assistant.config import ServerConfig
from assistant.stages import Peer
from assistant.transport.server import build_app
from assistant.transport.settings import SessionUpdate
from tests.unit.transport.fake_caller import FakeCaller
from tests.unit.transport.socket_client import new_socket_peer

TALK = "/v1/realtime"
SECRETS = "/v1/realtime/client_secrets"
CALLS = "/v1/realtime/calls"
SDP = {"Content-Type": "application/sdp"}
KEY = {"Authorization": "Bearer the-key"}


class Site:
    """The app with an API key of its own; WebSockets are talked to until they are closed."""

    def __init__(self, folder: Path) -> None:
        self.is_ready = True
        self.callers: list[FakeCaller] = []
        (folder / "key").write_text("the-key")
        self.app = build_app(
            new_caller=self._new_caller,
            new_socket_peer=new_socket_peer,
            describe_session=self._describe,
            serve_call=self._serve_call,
            health=lambda: {"ready": self.is_ready},
            page_folder=folder,
            config=ServerConfig(
                max_sessions=2, api_key_file=folder / "key", allowed_hosts=("testserver",)
            ),
        )

    def _new_caller(self) -> FakeCaller:
        self.callers.append(FakeCaller())
        return self.callers[-1]

    def _describe(self, wanted: SessionUpdate | None) -> dict[str, Any]:
        return {"type": "realtime", "instructions": wanted.instructions if wanted else "mine"}

    async def _serve_call(self, peer: Peer) -> None:
        async for _ in peer.microphone():
            pass


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    with TestClient(site.app, base_url="http://localhost:8080") as client:
        yield client


def denied(client: TestClient, path: str = TALK, **headers: str) -> tuple[int, str]:
    """How a WebSocket is refused."""
    with (
        pytest.raises(WebSocketDenialResponse) as refusal,
        client.websocket_connect(path, headers=headers),
    ):
        pass
    return refusal.value.status_code, refusal.value.json()["error"]["code"]


def make_secret(client: TestClient, **wanted: Any) -> dict[str, Any]:
    answer = client.post(SECRETS, json=wanted, headers=KEY)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    secret: dict[str, Any] = answer.json()
    return secret


def greeting(socket: WebSocketTestSession) -> dict[str, Any]:
    event = socket.receive_json()
    assert event["type"] == "session.created"
    session: dict[str, Any] = event["session"]
    return session


def test_whoever_has_the_key_can_talk(client: TestClient) -> None:
    with client.websocket_connect(f"{TALK}?model=gpt-realtime", headers=KEY) as socket:
        assert greeting(socket)["object"] == "realtime.session"
        socket.send_json({"type": "assistant.ping", "sent_at_ms": 7})
        assert socket.receive_json()["type"] == "assistant.voices"
        assert socket.receive_json()["sent_at_ms"] == 7


def test_a_browser_shows_its_token_as_a_subprotocol(client: TestClient) -> None:
    secret = make_secret(client)["value"]
    offered = ["realtime", f"openai-insecure-api-key.{secret}", "openai-agents-sdk.1"]
    with client.websocket_connect(TALK, subprotocols=offered) as socket:
        assert socket.accepted_subprotocol == "realtime"
        greeting(socket)


def test_nobody_else_can(client: TestClient) -> None:
    assert denied(client) == (401, "invalid_api_key")
    assert denied(client, Authorization="Bearer wrong") == (401, "invalid_api_key")
    for path, method in ((CALLS, "POST"), (f"{CALLS}/rtc_1", "DELETE"), (SECRETS, "POST")):
        answer = client.request(method, path, content="offer", headers=SDP)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    assert client.get("/healthz").status_code == 200


def test_a_secret_s_settings_come_before_the_client_s_own(client: TestClient, site: Site) -> None:
    session = {"type": "realtime", "instructions": "Be brief."}
    secret = make_secret(client, session=session, expires_after={"seconds": 60})
    assert secret["session"] == {"type": "realtime", "instructions": "Be brief."}
    bearer = {"Authorization": f"Bearer {secret['value']}"}
    with client.websocket_connect(TALK, headers=bearer) as socket:
        assert greeting(socket)["instructions"] == "Be brief."
    answer = client.post(CALLS, content="offer", headers={**SDP, **bearer})
    assert answer.status_code == 201
    assert site.callers[0].requests == [SessionUpdate(instructions="Be brief.")]


def test_a_secret_cannot_make_secrets(client: TestClient) -> None:
    bearer = {"Authorization": f"Bearer {make_secret(client)['value']}"}
    assert client.post(SECRETS, headers=bearer).status_code == 401


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "invalid_json"),
        (b"[]", "invalid_type"),
        (b'{"x": 1}', "unknown_parameter"),
        (b"\xff", "invalid_value"),
        (b'{"session": {"type": "transcription"}}', "invalid_value"),
    ],
)
def test_a_bad_wish_for_a_secret_is_told_why(client: TestClient, body: bytes, code: str) -> None:
    answer = client.post(SECRETS, content=body, headers=KEY)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_sockets_and_calls_share_the_lines(client: TestClient) -> None:
    with client.websocket_connect(TALK, headers=KEY) as one:
        greeting(one)
        call = client.post(CALLS, content="offer", headers={**SDP, **KEY})
        assert call.status_code == 201
        assert denied(client, **KEY) == (503, "busy")
        client.delete(call.headers["location"], headers=KEY)
        with client.websocket_connect(TALK, headers=KEY) as other:
            greeting(other)


def test_nobody_is_served_before_the_models_are_warm(client: TestClient, site: Site) -> None:
    site.is_ready = False
    assert denied(client, **KEY) == (503, "not_ready")


def test_a_call_has_no_second_line(client: TestClient) -> None:
    assert denied(client, f"{TALK}?call_id=rtc_1", **KEY) == (400, "unsupported_value")


@pytest.mark.parametrize("origin", ["https://example.org", "http://localhost:3000", "null"])
def test_another_page_s_script_cannot_open_a_socket(client: TestClient, origin: str) -> None:
    assert denied(client, Origin=origin, **KEY) == (403, "origin")


def test_our_own_page_can(client: TestClient) -> None:
    headers = {"Origin": "http://testserver", **KEY}
    with client.websocket_connect(TALK, headers=headers) as socket:
        greeting(socket)


def test_the_audit_log_names_what_happened_and_holds_no_secrets(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    session = {"type": "realtime", "instructions": "Whisper only."}
    secret = make_secret(client, session=session)["value"]
    denied(client, Authorization="Bearer wr0ng-k3y")
    offered = ["realtime", f"openai-insecure-api-key.{secret}"]
    with client.websocket_connect(TALK, subprotocols=offered) as socket:
        greeting(socket)
        changes = {"type": "realtime", "instructions": "Sing only."}
        socket.send_json({"type": "session.update", "session": changes})
        while socket.receive_json()["type"] != "session.updated":
            pass
    audit = [record.getMessage() for record in caplog.records if record.name == "assistant.audit"]
    assert any("client secret was made" in line for line in audit)
    assert any("refused at /v1/realtime: invalid_api_key" in line for line in audit)
    assert any(line.startswith("ws_") and "begins, from" in line for line in audit)
    assert any(line.startswith("ws_") and line.endswith("sets instructions") for line in audit)
    for hidden in ("the-key", secret, "wr0ng-k3y", "Whisper only", "Sing only"):
        assert hidden not in caplog.text


@pytest.mark.parametrize("path", ["/", "/healthz", "/metrics"])
def test_a_name_that_was_made_to_lead_here_is_not_answered(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"Host": "rebound.example:8080"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (421, "host")


def test_nor_opens_it_a_socket(client: TestClient) -> None:
    assert denied(client, Host="rebound.example", **KEY) == (421, "host")


def test_ice_servers_are_told_to_those_who_may_call(client: TestClient) -> None:
    assert client.get("/v1/assistant/ice_servers").status_code == 401
    answer = client.get("/v1/assistant/ice_servers", headers=KEY)
    assert answer.json() == {"ice_servers": []}
    assert answer.headers["cache-control"] == "no-store"
