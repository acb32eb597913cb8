"""The real server with real WebRTC clients, and none of the models."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import ssl
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from random import Random

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from starlette.routing import BaseRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from assistant.config import ServerConfig
from assistant.lan import prepared
from assistant.stages import Peer
from assistant.transport import peer as peer_module
from assistant.transport.memory import MemoryDesk
from assistant.transport.peer import WebRtcPeer
from assistant.transport.realtime import MAX_MESSAGE_BYTES
from assistant.transport.server import build_app, listen, serve
from assistant.transport.websocket_peer import WebSocketPeer
from tests.unit.transport.socket_client import new_socket_peer
from tests.unit.transport.test_peer import new_peer, traces
from tests.unit.transport.webrtc_client import WebRtcClient

SDP = {"Content-Type": "application/sdp"}
ON_A_FREE_PORT = ServerConfig(port=0, max_offers_per_minute=10_000)


class Site:
    """A server that says nothing and counts what it hears."""

    def __init__(
        self,
        page_folder: Path,
        config: ServerConfig = ON_A_FREE_PORT,
        extra_routes: Sequence[BaseRoute] = (),
        memory: MemoryDesk | None = None,
    ) -> None:
        self.config = config
        self.n_frames: list[int] = []
        self.n_over = 0
        self.was_left = asyncio.Event()
        self.sockets: list[WebSocketPeer] = []
        self._app = build_app(
            new_caller=self._new_caller,
            new_socket_peer=self._new_socket_peer,
            describe_session=lambda _: {},
            serve_call=self._serve_call,
            health=lambda: {"ready": True},
            page_folder=page_folder,
            config=self.config,
            memory=memory,
            extra_routes=extra_routes,
        )

    def _new_caller(self) -> WebRtcPeer:
        return new_peer()

    def _new_socket_peer(self, socket: WebSocket) -> WebSocketPeer:
        self.sockets.append(new_socket_peer(socket))
        return self.sockets[-1]

    async def _serve_call(self, peer: Peer) -> None:
        call = len(self.n_frames)
        self.n_frames.append(0)
        try:
            async for _ in peer.microphone():
                self.n_frames[call] += 1
        finally:
            self.n_over += 1
            self.was_left.set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        """Serves at this URL inside the block."""
        listener = listen(self.config)
        scheme = "http" if self.config.tls_key == Path() else "https"
        url = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}"
        serving = asyncio.create_task(serve(self._app, listener, self.config))
        yield url
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving


async def call(http: httpx2.AsyncClient, client: WebRtcClient) -> str:
    answer = await http.post("/v1/realtime/calls", content=await client.offer(), headers=SDP)
    assert answer.status_code == 201
    await client.take(answer.text)
    await client.is_open()
    return answer.headers["location"]


async def test_two_clients_call_at_once_and_one_is_hung_up(tmp_path: Path) -> None:
    site = Site(tmp_path)
    async with (
        site.open() as url,
        httpx2.AsyncClient(base_url=url) as http,
        WebRtcClient() as one,
        WebRtcClient() as other,
        asyncio.timeout(30),
    ):
        location = await call(http, one)
        await call(http, other)
        assert (await http.post(f"{location}/hangup")).status_code == 200
        await site.was_left.wait()
        heard = site.n_frames[1]
        await asyncio.sleep(0.3)
        assert site.n_frames[1] > heard
        assert site.n_over == 1
    assert site.n_over == 2


async def test_ten_megabytes_are_refused_before_they_have_arrived(tmp_path: Path) -> None:
    async with Site(tmp_path).open() as url:
        async with httpx2.AsyncClient(base_url=url) as http:
            answer = await http.post("/v1/realtime/calls", content=bytes(10_000_000), headers=SDP)
        assert answer.status_code == 413


async def test_a_signal_ends_the_server_and_its_calls_but_not_the_program(tmp_path: Path) -> None:
    site = Site(tmp_path)
    listener = listen(site.config)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    serving = asyncio.create_task(serve(site._app, listener, site.config))
    async with httpx2.AsyncClient(base_url=url) as http, WebRtcClient() as client:
        await call(http, client)
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(10):
            await serving
    assert site.n_over == 1


async def test_the_page_comes_over_tls(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    (tmp_path / "index.html").write_text("<title>Hello</title>")
    trust = ssl.create_default_context(cafile=str(certificate))
    site = Site(tmp_path, ServerConfig(port=0, tls_certificate=certificate, tls_key=key))
    async with site.open() as url, httpx2.AsyncClient(base_url=url, verify=trust) as http:
        assert "Hello" in (await http.get("/")).text


async def test_the_page_comes_over_our_own_authority_and_either_family(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>Hello</title>")
    config = prepared(ServerConfig(host="::", port=0, tls=True, state_folder=tmp_path / "state"))
    trust = ssl.create_default_context(cafile=str(tmp_path / "state" / "authority.crt"))
    async with Site(tmp_path, config).open() as url:
        port = url.rpartition(":")[2]
        for host in ("127.0.0.1", "[::1]", "localhost"):
            async with httpx2.AsyncClient(base_url=f"https://{host}:{port}", verify=trust) as http:
                assert "Hello" in (await http.get("/")).text
                authority = await http.get("/authority.crt")
                assert authority.content == (tmp_path / "state" / "authority.crt").read_bytes()
                assert (await http.post("/v1/realtime/calls", headers=SDP)).status_code == 401


async def test_a_client_that_is_killed_is_noticed_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_module, "REPLY_KEPT_S", 0.5)
    monkeypatch.setattr(peer_module, "KEPT_S", 1.0)
    site = Site(tmp_path)
    async with site.open() as url:
        before = await traces()
        client = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.integration.vanishing_client",
            url,
            stdout=asyncio.subprocess.PIPE,
        )
        assert client.stdout is not None
        assert await client.stdout.readline() == b"connected\n"
        client.kill()
        await client.wait()
        await site.was_left.wait()
        assert await traces() == before


async def test_a_message_that_is_too_large_closes_its_own_line_alone(tmp_path: Path) -> None:
    site = Site(tmp_path)
    async with site.open() as url:
        line = url.replace("http", "ws", 1) + "/v1/realtime"
        async with connect(line, max_size=None) as one, connect(line) as other:
            with suppress(ConnectionClosed):
                await one.send(" " * (MAX_MESSAGE_BYTES + 1))
            await one.wait_closed()
            assert one.close_code == 1009
            await other.send('{"type": "assistant.ping", "sent_at_ms": 1}')
            while json.loads(await other.recv())["type"] != "assistant.pong":
                pass


async def test_the_server_s_end_closes_every_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(tmp_path)
    async with site.open() as url:
        line = await connect(url.replace("http", "ws", 1) + "/v1/realtime")
        assert json.loads(await line.recv())["type"] == "session.created"
    await line.wait_closed()
    assert line.close_code == 1012
    assert site.n_over == 1
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_bytes_that_are_no_frames_end_their_own_line_alone(tmp_path: Path) -> None:
    site = Site(tmp_path)
    random = Random(0)
    async with site.open() as url, httpx2.AsyncClient(base_url=url) as http:
        for n in range(100):
            reader, writer = await open_line(url)
            writer.write(random.randbytes(random.randrange(1, 400)))
            writer.write_eof()
            with suppress(ConnectionError):
                await reader.read()
            writer.close()
            while site.n_over <= n:
                site.was_left.clear()
                await site.was_left.wait()
        assert (await http.get("/healthz")).status_code == 200


async def open_line(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A WebSocket whose frames the test writes by itself."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    writer.write(
        b"GET /v1/realtime HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


def make_certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "cert.pem", folder / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files
