"""The events that the server makes."""

from __future__ import annotations

from assistant.errors import ProtocolError
from assistant.transport import server_events as wire


def test_every_event_has_an_id_of_its_own() -> None:
    ids = {wire.state("listening")["event_id"] for _ in range(100)}
    assert len(ids) == 100


def test_an_error_says_which_event_and_field_it_is_about() -> None:
    mistake = ProtocolError("session.colour is unknown.", code="unknown", param="session.colour")
    mistake.event_id = "mine"
    event = wire.error_about(mistake)
    assert event["type"] == "error"
    assert event["error"] == {
        "type": "invalid_request_error",
        "code": "unknown",
        "message": "session.colour is unknown.",
        "param": "session.colour",
        "event_id": "mine",
    }
