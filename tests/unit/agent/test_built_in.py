"""The functions that come with the program."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.agent.built_in import built_in_tools
from assistant.agent.own_tool import OwnTool
from assistant.agent.timers import Timers
from assistant.documents.index import DocumentIndex
from assistant.recall.encoder import SentenceEncoder
from assistant.stages import Camera
from tests.fakes import ScriptedCamera, ScriptedEyes, picture
from tests.unit.recall.fake_encoder import FakeEncoder

ALL = ("time", "timers", "arithmetic", "look", "documents")


def at_six(zone: tzinfo | None) -> datetime:
    return datetime(2030, 2, 1, 18, 5, tzinfo=zone)


def tools(
    *names: str,
    camera: Camera | None = None,
    eyes: ScriptedEyes | None = None,
    documents: DocumentIndex | None = None,
) -> dict[str, OwnTool]:
    made = built_in_tools(
        names,
        camera=camera or ScriptedCamera(),
        eyes=eyes or ScriptedEyes(),
        timers=Timers(),
        documents=documents,
        now=at_six,
    )
    return {each.tool.name: each for each in made}


def test_only_what_is_wanted() -> None:
    assert not tools()
    assert list(tools("time")) == ["get_time"]
    assert {name for name, tool in tools(*ALL).items() if tool.has_effect} == {
        "set_timer",
        "cancel_timer",
    }


def test_the_page_has_words_for_what_is_going_on_in_both_languages(tmp_path: Path) -> None:
    texts = (Path(__file__).parents[3] / "client_web/i18n.js").read_text()
    encoder = cast(SentenceEncoder, FakeEncoder({}))
    with closing(DocumentIndex(tmp_path / "index", encoder)) as index:
        for tool in tools(*ALL, documents=index).values():
            code = tool.doing.replace(" ", "_")
            assert texts.count(f"  doing_{code}: ") == 2, tool.doing


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("get_time", {}, "6:05 PM on Friday, 1 February 2030"),
        ("get_time", {"city": "Tokyo"}, "6:05 PM on Friday, 1 February 2030 in Tokyo"),
        ("get_time", {"city": "Asia/Tokyo"}, "6:05 PM on Friday, 1 February 2030 in Tokyo"),
        (
            "get_time",
            {"city": "new york, USA"},
            "6:05 PM on Friday, 1 February 2030 in New York",
        ),
        ("calculate", {"expression": "2 * 3"}, "6"),
        ("convert", {"amount": 1, "from_unit": "km", "to_unit": "m"}, "1000 m"),
        ("look_again", {}, "there is no picture"),
    ],
)
async def test_results(name: str, arguments: dict[str, Any], result: str) -> None:
    assert (await tools(*ALL)[name].run(arguments)).text == result


@pytest.mark.parametrize("city", ["Moon", " ", ",", "../../etc/passwd"])
async def test_city_that_is_none(city: str) -> None:
    with pytest.raises(ValueError, match="is not known"):
        await tools("time")["get_time"].run({"city": city})


async def test_camera_is_looked_through_again() -> None:
    eyes = ScriptedEyes("a red cup")
    look = tools("look", camera=ScriptedCamera(picture()), eyes=eyes)["look_again"]
    assert (await look.run({})).text == "a red cup"
    eyes.fails = True
    with pytest.raises(ValueError, match="no detector"):
        await look.run({})


async def test_own_documents_are_searched_and_cited(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "gate.md").write_text("# Gate\nThe gate opens at nine.\n", encoding="utf-8")
    encoder = cast(SentenceEncoder, FakeEncoder({"gate": "gate.md\nGate\nThe gate opens at nine."}))
    with closing(DocumentIndex(tmp_path / "index.sqlite3", encoder)) as index:
        search = tools("documents", documents=index)["search_documents"]
        assert (await search.run({"query": "gate"})).text == "nothing was found"
        index.update(folder, lambda name, n, n_files: None)
        found = await search.run({"query": "gate"})
    assert found.text == "gate.md:2 (Gate): The gate opens at nine."
    assert found.sources == ("gate.md:2",)


def test_documents_that_are_not_there_are_not_offered() -> None:
    assert not tools("documents")
