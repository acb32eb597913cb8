from __future__ import annotations

from assistant.prepared_voice import PreparedVoice
from tests.fakes import ScriptedVoice


async def say(voice: PreparedVoice, phrase: str, speed: float = 1.0) -> float:
    async with voice.speak(phrase, voice="joe", speed=speed) as frames:
        return sum([frame.duration_ms async for frame in frames])


async def test_what_is_said_again_needs_no_engine_while_it_is_remembered() -> None:
    engine = ScriptedVoice()
    voice = PreparedVoice(engine, (), speed=1.0, remembers_s=0.25)  # five words
    for phrase in ("one two", "three four", "one two", "five six", "one two", "three four"):
        assert await say(voice, phrase) == 100
    # The two that fit are those that were said last.
    assert engine.spoken == ["one two", "three four", "five six", "three four"]


async def test_another_speed_is_another_sound_and_half_a_phrase_is_none() -> None:
    engine = ScriptedVoice()
    voice = PreparedVoice(engine, (), speed=1.0, remembers_s=60)
    async with voice.speak("one two", voice="joe", speed=1.0) as frames:
        async for _ in frames:
            break
    await say(voice, "one two")
    await say(voice, "one two", speed=1.5)
    await say(voice, "one two")
    assert len(engine.spoken) == 3
    assert engine.busy == 0


async def test_prepared_phrases_are_there_from_the_start() -> None:
    engine = ScriptedVoice()
    voice = PreparedVoice(engine, [("joe", "hello")], speed=1.0)
    await voice.prepare()
    await say(voice, "hello")
    assert engine.spoken == ["hello"]
