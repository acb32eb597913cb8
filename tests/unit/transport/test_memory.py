"""What somebody said, over HTTP: theirs to have and to delete."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from assistant.config import Config, ServerConfig
from assistant.config_answers import MemoryConfig
from assistant.errors import ProtocolError
from assistant.events import HistoryKept, Remember, ReplyEnded, ReplyStatus, UserSaid
from assistant.memory.memory import Memory
from assistant.memory.remembering_peer import hashed
from assistant.stages import Peer
from assistant.transport import realtime
from assistant.transport.memory import MemoryDesk
from assistant.transport.server import build_app
from assistant.transport.translator import Translator
from tests.fakes import ScriptedPeer
from tests.unit.transport.fake_caller import FakeCaller
from tests.unit.transport.socket_client import new_socket_peer

URL = "/v1/assistant/memory"
ANNA, BEN = "A" * 43, "b-_4" * 9
KEY = {"Authorization": "Bearer the-key"}


def known(person: str) -> dict[str, str]:
    return {**KEY, "Assistant-Person": person}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """Anna has said something."""
    memory = Memory(Config(memory=MemoryConfig(keep="plain", folder=tmp_path / "kept")))
    with memory.minding(ScriptedPeer(), time.monotonic()) as anna:
        anna._person = hashed(ANNA)
        anna.send(UserSaid(turn_id="turn_1", text="法国的首都是哪里？"))
        done = ReplyStatus.COMPLETED
        anna.send(ReplyEnded(turn_id="turn_1", status=done, heard="Paris."))

    async def serve_call(_: Peer) -> None:
        return None

    (tmp_path / "key").write_text("the-key")
    app = build_app(
        new_caller=FakeCaller,
        new_socket_peer=new_socket_peer,
        describe_session=lambda _: {},
        serve_call=serve_call,
        health=lambda: {"ready": True},
        page_folder=tmp_path,
        config=ServerConfig(api_key_file=tmp_path / "key"),
        memory=MemoryDesk(memory),
    )
    with TestClient(app, base_url="http://localhost:8080") as client:
        yield client


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize(
    ("form", "media_type", "words"),
    [
        ("markdown", "text/markdown", "**你** (0:00)\n\n法国的首都是哪里？"),
        ("json", "application/json", '"text": "法国的首都是哪里？"'),
        ("srt", "application/x-subrip", "你: 法国的首都是哪里？"),
    ],
)
def test_everybody_can_have_what_they_said(
    client: TestClient, form: str, media_type: str, words: str
) -> None:
    answer = client.get(f"{URL}?format={form}&language=zh", headers=known(ANNA))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(media_type)
    assert answer.headers["cache-control"] == "no-store"
    assert words in answer.content.decode()


def test_nobody_has_what_others_said(client: TestClient) -> None:
    assert code(client.get(URL, headers=known(BEN))) == (404, "nothing_kept")
    assert client.delete(URL, headers=known(BEN)).status_code == 200
    assert client.get(URL, headers=known(ANNA)).status_code == 200


def test_what_is_deleted_is_gone(client: TestClient) -> None:
    assert client.delete(URL, headers=known(ANNA)).json() == {"deleted": True}
    assert code(client.get(URL, headers=known(ANNA))) == (404, "nothing_kept")


def test_mistakes_are_named(client: TestClient) -> None:
    no_key = {"Assistant-Person": ANNA}
    assert code(client.get(URL, headers=no_key)) == (401, "invalid_api_key")
    assert code(client.delete(URL, headers=no_key)) == (401, "invalid_api_key")
    assert code(client.get(URL, headers=KEY)) == (400, "missing_required_parameter")
    assert code(client.get(f"{URL}?format=doc", headers=known(ANNA))) == (400, "invalid_value")
    for person in ("short", "A" * 200, "A" * 40 + " '--"):
        assert code(client.get(URL, headers=known(person))) == (400, "invalid_value")
    foreign = {**known(ANNA), "Origin": "https://elsewhere.example"}
    assert code(client.delete(URL, headers=foreign)) == (403, "origin")
    assert client.get(URL, headers=known(ANNA)).status_code == 200


def test_a_page_says_who_it_is_and_is_told_what_is_kept() -> None:
    translator = Translator(model="m", voice="v", instructions="", max_reply_tokens=9)
    event = realtime.parse(f'{{"type": "assistant.remember", "person": "{ANNA}"}}')
    assert translator.from_wire(event) == (Remember(person=ANNA), [])
    (told,) = translator.to_wire(HistoryKept(keep="plain", expires_after_days=30))
    assert told.pop("event_id")
    assert told == {
        "type": "assistant.memory",
        "keep": "plain",
        "expires_after_days": 30,
        "earlier_at_s": None,
    }


@pytest.mark.parametrize("person", ["", "short", "ä" * 40, "A" * 129])
def test_an_id_that_could_be_guessed_is_refused(person: str) -> None:
    with pytest.raises(ProtocolError, match="random letters"):
        realtime.parse(f'{{"type": "assistant.remember", "person": "{person}"}}')
