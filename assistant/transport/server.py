"""HTTP: calls are made and ended here, health is told, the page is served."""

from __future__ import annotations

import asyncio
import mimetypes
import os
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import uvicorn
from aiortc.rtcicetransport import parse_stun_turn_uri
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket

from assistant.config import ServerConfig
from assistant.errors import AssistantError, ServerError
from assistant.stages import Peer
from assistant.transport import audit
from assistant.transport.calls import Caller, Calls
from assistant.transport.client_secrets import Keys, read_key
from assistant.transport.endpoints import Endpoints, refusal
from assistant.transport.guard import Guard, error_response
from assistant.transport.ice_servers import ice_servers
from assistant.transport.memory import MemoryDesk
from assistant.transport.opus import libopus
from assistant.transport.realtime import MAX_MESSAGE_BYTES
from assistant.transport.settings import SessionUpdate
from assistant.transport.websocket_peer import WebSocketPeer

PING_EVERY_S, PONG_WITHIN_S = 5.0, 10.0
"""A WebSocket whose other end does not answer is closed."""

MAX_CONNECTIONS = 1_024
"""Of browsers and programs together, those that say nothing included."""

MIME_TYPES = {
    # A system's own table may say text/plain, and browsers run no such module.
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}


def build_app(
    *,
    new_caller: Callable[[], Caller],
    new_socket_peer: Callable[[WebSocket], WebSocketPeer],
    describe_session: Callable[[SessionUpdate | None], dict[str, Any]],
    serve_call: Callable[[Peer], Awaitable[None]],
    health: Callable[[], dict[str, Any]],
    page_folder: Path,
    config: ServerConfig,
    memory: MemoryDesk | None = None,
    extra_routes: Sequence[BaseRoute] = (),
) -> Starlette:
    """`serve_call` runs once for each caller, in a task of its own, until it returns.

    `health`: what `/healthz` tells, with `ready` among it; no call is taken before that is true.
    `describe_session`: what a session is like that begins with these settings.
    """
    calls = Calls(
        new_caller=new_caller,
        serve_call=serve_call,
        limit=config.max_sessions,
        limit_per_address=config.max_sessions_per_address,
    )
    endpoints = Endpoints(
        calls=calls,
        keys=Keys(read_key(config.api_key_file)),
        is_ready=lambda: bool(health()["ready"]),
        new_socket_peer=new_socket_peer,
        describe_session=describe_session,
        offers_per_minute=config.max_offers_per_minute,
        ice_servers=lambda: ice_servers(config),
    )

    own_hosts = (*config.allowed_hosts, *filter(None, (config.announced_address, config.host)))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with calls:
            yield

    async def tell_health(_: Request) -> Response:
        has_ice_servers = bool(config.ice_servers)
        now = {**health(), "away": calls.n_away, "has_ice_servers": has_ice_servers}
        headers = {"Cache-Control": "no-store"}
        return JSONResponse(now, 200 if now["ready"] else 503, headers=headers)

    async def tell_authority(_: Request) -> Response:
        file = config.state_folder.expanduser() / "authority.crt"
        return FileResponse(file, media_type="application/x-x509-ca-cert")

    return Starlette(
        routes=[
            WebSocketRoute("/v1/realtime", endpoints.open_socket),
            Route("/v1/realtime/client_secrets", endpoints.make_secret, methods=["POST"]),
            Route("/v1/realtime/calls", endpoints.begin_call, methods=["POST"]),
            Route("/v1/realtime/calls/{call_id}/hangup", endpoints.end_call, methods=["POST"]),
            Route("/v1/realtime/calls/{call_id}", endpoints.end_call, methods=["DELETE"]),
            Route("/v1/assistant/ice_servers", endpoints.tell_ice_servers),
            *(_memory_routes(memory, endpoints) if memory else ()),
            Route("/healthz", tell_health),
            *([Route("/authority.crt", tell_authority)] if config.tls else []),
            *extra_routes,
            Mount("/", Page(directory=page_folder, html=True)),
        ],
        middleware=[Middleware(Guard, allowed_hosts=own_hosts)],
        exception_handlers={
            AssistantError: _tell_refusal,
            HTTPException: _tell_http_error,
            ClientDisconnect: _forget,
        },
        lifespan=lifespan,
    )


