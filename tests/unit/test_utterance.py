from __future__ import annotations

import asyncio

from assistant.types import Heard, Phase
from assistant.utterance import LiveUtterance


def heard(speech_ms: float, phase: Phase = Phase.SPEAKING) -> Heard:
    return Heard(phase=phase, speech_ms=speech_ms)


async def test_every_follower_sees_the_newest_state_first_and_the_end_last() -> None:
    utterance = LiveUtterance(heard(0))

    async def follow() -> list[float]:
        return [state.speech_ms async for state in utterance.follow()]

    async with asyncio.TaskGroup() as tasks:
        early = tasks.create_task(follow())
        await asyncio.sleep(0)
        utterance.publish(heard(1))
        late = tasks.create_task(follow())
        await asyncio.sleep(0)
        utterance.publish(heard(2))
        utterance.publish(heard(3, Phase.ENDED))
    assert early.result() == [0, 1, 3]
    assert late.result() == [1, 3]


async def test_slow_follower_misses_states_but_not_the_last() -> None:
    utterance = LiveUtterance(heard(0))
    states = aiter(utterance.follow())
    seen = [(await anext(states)).speech_ms]
    for n in range(1, 5):
        utterance.publish(heard(n))
    seen.append((await anext(states)).speech_ms)
    utterance.publish(heard(5, Phase.ENDED))
    seen += [state.speech_ms async for state in states]
    assert seen == [0, 4, 5]


async def test_following_what_has_ended_gives_the_end() -> None:
    utterance = LiveUtterance(heard(1, Phase.ENDED))
    assert [state async for state in utterance.follow()] == [utterance.heard]
