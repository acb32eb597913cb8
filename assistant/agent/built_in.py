"""The functions that come with the program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

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

    def get_time(city: str = "") -> str:
        """Tell the time and the date, here or in a city elsewhere."""
        zone = _zone(city) if city else None
        at = now(zone)
        told = f"{at:%I:%M %p} on {at:%A}, {at.day} {at:%B %Y}".removeprefix("0")
        return f"{told} in {_city(zone.key)}" if zone else told

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
        """Search the person's notes: appointments, family, friends, home, devices, work."""
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
    }
    if documents is not None:
        groups["documents"] = [
            own_tool(search_documents, doing="looking in your notes", is_announced=True)
        ]
    return [tool for name in groups if name in names for tool in groups[name]]


def _city(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")


def _zone(city: str) -> ZoneInfo:
    """Of a city as a person names it, or of a zone's own name. Raises ValueError."""
    name = _zones().get(city.partition(",")[0].strip().casefold())
    if name is None:
        raise ValueError(f"the time in {city} is not known: name the largest city of its country")
    return ZoneInfo(name)


@cache
def _zones() -> dict[str, str]:
    """Zones by their own names and by their cities', the first of several; read from the disk."""
    names = sorted(available_timezones(), reverse=True)
    return {plain.casefold(): name for name in names for plain in (name, _city(name))}
