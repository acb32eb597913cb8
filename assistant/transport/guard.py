"""What every HTTP answer carries, and whose requests are not answered at all."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from assistant.transport import audit
from assistant.transport.reach import is_known_host

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

HEADERS = {
    # The page loads nothing from elsewhere and nobody shows it in a frame. The picture that was
    # looked at comes as an event, which makes it a data URL.
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(self)",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """ASGI middleware. Any page in the browser can reach a server on localhost; only ours may."""

    def __init__(self, app: ASGIApp, allowed_hosts: tuple[str, ...] = ()) -> None:
        self._app = app
        self._allowed_hosts = allowed_hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._open(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refusal = self._judge(scope, may_be_another_page_s=scope["method"] in SAFE_METHODS)
        await (refusal or self._app)(scope, receive, send_with_headers)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._judge(scope, may_be_another_page_s=False)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await WebSocket(scope, receive, send).send_denial_response(refusal)

    def _judge(self, scope: Scope, *, may_be_another_page_s: bool) -> JSONResponse | None:
        """None for whatever may go on."""
        headers = Headers(scope=scope)
        if not is_known_host(headers.get("host", ""), self._allowed_hosts):
            message = "This server goes by another name; see server.allowed_hosts."
            refusal = error_response(421, message, code="host")
        elif may_be_another_page_s or _is_same_origin(headers):
            return None
        else:
            refusal = error_response(403, "This page may not use the assistant.", code="origin")
        code = "host" if refusal.status_code == 421 else "origin"
        audit.refused((scope.get("client") or ("", 0))[0], scope["path"], code)
        return refusal


def error_response(
    status: int,
    message: str,
    *,
    code: str,
    param: str | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """In the shape of OpenAI's errors."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error = {"type": kind, "code": code, "message": message, "param": param}
    return JSONResponse({"error": error}, status, headers=headers)


def _is_same_origin(headers: Headers) -> bool:
    """Programs send no Origin; a browser does with every request that could change something."""
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")
