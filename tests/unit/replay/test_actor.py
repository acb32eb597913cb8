"""A recorded person speaks, acts and shows things again, when they did."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.events import HeardReply, Mute, SayText, State, StateChanged, UserSaid
from assistant.recording.trace import Noted, Trace
from assistant.replay.actor import Actor
from tests.fakes import picture

CAT = picture(1)
SOUND = (np.arange(16_000) % 1_000 + 1).astype(np.int16)
"""One second."""

TRACE = Trace(
    folder=Path(),
    header={},
    microphone=SOUND,
    notes=(
        Noted(at_ms=10, value=SayText(text="Hello.")),
        Noted(at_ms=20, value=UserSaid(turn_id="turn_1", text="Hello.")),
        Noted(at_ms=20, value=HeardReply(at_s=1.0)),
        Noted(at_ms=900, value=Mute(muted=True)),
        Noted(at_ms=5_000, value=CAT),
    ),
)


class Noting:
    """A session that takes what comes; `answers` once it was spoken to."""

    def __init__(self, actor: Actor, *, answers_for_s: float = 0.0) -> None:
        self.actor = actor
        self.answers_for_s = answers_for_s
        self.heard = list[np.ndarray[Any, Any]]()
        self.commands = list[object]()
        self.seen_at_first: object = None

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            obeying = tasks.create_task(self._obey())
            tasks.create_task(self._answer())
            self.seen_at_first = self.actor.camera.pick()
            async for frame in self.actor.microphone():
                self.heard.append(frame.samples)
            obeying.cancel()

    async def _obey(self) -> None:
        async for command in self.actor.commands():
            self.commands.append(command)

    async def _answer(self) -> None:
        self.actor.send(StateChanged(state=State.SPEAKING))
        await asyncio.sleep(self.answers_for_s)
        self.actor.send(StateChanged(state=State.LISTENING))


async def performed(speed: float, **how: float) -> Noting:
    actor = Actor(TRACE, buffer_ms=200, speed=speed)
    session = Noting(actor, **how)
    await actor.perform(session)  # type: ignore[arg-type]
    return session


@pytest.mark.parametrize("speed", [4.0, 20.0])
async def test_every_sample_and_every_command_comes_once(speed: float) -> None:
    session = await performed(speed)
    assert np.array_equal(np.concatenate(session.heard)[:16_000], SOUND)
    assert session.commands == [SayText(text="Hello."), Mute(muted=True)]


async def test_it_stays_until_the_answer_is_over() -> None:
    brief, long = await performed(20.0), await performed(20.0, answers_for_s=2.0)
    assert len(long.heard) > len(brief.heard)


async def test_a_picture_is_shown_from_its_time_on() -> None:
    session = await performed(1_000.0)
    assert session.actor.camera.pick() is CAT
    assert session.actor.camera.pick(unlike=CAT) is None
    assert (await performed(20.0)).seen_at_first is None
