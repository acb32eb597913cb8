"""Pure: what a failed request means: a sentence for the person, and whether to ask again.

What the server wrote is not passed on: it may repeat the key, or what was said.
"""

from __future__ import annotations

import httpx2
import openai

from assistant.errors import BrainError


class RemoteError(BrainError):
    """`outcome` is stable: it stands in the audit log."""

    def __init__(
        self,
        message: str,
        *,
        outcome: str,
        may_retry: bool = False,
        is_lasting: bool = False,
        wait_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.may_retry = may_retry
        self.is_lasting = is_lasting
        """Asking again brings the same, until somebody changes the settings."""

        self.wait_s = wait_s
        """How long the server asks to be left alone."""


LATE = "the remote brain has not begun to answer in time"
STALLED = "the remote brain fell silent in the middle of its answer"
BROKEN = "the line to the remote brain broke in the middle of its answer"
NONSENSE = "the remote brain sent something that is no answer"


def failure(error: Exception) -> RemoteError:
    """What the openai package raised, as one of ours."""
    match error:
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return RemoteError(
                "the remote brain does not accept the key", outcome="key", is_lasting=True
            )
        case openai.NotFoundError():
            return RemoteError(
                "the remote brain does not know that model or address",
                outcome="not_found",
                is_lasting=True,
            )
        case openai.RateLimitError():
            return RemoteError(
                "the remote brain has had too many requests",
                outcome="rate_limit",
                may_retry=True,
                wait_s=_seconds(error.response.headers.get("retry-after")),
            )
        case openai.APIStatusError(status_code=status) if status < 500:
            return RemoteError(
                f"the remote brain refused the request ({status})", outcome="refused"
            )
        case openai.APIStatusError():
            return RemoteError(
                "the remote brain has a fault of its own", outcome="server", may_retry=True
            )
        case openai.APIConnectionError():  # a time-out to connect included
            return RemoteError(
                "the remote brain cannot be reached", outcome="unreachable", may_retry=True
            )
        case httpx2.HTTPError():
            return RemoteError(
                "the line to the remote brain broke", outcome="broken", may_retry=True
            )
        case _:
            return RemoteError(NONSENSE, outcome="nonsense", may_retry=True)


def _seconds(header: str | None) -> float | None:
    """Of Retry-After; None where there is none, or a date."""
    try:
        return max(0.0, float(header)) if header is not None else None
    except ValueError:
        return None
