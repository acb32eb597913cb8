"""A client program: calls the server at argv[1], says so, and talks until it is killed."""

from __future__ import annotations

import asyncio
import sys

import httpx2

from tests.unit.transport.webrtc_client import WebRtcClient


async def main(url: str) -> None:
    async with WebRtcClient(has_camera=True) as client, httpx2.AsyncClient(base_url=url) as http:
        answer = await http.post(
            "/v1/realtime/calls",
            content=await client.offer(),
            headers={"Content-Type": "application/sdp"},
        )
        await client.take(answer.text)
        await client.is_open()
        print("connected", flush=True)
        await asyncio.Event().wait()


asyncio.run(main(sys.argv[1]))
