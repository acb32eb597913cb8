"""A turn on scripted stages: what is heard, when, and what is left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest

from assistant.config import BudgetConfig, VoiceConfig
from assistant.conversation import Conversation
from assistant.events import (
    Degraded,
    ReplyEnded,
    ReplyStatus,
    ReplyWords,
    SceneSeen,
    State,
    StateChanged,
    TimelineReady,
    UserSaid,
    Working,
)
from assistant.fallback import FallbackPolicy, Plan
from assistant.records import TurnRecord
from assistant.shortfalls import Shortfall
from assistant.turn import Turn
from assistant.types import (
    Answerer,
    ImageFrame,
    Phase,
    Prompt,
    ReplyPiece,
    Role,
    Scene,
    ToolStep,
)
from assistant.utterance import TypedUtterance
from assistant.voices import KnownVoice, Voices, espeak_voice
from tests.fakes import (
    ScriptedBrain,
    ScriptedEyes,
    ScriptedPeer,
    ScriptedUtterance,
    ScriptedVoice,
    picture,
    settle,
)

ANSWER = ["Paris", " is", " the", " capital", " of", " France."]


class Stage:
    """One turn and everything around it."""

    def __init__(
        self,
        brain: ScriptedBrain | None = None,
        *,
        voice: ScriptedVoice | None = None,
        eyes: ScriptedEyes | None = None,
        frame: ImageFrame | None = None,
    ) -> None:
        self.brain = brain or ScriptedBrain(ANSWER)
        self.voice = voice or ScriptedVoice()
        self.eyes = eyes or ScriptedEyes()
        self.peer = ScriptedPeer(frame=frame)
        self.utterance = ScriptedUtterance()
        self.conversation = Conversation(system_prompt="Be brief.", max_tokens=1_000)
        self.fallback = FallbackPolicy()
        self.records: list[TurnRecord] = []
        self.turn = Turn(
            turn_id="turn_1",
            peer=self.peer,
            brain=self.brain,
            voice=self.voice,
            eyes=self.eyes,
            conversation=self.conversation,
            fallback=self.fallback,
            phrasing=VoiceConfig(),
            budget=BudgetConfig(),
            session_id="session",
            session_started_at_s=0.0,
            record=self.records.append,
        )

    async def begin(self) -> asyncio.Task[None]:
        task = asyncio.create_task(self.turn.take(self.utterance))
        await settle()
        return task

    def said(self) -> list[tuple[Role, str]]:
        return [(message.role, message.text) for message in self.conversation.messages]


def last_words(prompts: list[Prompt]) -> list[str]:
    return [prompt[-1].text for prompt in prompts]


async def test_reply_is_spoken_and_remembered() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "capital of France")
    await stage.peer.play_until(task)
    assert stage.said() == [
        (Role.USER, "capital of France"),
        (Role.ASSISTANT, "Paris is the capital of France."),
    ]
    assert stage.peer.told(UserSaid) == [UserSaid(turn_id="turn_1", text="capital of France")]
    assert [e.state for e in stage.peer.events if isinstance(e, StateChanged)] == [
        State.THINKING,
        State.SPEAKING,
        State.LISTENING,
    ]


async def test_committed_words_are_read_along() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.SPEAKING, "what", tentative="his")
    await stage.utterance.become(Phase.SPEAKING, "what is", tentative="this")
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert last_words(stage.brain.prefilled) == ["", "what", "what is"]
    assert last_words(stage.brain.replied) == ["what is love"]


async def test_reply_is_begun_at_a_pause_but_not_heard_before_the_end() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.PAUSED, "what is love")
    assert stage.voice.spoken
    assert await stage.peer.play(100) == 0
    assert not stage.peer.told(ReplyWords)
    await stage.utterance.become(Phase.ENDED, "what is love")
    assert await stage.peer.play(100) > 0
    await stage.peer.play_until(task)
    assert len(stage.brain.replied) == 1


async def test_speech_that_goes_on_throws_the_begun_reply_away() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.PAUSED, "I want to")
    await stage.utterance.become(Phase.SPEAKING, "I want to")
    assert not stage.brain.busy
    await stage.utterance.become(Phase.PAUSED, "I want to go")
    await stage.utterance.become(Phase.ENDED, "I want to go")
    await stage.peer.play_until(task)
    assert last_words(stage.brain.replied) == ["I want to", "I want to go"]
    assert stage.said()[0] == (Role.USER, "I want to go")
    assert [e.text for e in stage.peer.events if isinstance(e, UserSaid)] == ["I want to go"]


async def test_a_reply_that_was_begun_on_a_stand_in_is_kept_if_it_was_right() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.PAUSED, "what is love", is_final=False, is_stand_in=True)
    assert await stage.peer.play(100) == 0
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert last_words(stage.brain.replied) == ["what is love"]
    assert not stage.records[0].degraded


async def test_a_reply_that_was_begun_on_a_stand_in_is_thrown_away_if_it_was_wrong() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.PAUSED, "what is", is_final=False, is_stand_in=True)
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert last_words(stage.brain.replied) == ["what is", "what is love"]
    assert stage.said()[0] == (Role.USER, "what is love")


async def test_who_is_answered_on_a_stand_in_is_told_so() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "what is", is_stand_in=True)
    await stage.peer.play_until(task)
    assert [each.code for each in stage.records[0].degraded] == [Shortfall.PARTIAL_WORDS]


async def test_noise_is_no_turn() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "")
    await task
    assert stage.said() == []
    assert stage.peer.events == []


async def test_barge_in_leaves_every_stage_idle_and_keeps_only_what_was_heard() -> None:
    stage = Stage(ScriptedBrain(["One two three four five.", " Six seven eight nine ten."] * 50))
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "count")
    await stage.peer.play(300)
    stage.turn.hush()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert stage.brain.busy == stage.voice.busy == 0
    role, heard = stage.said()[-1]
    assert role is Role.ASSISTANT
    assert heard.startswith("One two three four five. Six")
    assert len(heard.split()) <= 7
    assert stage.peer.told(ReplyEnded) == [
        ReplyEnded(turn_id="turn_1", status=ReplyStatus.CANCELLED, heard=heard)
    ]


async def test_words_whose_reply_was_never_heard_are_joined_with_the_next() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "I want to")
    task.cancel()
    await asyncio.wait([task])
    assert stage.said() == [(Role.USER, "I want to")]
    asked = stage.conversation.asking("go home", turn_id="turn_2")
    assert asked.prompt[-1].text == "I want to go home"


async def test_failing_brain_is_apologised_for_and_the_question_is_kept() -> None:
    stage = Stage(ScriptedBrain(["x"], fails_after=0))
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "hello")
    await stage.peer.play_until(task)
    assert stage.said()[0] == (Role.USER, "hello")
    assert stage.said()[1][1].startswith("Sorry")
    assert stage.peer.told(Degraded) == [
        Degraded(stage="brain", code=Shortfall.ERROR, reason="out of memory")
    ]


async def test_failing_voice_shows_the_words_and_stays_silent() -> None:
    stage = Stage(voice=ScriptedVoice(fails=True))
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "hello")
    await stage.peer.play_until(task)
    words = "".join(e.text for e in stage.peer.events if isinstance(e, ReplyWords))
    assert words == "".join(ANSWER)
    assert not stage.fallback.plan.speak


async def test_camera_s_facts_stand_before_the_words() -> None:
    stage = Stage(eyes=ScriptedEyes("a cat"), frame=picture())
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert last_words(stage.brain.replied) == ["[Camera: a cat]\nwhat is love"]


async def test_what_has_changed_while_the_person_spoke_is_looked_at_again() -> None:
    stage = Stage(eyes=ScriptedEyes("a person"), frame=picture())
    task = await stage.begin()
    await stage.utterance.become(Phase.SPEAKING, "what is")
    stage.eyes.facts = ("a cup",)
    stage.peer.camera.frame = picture(200)
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert last_words(stage.brain.prefilled)[-1] == "[Camera: a person]\nwhat is"
    assert last_words(stage.brain.replied) == ["[Camera: a cup]\nwhat is love"]
    assert [e.facts for e in stage.peer.events if isinstance(e, SceneSeen)] == [
        ("a person",),
        ("a cup",),
    ]


async def test_an_unchanged_picture_is_looked_at_once_a_turn() -> None:
    stage = Stage(eyes=ScriptedEyes("a cat"), frame=picture())
    task = await stage.begin()
    await stage.utterance.become(Phase.PAUSED, "what is")
    await stage.utterance.become(Phase.SPEAKING, "what is")
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert stage.eyes.looked == 1


async def test_what_is_typed_waits_for_the_picture() -> None:
    stage = Stage(eyes=ScriptedEyes("a cat", look_s=0.05), frame=picture())
    stage.fallback.best = Plan(scene_wait_ms=0)
    task = asyncio.create_task(stage.turn.take(TypedUtterance("what is love")))
    await stage.peer.play_until(task)
    assert last_words(stage.brain.replied) == ["[Camera: a cat]\nwhat is love"]


async def test_a_picture_that_was_handed_over_goes_before_the_camera() -> None:
    stage = Stage(eyes=ScriptedEyes("a cat"), frame=picture())
    handed = picture(200)
    stage.turn.images = (handed,)
    task = asyncio.create_task(stage.turn.take(TypedUtterance("what is love")))
    await stage.peer.play_until(task)
    assert stage.brain.replied[0][-1].image is handed


async def test_with_vision_off_nobody_looks() -> None:
    stage = Stage(eyes=ScriptedEyes("a cat"), frame=picture())
    stage.fallback.best = Plan(use_vision=False)
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert stage.eyes.looked == 0


async def test_what_was_seen_before_is_told_again_where_looking_takes_too_long() -> None:
    stage = Stage(eyes=ScriptedEyes("a dog", look_s=60), frame=picture())
    stage.fallback.best = Plan(looks_anew=False)
    stage.conversation.scene = Scene(facts=("a cat",))
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert last_words(stage.brain.replied) == [
        "[Camera: a cat; all this as it was a while ago]\nwhat is love"
    ]
    assert stage.eyes.looked == 0
    assert not stage.peer.told(Degraded)


async def test_a_late_picture_is_done_without() -> None:
    stage = Stage(eyes=ScriptedEyes("a cat", look_s=60), frame=picture())
    stage.fallback.best = Plan(scene_wait_ms=10)
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert last_words(stage.brain.replied) == ["what is love"]
    assert [e.stage for e in stage.peer.events if isinstance(e, Degraded)] == ["eyes"]


async def test_a_reply_is_read_by_a_voice_that_knows_its_letters() -> None:
    stage = Stage(ScriptedBrain(["It is 北京。", "你好，世界。"]))
    stage.fallback.best = Plan(voice="joe", speed=1.5)
    joe = KnownVoice(id="joe", summary="a man", languages=("en",))
    stage.fallback.voices = Voices(piper=(joe,), espeak=(espeak_voice("zh", "Chinese"),))
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "hello")
    await stage.peer.play_until(task)
    assert list(zip(stage.voice.spoken, stage.voice.voices, strict=True)) == [
        ("It is 北京。", "joe"),
        ("你好，世界。", "espeak-ng-zh"),
    ]
    told = [event for event in stage.peer.events if isinstance(event, Degraded)]
    assert [event.stage for event in told] == ["voice"]


async def test_a_faster_voice_reads_where_the_natural_one_takes_too_long() -> None:
    stage = Stage()
    stage.fallback.best = Plan(voice="joe", natural_voice=False)
    joe = KnownVoice(id="joe", summary="a man", languages=("en",))
    stage.fallback.voices = Voices(piper=(joe,), espeak=(espeak_voice("en", "English"),))
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "capital of France")
    await stage.peer.play_until(task)
    assert set(stage.voice.voices) == {"espeak-ng-en"}
    assert not stage.peer.told(Degraded)


async def test_failing_eyes_cost_the_answer_nothing() -> None:
    stage = Stage(eyes=ScriptedEyes(fails=True), frame=picture())
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "what is love")
    await stage.peer.play_until(task)
    assert stage.said()[1] == (Role.ASSISTANT, "".join(ANSWER))


async def test_ledger_adds_up_to_what_was_measured() -> None:
    stage = Stage(ScriptedBrain(ANSWER, token_s=0.001))
    stage.turn.timeline.clock = stage.utterance.clock = Clock()
    task = await stage.begin()
    await stage.utterance.become(Phase.PAUSED, "capital")
    await stage.utterance.become(Phase.ENDED, "capital")
    await stage.peer.play_until(task)
    ready = [e for e in stage.peer.events if isinstance(e, TimelineReady)][-1]
    assert ready.voice_to_voice_ms is not None
    path_ms = sum(line.duration_ms for line in ready.lines if not line.overlapped)
    assert abs(path_ms - ready.voice_to_voice_ms) < 1e-6
    assert ready.stats is not None


class Clock:
    """Each look at it is 10 ms later."""

    def __init__(self) -> None:
        self.now_s = 1.2

    def __call__(self) -> float:
        self.now_s += 0.01
        return self.now_s


async def test_a_late_answer_is_announced_and_cuts_the_announcement_off() -> None:
    stage = Stage(ScriptedBrain(ANSWER, token_s=0.05))
    stage.fallback.best = Plan(acknowledge_after_ms=0)
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "hello")
    await stage.peer.play_until(task)
    assert stage.voice.spoken[0] == "One moment."
    assert stage.turn.said == "One moment. " + "".join(ANSWER)
    assert stage.records[0].had_filler
    assert stage.said()[1] == (Role.ASSISTANT, "".join(ANSWER))
    words = [e.text for e in stage.peer.events if isinstance(e, ReplyWords)]
    assert "".join(words) == "".join(ANSWER)


async def test_a_prompt_answer_is_not_announced() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "hello")
    await stage.peer.play_until(task)
    assert "One moment." not in stage.voice.spoken
    assert not stage.records[0].had_filler


async def test_a_brain_that_says_nothing_is_given_up_and_apologised_for() -> None:
    stage = Stage(ScriptedBrain(ANSWER, token_s=60))
    stage.fallback.best = Plan(silence_limit_ms=20)
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "hello")
    await asyncio.sleep(0.05)
    await stage.peer.play_until(task)
    assert stage.said()[1][1].startswith("Sorry")
    assert stage.brain.busy == 0


async def test_an_answer_that_drags_ends_at_a_full_stop() -> None:
    stage = Stage(ScriptedBrain(["It is red. ", "It is also ", "very big. ", "And so on. "] * 3))
    stage.brain.token_s = 0.05
    stage.fallback.best = Plan(dragging_ms=0)
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "hello")
    await stage.peer.play_until(task)
    heard = stage.said()[1][1]
    assert heard.startswith("It is red. It is also")
    assert heard.endswith(".")
    assert len(heard) < 60
    assert [e.code for e in stage.records[0].degraded] == [Shortfall.CUT_SHORT]


async def test_a_turn_is_recorded_without_its_words() -> None:
    stage = Stage()
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "my secret")
    await stage.peer.play_until(task)
    (record,) = stage.records
    assert record.status is ReplyStatus.COMPLETED
    assert record.ledger_error_ms < 1e-6
    assert "secret" not in repr(record)


class TwoBrains(ScriptedBrain):
    """Says first who answers, as a routed brain does."""

    def __init__(self, *, expected_ms: float | None, token_s: float = 0.0) -> None:
        super().__init__(ANSWER, token_s=token_s)
        self.expected_ms = expected_ms

    @asynccontextmanager
    async def _reply(
        self, prompt: Prompt, max_tokens: int
    ) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        by = Answerer(
            tier="strong",
            model="large",
            is_remote=True,
            reason="it compares",
            expected_ms=self.expected_ms,
        )
        async with super()._reply(prompt, max_tokens) as pieces:

            async def all_pieces() -> AsyncIterator[ReplyPiece]:
                yield ReplyPiece(text="", shortcoming="the line is down; small answers instead")
                yield ReplyPiece(text="", by=by)
                async for piece in pieces:
                    yield piece

            yield all_pieces()


async def test_who_could_not_answer_is_told_and_is_no_token() -> None:
    stage = Stage(TwoBrains(expected_ms=None))
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "compare tea and coffee")
    await stage.peer.play_until(task)
    assert stage.said()[-1] == (Role.ASSISTANT, "Paris is the capital of France.")
    sentence = "the line is down; small answers instead"
    assert stage.peer.told(Degraded) == [
        Degraded(stage="brain", code=Shortfall.OTHER_BRAIN, reason=sentence)
    ]


@pytest.mark.parametrize(("expected_ms", "is_said"), [(None, False), (100, False), (9_000, True)])
async def test_acknowledgement_is_said_at_once_only_if_the_answer_will_be_late(
    expected_ms: float | None, is_said: bool
) -> None:
    stage = Stage(TwoBrains(expected_ms=expected_ms, token_s=0.5))
    task = await stage.begin()
    await stage.utterance.become(Phase.ENDED, "compare tea and coffee")
    await asyncio.sleep(0)
    assert ("One moment." in stage.voice.spoken) == is_said
    task.cancel()
    await asyncio.wait([task])


class Acting(ScriptedBrain):
    """Does something before it answers, as an agent's brain does."""

    @asynccontextmanager
    async def _reply(
        self, prompt: Prompt, max_tokens: int
    ) -> AsyncGenerator[AsyncIterator[ReplyPiece]]:
        async with super()._reply(prompt, max_tokens) as pieces:

            async def all_pieces() -> AsyncIterator[ReplyPiece]:
                yield ReplyPiece(text="", doing="looking in your notes")
                step = ToolStep(call_id="call_1", call='{"name": "find"}', result="Paris")
                yield ReplyPiece(text="", step=step)
                async for piece in pieces:
                    yield piece

            yield all_pieces()


async def test_what_was_done_is_shown_and_stays_in_the_conversation() -> None:
    stage = Stage(Acting(ANSWER))
    task = await stage.begin()
    await stage.utterance.become(Phase.PAUSED, "capital of France")
    assert not stage.turn.confirmed.is_set()
    await stage.utterance.become(Phase.ENDED, "capital of France")
    assert stage.turn.confirmed.is_set()
    await stage.peer.play_until(task)
    assert stage.peer.told(Working) == [Working(turn_id="turn_1", doing="looking in your notes")]
    assert stage.said() == [
        (Role.USER, "capital of France"),
        (Role.ASSISTANT, '{"name": "find"}'),
        (Role.USER, "<tool_response>\nParis\n</tool_response>"),
        (Role.ASSISTANT, "Paris is the capital of France."),
    ]
