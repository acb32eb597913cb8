"""The functions that come with the program."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any

import pytest

from assistant.agent.built_in import built_in_tools
from assistant.agent.own_tool import OwnTool
from assistant.agent.timers import Timers
from assistant.stages import Camera
from tests.fakes import ScriptedCamera, ScriptedEyes, picture

ALL = ("time", "timers", "arithmetic", "look")


def at_noon(zone: tzinfo | None) -> datetime:
    return datetime(2030, 1, 31, 12, 5, tzinfo=zone)


def tools(
    *names: str, camera: Camera | None = None, eyes: ScriptedEyes | None = None
) -> dict[str, OwnTool]:
    made = built_in_tools(
        names,
        camera=camera or ScriptedCamera(),
        eyes=eyes or ScriptedEyes(),
        timers=Timers(),
        now=at_noon,
    )
    return {each.tool.name: each for each in made}


def test_only_what_is_wanted() -> None:
    assert not tools()
    assert list(tools("time")) == ["get_time"]
    assert {name for name, tool in tools(*ALL).items() if tool.has_effect} == {
        "set_timer",
        "cancel_timer",
    }


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("get_time", {}, "Thursday, 31 January 2030, 12:05"),
        ("get_time", {"time_zone": "Asia/Tokyo"}, "Thursday, 31 January 2030, 12:05"),
        ("calculate", {"expression": "2 * 3"}, "6"),
        ("convert", {"amount": 1, "from_unit": "km", "to_unit": "m"}, "1000 m"),
        ("look_again", {}, "there is no picture"),
    ],
)
async def test_results(name: str, arguments: dict[str, Any], result: str) -> None:
    assert await tools(*ALL)[name].run(arguments) == result


async def test_time_zone_that_is_none() -> None:
    with pytest.raises(ValueError, match="time zone Moon"):
        await tools("time")["get_time"].run({"time_zone": "Moon"})


async def test_camera_is_looked_through_again() -> None:
    eyes = ScriptedEyes("a red cup")
    look = tools("look", camera=ScriptedCamera(picture()), eyes=eyes)["look_again"]
    assert await look.run({}) == "a red cup"
    eyes.fails = True
    with pytest.raises(ValueError, match="no detector"):
        await look.run({})
