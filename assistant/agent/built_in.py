"""The functions that come with the program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.agent.own_tool import Brought, OwnTool, own_tool
from assistant.agent.timers import Timers
from assistant.agent.units import calculate, convert
from assistant.documents.index import DocumentIndex
from assistant.documents.told import as_told
from assistant.errors import EyesError
from assistant.stages import Camera, Eyes

_PASSAGES = 3
"""Some 110 tokens each."""


def built_in_tools(
    names: Collection[str],
    *,
    camera: Camera,
    eyes: Eyes,
    timers: Timers,
    documents: DocumentIndex | None,
    now: Callable[[ZoneInfo | None], datetime] = datetime.now,
) -> list[OwnTool]:
    """`names`: of groups, as in the settings."""

    def get_time(time_zone: str = "") -> str:
        """Tell the date and the time, here or in a time zone such as Asia/Tokyo."""
        try:
            zone = ZoneInfo(time_zone) if time_zone else None
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"there is no time zone {time_zone}") from error
        return now(zone).strftime("%A, %d %B %Y, %H:%M")

    async def look_again() -> str:
        """Look through the camera now and tell what there is to see."""
        await camera.refreshed()
        frame = camera.pick()
        if frame is None:
            return "there is no picture"
        try:
            scene = await eyes.look(frame)
        except EyesError as error:
            raise ValueError(str(error)) from error
        return "; ".join(scene.facts) or "nothing that is known"

    async def search_documents(query: str) -> Brought:
        """Search the person's own notes, documents and code for a few words."""
        assert documents is not None, "it is not offered where there are none"
        found = await asyncio.to_thread(documents.search, query, _PASSAGES)
        told = "\n".join(map(as_told, found))
        return Brought(told or "nothing was found", tuple(each.source for each in found))

    groups = {
        "time": [own_tool(get_time, doing="looking at the clock")],
        "timers": [
            own_tool(timers.set_timer, doing="setting the timer", has_effect=True),
            own_tool(timers.list_timers, doing="looking at the timers"),
            own_tool(timers.cancel_timer, doing="cancelling the timer", has_effect=True),
        ],
        "arithmetic": [
            own_tool(calculate, doing="working it out"),
            own_tool(convert, doing="working it out"),
        ],
        "look": [own_tool(look_again, doing="looking again")],
        "documents": [
            own_tool(search_documents, doing="looking in your notes", is_announced=True),
        ],
    }
    return [
        tool
        for name in groups
        if name in names and (name != "documents" or documents is not None)
        for tool in groups[name]
    ]
