from __future__ import annotations

import asyncio
from dataclasses import replace

from assistant.events import AlertChanged
from assistant.monitoring.live import Live
from assistant.timeline import Mark
from tests.fakes import ScriptedPeer, settle
from tests.unit.monitoring.turns import GOOD

ALERT = AlertChanged(
    stage="tts", percentile=95, is_over=True, value_ms=420.0, limit_ms=300, n_turns=50
)


async def test_a_mark_wakes_those_who_look_on() -> None:
    live = Live()
    with live.one_more(ScriptedPeer()) as session:
        timeline = session.new_timeline("turn_1")
        seen = live.version
        looking = asyncio.create_task(live.later_than(seen, within_s=60))
        await settle()
        assert not looking.done()
        timeline.mark(Mark.SPEECH_STARTED)
        await looking
        assert live.version > seen
        assert live.newest is session


async def test_the_same_moment_twice_is_no_news() -> None:
    live = Live()
    with live.one_more(ScriptedPeer()) as session:
        timeline = session.new_timeline("turn_1")
        timeline.mark(Mark.FIRST_TOKEN)
        seen = live.version
        timeline.mark(Mark.FIRST_TOKEN)
        assert live.version == seen
        timeline.forget_reply()
        assert live.version > seen


async def test_a_version_that_is_old_already_is_not_waited_for() -> None:
    live = Live()
    live.change()
    await asyncio.wait_for(live.later_than(0, within_s=60), 10)


async def test_a_wait_without_news_ends() -> None:
    live = Live()
    await asyncio.wait_for(live.later_than(live.version, within_s=0.01), 10)


async def test_whoever_leaves_is_talking_no_more_but_their_turn_can_be_seen() -> None:
    live = Live()
    with live.one_more(ScriptedPeer()) as session, live.one_more(ScriptedPeer()):
        session.new_timeline("turn_1").mark(Mark.SPEECH_STARTED)
        assert len(live.sessions) == 2
    assert not live.sessions
    assert live.newest is session


async def test_turns_are_counted_for_whoever_took_them() -> None:
    live = Live()
    with live.one_more(ScriptedPeer()) as one, live.one_more(ScriptedPeer()) as other:
        live.take(replace(GOOD, session_id=one.session_id))
        live.take(replace(GOOD, session_id="gone"))
    assert (one.n_turns, other.n_turns) == (1, 0)


async def test_everybody_who_is_talking_is_told_of_an_alert() -> None:
    live, here, gone = Live(), ScriptedPeer(), ScriptedPeer()
    with live.one_more(gone):
        pass
    with live.one_more(here):
        live.tell(ALERT)
    assert here.events == [ALERT]
    assert gone.events == []
