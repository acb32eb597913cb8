"""HTTP: what somebody said can be had as a file, and be forgotten."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assistant.errors import ProtocolError
from assistant.memory.export import FORMATS
from assistant.memory.memory import Memory
from assistant.transport.guard import error_response
from assistant.transport.realtime import checked_person

_NEVER_KEPT = {"Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class MemoryDesk:
    """For whoever shows the id that their browser made up."""

    memory: Memory

    async def tell(self, request: Request) -> Response:
        """Their last conversation, in a format and a language."""
        wanted = request.query_params
        form = FORMATS.get(wanted.get("format", "markdown"))
        if form is None:
            known = ", ".join(FORMATS)
            raise ProtocolError(f"Formats: {known}.", code="invalid_value", param="format")
        conversation = await self.memory.conversation(_person(request))
        if conversation is None:
            return error_response(404, "Nothing is kept that was said.", code="nothing_kept")
        text = form.write(conversation, wanted.get("language", "en"))
        return Response(text, media_type=form.media_type, headers=_NEVER_KEPT)

    async def clear(self, request: Request) -> Response:
        if not await self.memory.forget(_person(request)):
            message = "It could not be deleted; the server's log says why."
            return error_response(500, message, code="not_deleted")
        return JSONResponse({"deleted": True}, headers=_NEVER_KEPT)


def _person(request: Request) -> str:
    """From a header, since addresses are written down in many places. Raises ProtocolError."""
    person = request.headers.get("assistant-person")
    if person is None:
        raise ProtocolError(
            "Say whose it is: Assistant-Person.", code="missing_required_parameter", param="person"
        )
    return checked_person(person)
