"""What a response says of itself."""

from __future__ import annotations

import pytest

from assistant.transport import response_events as wire
from tests.fakes import STATS


@pytest.mark.parametrize(
    ("status", "details"),
    [
        ("in_progress", None),
        ("completed", None),
        ("cancelled", {"type": "cancelled", "reason": "turn_detected"}),
        ("failed", {"type": "failed", "error": {"type": "server_error", "code": "stage"}}),
    ],
)
def test_only_a_response_that_did_not_complete_says_why(
    status: wire.ResponseStatus, details: object
) -> None:
    response = wire.response(
        "resp_1", status=status, speaks=True, audio_output={}, reason="turn_detected"
    )
    assert response["status_details"] == details


def test_a_response_says_what_it_cost() -> None:
    response = wire.response(
        "resp_1", status="completed", speaks=True, audio_output={}, stats=STATS
    )
    usage = response["usage"]
    assert usage["input_tokens"] == STATS.prompt_tokens
    assert usage["input_token_details"]["cached_tokens"] == STATS.cached_tokens
    assert usage["total_tokens"] == STATS.prompt_tokens + STATS.reply_tokens