def _memory_routes(memory: MemoryDesk, endpoints: Endpoints) -> tuple[BaseRoute, ...]:
    path = "/v1/assistant/memory"
    return (
        Route(path, endpoints.admitted(memory.tell), methods=["GET"]),
        Route(path, endpoints.admitted(memory.clear), methods=["DELETE"]),
    )


class Page(StaticFiles):
    """Our page's files, always asked for anew so that page and server are of one version."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        kind = MIME_TYPES.get(Path(full_path).suffix) or mimetypes.guess_type(full_path)[0]
        if kind and response.status_code != 304:
            is_text = kind.startswith("text/")
            response.headers["Content-Type"] = f"{kind}; charset=utf-8" if is_text else kind
        response.headers["Cache-Control"] = "no-cache"
        return response


def listen(config: ServerConfig) -> socket.socket:
    """A socket that clients can connect to, bound before anything slow begins.

    Raises ServerError: about the port, the address, the TLS files, the ICE servers or the key.
    """
    _check_tls(config)
    _check_ice_servers(config)
    _check_udp_ports(config)
    libopus()
    read_key(config.api_key_file)
    ice_servers(config)
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    try:
        return socket.create_server(
            (config.host, config.port),
            family=family,
            backlog=128,
            dualstack_ipv6=config.host == "::" and socket.has_dualstack_ipv6(),
        )
    except OSError as error:
        raise ServerError(
            f"Cannot listen on {config.host}, port {config.port}: {error.strerror}. "
            f"Choose another with --set server.port=8081, or end the program that has it."
        ) from error


async def serve(app: Starlette, listener: socket.socket, config: ServerConfig) -> None:
    """Serve until cancelled, or until SIGINT or SIGTERM; no call goes on then."""
    has_tls = config.tls_certificate != Path()
    server = _Server(
        uvicorn.Config(
            app,
            http="h11",
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE_BYTES,
            ws_ping_interval=PING_EVERY_S,
            ws_ping_timeout=PONG_WITHIN_S,
            ws_per_message_deflate=False,  # of base64 it saves little, and costs time
            loop="asyncio",
            lifespan="on",
            ssl_certfile=config.tls_certificate if has_tls else None,
            ssl_keyfile=config.tls_key if has_tls else None,
            server_header=False,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=3,
            limit_concurrency=MAX_CONNECTIONS,
        )
    )
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own raises the signal again at its end, and what closes after it never does."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)


def _check_tls(config: ServerConfig) -> None:
    files = config.tls_certificate, config.tls_key
    if files == (Path(), Path()):
        return
    if Path() in files:
        raise ServerError("TLS needs both server.tls_certificate and server.tls_key.")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(*files)
    except (OSError, ssl.SSLError) as error:
        raise ServerError(
            f"{files[0]} and {files[1]} cannot be used for TLS: {error.strerror or error}. "
            "They must be a certificate and its key, both in PEM."
        ) from error


def _check_ice_servers(config: ServerConfig) -> None:
    for url in config.ice_servers:
        try:
            parse_stun_turn_uri(url)
        except ValueError as error:
            raise ServerError(
                f"server.ice_servers: {url!r} is no address such as stun:stun.example.org:3478."
            ) from error


def _check_udp_ports(config: ServerConfig) -> None:
    if config.udp_last_port < config.udp_first_port:
        raise ServerError("server.udp_last_port must not be below server.udp_first_port.")


async def _tell_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, AssistantError)
    audit.refused(request.client.host if request.client else "", request.url.path, error.code)
    return refusal(error)


async def _tell_http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = HTTPStatus(error.status_code).name.lower()
    return error_response(
        error.status_code, error.detail, code=code, headers=dict(error.headers or {})
    )


async def _forget(_: Request, _error: Exception) -> Response:
    """The client left in the middle of its request: nobody reads this."""
    return Response(status_code=400)
