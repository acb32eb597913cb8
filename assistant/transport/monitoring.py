"""HTTP: what there is to see for a dashboard and for Prometheus. Times and counts, never words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from assistant.transport.guard import error_response

_NEVER_KEPT = {"Cache-Control": "no-store"}


def monitoring_routes(
    *,
    metrics: Callable[[str], tuple[bytes, str]],
    report: Callable[[], dict[str, Any]],
    now: Callable[[int], Awaitable[dict[str, Any]]],
) -> tuple[BaseRoute, ...]:
    """`metrics`: an Accept header to the text and its type. `now`: waits for what is newer than the
    version that it is given, for no longer than a second or so."""

    async def tell_metrics(request: Request) -> Response:
        text, content_type = metrics(request.headers.get("accept", ""))
        return Response(text, headers={**_NEVER_KEPT, "Content-Type": content_type})

    async def tell_report(_: Request) -> Response:
        return JSONResponse(report(), headers=_NEVER_KEPT)

    async def tell_now(request: Request) -> Response:
        try:
            seen = int(request.query_params.get("seen", "-1"))
        except ValueError:
            return error_response(400, "It is no version.", code="invalid_value", param="seen")
        return JSONResponse(await now(seen), headers=_NEVER_KEPT)

    return (
        Route("/metrics", tell_metrics),
        Route("/v1/assistant/report", tell_report),
        Route("/v1/assistant/now", tell_now),
    )
