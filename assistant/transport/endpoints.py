"""What a request may ask for: a call, its end, a WebSocket to talk on, a client secret."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Awaitable, Callable
from email.message import Message
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket

from assistant.errors import (
    AssistantError,
    BusyError,
    NotReadyError,
    ProtocolError,
    TooManyError,
    UnauthorizedError,
)
from assistant.transport import audit
from assistant.transport.calls import Calls, Return
from assistant.transport.client_secrets import Keys, SecretWanted, read_wanted, token_in
from assistant.transport.fields import Fields
from assistant.transport.guard import error_response
from assistant.transport.ice_servers import IceServers
from assistant.transport.limits import Allowance
from assistant.transport.realtime import load_json, parse_session
from assistant.transport.settings import SessionUpdate
from assistant.transport.websocket_peer import TRY_AGAIN_LATER, WebSocketPeer

T = TypeVar("T")
Answer = Callable[[Request], Awaitable[Response]]

MAX_BODY_BYTES = 256 * 1024
"""A browser's offer has some 10 KB."""

RETRY_AFTER_S = 5

MISTAKES_PER_MINUTE = 10
"""Wrong keys from one address."""

SUBPROTOCOL = "realtime"


class Endpoints:
    """Each method answers one route. What they raise, `refusal` tells the client."""

    def __init__(
        self,
        *,
        calls: Calls,
        keys: Keys,
        is_ready: Callable[[], bool],
        new_socket_peer: Callable[[WebSocket], WebSocketPeer],
        describe_session: Callable[[SessionUpdate | None], dict[str, Any]],
        offers_per_minute: int,
        ice_servers: Callable[[], tuple[IceServers, ...]],
    ) -> None:
        self._calls = calls
        self._offers = Allowance(offers_per_minute)
        self._mistakes = Allowance(MISTAKES_PER_MINUTE)
        self._keys = keys
        self._ice_servers = ice_servers
        self._is_ready = is_ready
        self._new_socket_peer = new_socket_peer
        self._describe_session = describe_session

    async def begin_call(self, request: Request) -> Response:
        """An SDP offer for its answer."""
        self._check_ready()
        self._offers.use(_address(request))
        settings = self._judge(request, self._keys.admit)
        content_type = request.headers.get("content-type", "")
        sdp, session = read_offer(content_type, await _read_body(request))
        own = None if session is None else parse_session(session)
        call_id, answer = await self._calls.begin(
            sdp,
            *(update for update in (settings, own) if update is not None),
            address=_address(request),
            again=_return(request),
        )
        location = f"/v1/realtime/calls/{call_id}"
        return Response(answer, 201, {"Location": location}, media_type="application/sdp")

    async def end_call(self, request: Request) -> Response:
        self._judge(request, self._keys.admit)
        if not self._calls.hang_up(request.path_params["call_id"]):
            return error_response(404, "There is no such call.", code="unknown_call")
        return Response()

    async def make_secret(self, request: Request) -> Response:
        """A short-lived token, for a client that is not to know the API key."""
        self._judge(request, self._keys.check_key)
        body = _text(await _read_body(request), "body")
        wanted = read_wanted(Fields(load_json(body))) if body.strip() else SecretWanted()
        session = self._describe_session(wanted.settings)
        secret = self._keys.make_secret(wanted)
        audit.secret_made(_address(request), wanted.good_for_s)
        told = {"value": secret.value, "expires_at": secret.expires_at_s, "session": session}
        return JSONResponse(told, headers={"Cache-Control": "no-store"})

    async def tell_ice_servers(self, request: Request) -> Response:
        """For a browser that asks before each call, so that no credentials are out of date."""
        self._judge(request, self._keys.admit)
        told = {"ice_servers": [each.as_json() for each in self._ice_servers()]}
        return JSONResponse(told, headers={"Cache-Control": "no-store"})

    async def open_socket(self, socket: WebSocket) -> None:
        try:
            self._check_ready()
            self._offers.use(_address(socket))
            settings = self._judge(socket, self._keys.admit)
            if "call_id" in socket.query_params:
                raise ProtocolError(
                    "A call cannot be joined from a second line.",
                    code="unsupported_value",
                    param="call_id",
                )
            self._calls.make_room(_address(socket))
        except AssistantError as error:
            audit.refused(_address(socket), socket.url.path, error.code)
            await socket.send_denial_response(refusal(error))
            return
        offered = socket.scope.get("subprotocols", ())
        await socket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)
        peer = self._new_socket_peer(socket)
        if settings is not None:
            peer.configure(settings)
        try:
            await self._calls.join(peer, address=_address(socket))
        except (BusyError, TooManyError) as error:  # somebody else was let in meanwhile
            await socket.close(TRY_AGAIN_LATER, str(error))

    def admitted(self, answer: Answer) -> Answer:
        """`answer`, for those who are let in."""

        async def judged(request: Request) -> Response:
            self._judge(request, self._keys.admit)
            return await answer(request)

        return judged

    def _judge(self, connection: HTTPConnection, judge: Callable[[str | None], T]) -> T:
        """What `judge` says to the token that somebody shows.

        Raises UnauthorizedError, and TooManyError where one key is tried after another.
        """
        address = _address(connection)
        self._mistakes.check(address)
        try:
            return judge(_token(connection))
        except UnauthorizedError:
            self._mistakes.use(address)
            raise

    def _check_ready(self) -> None:
        if not self._is_ready():
            raise NotReadyError("The models are still being loaded.")


