"""The books on real turns add up to what was measured, from the microphone to the listener."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from assistant.config import Config
from assistant.engines import Engines, start_engines
from assistant.events import Event, HeardReply, State, StateChanged
from assistant.records import TurnRecord
from assistant.rehearsal import Answer, Rehearsal
from tests.speech import SENTENCES, recording

pytestmark = [pytest.mark.models, pytest.mark.asyncio(loop_scope="module")]

CONFIG = Config()
_UPLINK_MS, _DOWNLINK_S = 40.0, 0.06


class FarAway(Rehearsal):
    """The listener's end reports what it hears, as the page does."""

    def send(self, event: Event) -> None:
        super().send(event)
        if event == StateChanged(state=State.SPEAKING):
            heard = HeardReply(at_s=time.monotonic() + _DOWNLINK_S, uplink_ms=_UPLINK_MS)
            self._commands.put_nowait(heard)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines() -> AsyncIterator[Engines]:
    async with start_engines(CONFIG) as engines:
        await engines.wait_ready()
        yield engines


def allowed_ms(turn: TurnRecord) -> float:
    assert turn.voice_to_voice_ms is not None
    return max(10.0, 0.02 * turn.voice_to_voice_ms)


async def test_the_lines_of_real_turns_add_up_to_what_was_measured(engines: Engines) -> None:
    answers = list[Answer]()
    async with FarAway(engines, CONFIG) as rehearsal:
        for sentence in list(SENTENCES)[:3]:
            answers.append(await rehearsal.say(recording(sentence)))
        turns = [turn for turn in rehearsal.books.turns if turn.voice_to_voice_ms is not None]
    assert len(turns) == 3
    for turn, answer in zip(turns, answers, strict=True):
        assert turn.ledger_error_ms <= allowed_ms(turn)
        path = [line for line in turn.lines if not line.overlapped]
        assert (path[0].name, path[-1].name) == ("capture and uplink", "network and playout")
        assert path[0].duration_ms == pytest.approx(_UPLINK_MS, abs=1)
        reached_ms = 0.0
        for line in path:
            assert line.start_ms == pytest.approx(reached_ms, abs=0.01)
            reached_ms += line.duration_ms
        if turn.had_filler:
            continue
        # The recording's and the loudspeaker's own clock; what is voiced is judged otherwise.
        assert turn.voice_to_voice_ms is not None
        assert answer.heard_within_ms is not None
        at_server_ms = turn.voice_to_voice_ms - path[0].duration_ms - path[-1].duration_ms
        assert at_server_ms == pytest.approx(answer.heard_within_ms, abs=500)
