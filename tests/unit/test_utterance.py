from __future__ import annotations

import asyncio

from assistant.types import Heard, Phase, Transcript
from assistant.utterance import ContinuedUtterance, LiveUtterance, TypedUtterance


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


async def test_typed_words_have_ended_already() -> None:
    utterance = TypedUtterance("hello", clock=lambda: 7.0)
    (state,) = [state async for state in utterance.follow()]
    assert state == utterance.heard
    assert (state.phase, state.transcript.text, state.started_at_s) == (Phase.ENDED, "hello", 7.0)
    assert state.is_typed


async def test_what_goes_on_is_one_utterance() -> None:
    earlier = Heard(
        phase=Phase.ENDED,
        transcript=Transcript(committed="Which is heavier,", is_final=True),
        speech_ms=800,
        started_at_s=10.0,
        voice_stopped_at_s=10.8,
    )
    rest = LiveUtterance(Heard(phase=Phase.SPEAKING, speech_ms=64, started_at_s=11.2))
    utterance = ContinuedUtterance(earlier, rest)
    assert utterance.heard.transcript == Transcript(committed="Which is heavier,")
    assert utterance.heard.started_at_s == 10.0
    assert utterance.heard.voice_stopped_at_s is None
    words = Transcript(committed="a kilogram", tentative="of")
    rest.publish(Heard(phase=Phase.SPEAKING, transcript=words, speech_ms=400, started_at_s=11.2))
    assert utterance.heard.transcript.text == "Which is heavier, a kilogram of"
    assert utterance.heard.speech_ms == 1_200
    rest.publish(Heard(phase=Phase.ENDED, transcript=Transcript(is_final=True)))
    (end,) = [state async for state in utterance.follow()]
    assert end.transcript == Transcript(committed="Which is heavier,", is_final=True)