def refusal(error: AssistantError) -> JSONResponse:
    """Why a request is not granted."""
    match error:
        case ProtocolError():
            return error_response(400, str(error), code=error.code, param=error.param)
        case UnauthorizedError():
            headers = {"WWW-Authenticate": "Bearer"}
            return error_response(401, str(error), code=error.code, headers=headers)
        case TooManyError():
            headers = {"Retry-After": "60"}
            return error_response(429, str(error), code=error.code, headers=headers)
        case BusyError() | NotReadyError():
            headers = {"Retry-After": str(RETRY_AFTER_S)}
            return error_response(503, str(error), code=error.code, headers=headers)
    raise error


def _token(connection: HTTPConnection) -> str | None:
    subprotocols = connection.scope.get("subprotocols", ())
    return token_in(connection.headers.get("authorization"), subprotocols)


def _address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""


def _return(request: Request) -> Return | None:
    token = request.headers.get("assistant-resume")
    if not token:
        return None
    return Return(token=token, last_event_id=request.headers.get("last-event-id"))


async def _read_body(request: Request) -> bytes:
    """Refuses what is too large before it has arrived."""
    body = bytearray()
    announced = int(request.headers.get("content-length", 0))
    if announced <= MAX_BODY_BYTES:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                break
    if max(announced, len(body)) > MAX_BODY_BYTES:
        raise HTTPException(413, f"The body may have {MAX_BODY_BYTES // 1024} KiB at most.")
    return bytes(body)


def read_offer(content_type: str, body: bytes) -> tuple[str, str | None]:
    """The SDP offer, and the session's settings as JSON where they came along."""
    header = b"Content-Type: " + content_type.encode("latin-1") + b"\r\n\r\n"
    # The newer policies' parsers stumble over headers that are cut off (IndexError).
    message = email.message_from_bytes(header + body, policy=email.policy.compat32)
    kind = message.get_content_type()
    if kind == "application/sdp":
        return _text(body, "sdp"), None
    if kind != "multipart/form-data":
        raise HTTPException(415, "Send the SDP offer as application/sdp or multipart/form-data.")
    parts = message.get_payload() if message.is_multipart() else ()
    fields = {
        part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
        for part in parts
        if isinstance(part, Message)
    }
    sdp, session = fields.get("sdp"), fields.get("session")
    if not isinstance(sdp, bytes):
        raise ProtocolError("The form has no sdp.", code="missing_required_parameter", param="sdp")
    return _text(sdp, "sdp"), _text(session, "session") if isinstance(session, bytes) else None


def _text(encoded: bytes, name: str) -> str:
    try:
        return encoded.decode()
    except UnicodeDecodeError as error:
        raise ProtocolError("It is not UTF-8.", code="invalid_value", param=name) from error
